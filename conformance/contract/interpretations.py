"""The interpretations of the specification: the tables of spec/README.md as values."""

import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from conformance.contract import files

CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Interpretation:
    """One row: what is accepted, what never is, and why; `reading` names its variants."""

    point: str
    accepted: str
    rejected: str
    reason: str
    requirements: tuple[str, ...]
    reading: str | None


def of(requirement: str) -> list[Interpretation]:
    """The interpretations that concern a requirement, in the order of the page."""
    return [
        each
        for each in load()
        if any(fnmatchcase(requirement, pattern) for pattern in each.requirements)
    ]


@cache
def load() -> tuple[Interpretation, ...]:
    """All interpretations; KeyError for a row of the page that interpretations.toml omits."""
    stated = tomllib.loads(files.text("interpretations.toml"))["interpretation"]
    concerned = {entry["point"]: entry for entry in stated}
    return tuple(
        Interpretation(
            *row, tuple(concerned[row[0]]["requirements"]), concerned[row[0]].get("reading")
        )
        for row in rows()
    )


def rows() -> list[tuple[str, str, str, str]]:
    """The rows of the tables of interpretations: point, accepted, never accepted, reason."""
    _, _, tables = files.text("README.md").partition("\n## Interpretations\n")
    found = []
    for line in tables.splitlines():
        cells = [cell.strip() for cell in CELL.split(line.strip().strip("|"))]
        if len(cells) == 4 and line.startswith("|") and cells[0] not in {"point", "---"}:
            found.append((cells[0], cells[1], cells[2], cells[3]))
    return found
