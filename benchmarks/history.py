"""The history of measurements: what was measured when, and the newest figures of each part."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measured import Row

FILE = Path(__file__).with_name("history.json")
DEPTH = "standard"
"""The depth of the runs that are measured, unless an option names another one."""

Entry = Mapping[str, Any]


def load() -> list[Entry]:
    """The entries, the oldest first."""
    entries: list[Entry] = json.loads(FILE.read_bytes()) if FILE.exists() else []
    return entries


def add(entry: Entry) -> None:
    """Append an entry."""
    write(FILE, [*load(), entry])


def write(path: Path, value: Any) -> None:
    """Write a value as JSON."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def newest(entries: Sequence[Entry], part: str) -> list[Row]:
    """The rows of a part, each as it was measured the last time."""
    rows: dict[str, Row] = {}
    for entry in entries:
        for row in _rows(entry, part):
            rows[row.name] = row
    return list(rows.values())


def figures(entries: Sequence[Entry], part: str, row: str, figure: str) -> Iterator[float]:
    """What a figure was, the oldest first."""
    for entry in entries:
        for found in _rows(entry, part):
            value = found.figures.get(figure)
            if found.name == row and isinstance(value, int | float):
                yield value


def _rows(entry: Entry, part: str) -> Iterator[Row]:
    """The rows of a part; those of another depth than usual say so."""
    depth = entry.get("depth", DEPTH)
    addition = "" if depth == DEPTH else f", --depth {depth}"
    for stated in entry["parts"].get(part, ()):
        figures = {name: value for name, value in stated.items() if name != "name"}
        yield Row(f"{stated['name']}{addition}", figures)
