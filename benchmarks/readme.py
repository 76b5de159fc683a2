"""The figures in README.md beside this file: written from the history between two marks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import history
from benchmarks.history import Entry
from benchmarks.measured import Figure, Row

FILE = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


@dataclass(frozen=True)
class Goal:
    """A figure that has a goal: where it stands in the history, and how the goal is written."""

    name: str
    part: str
    row: str
    figure: str
    goal: str


GOALS = (
    Goal(
        "CPU of a run, to that of a bare loop; in-process",
        *("floor", "conformance run, in-process", "to floor", "≤ 3"),
    ),
    Goal(
        "the same, over loopback",
        *("floor", "conformance run, over loopback", "to floor", "≤ 3"),
    ),
    Goal(
        "duration at 50 ms with 32 at once, to the ideal",
        *("latency", "50 ms, 32 at once", "to ideal", "≤ 2"),
    ),
    Goal(
        "round trips of a run, one after another",
        *("path", "the run", "round trips", "≤ 120"),
    ),
    Goal(
        "exchanges per second of CPU, to those of `schemathesis run`",
        *("schemathesis", "conformance run --depth standard", "to schemathesis", "≥ 8"),
    ),
    Goal(
        "mutants caught per minute, to those of `schemathesis run`",
        *("mutants", "conformance run --depth quick", "to schemathesis", "—"),
    ),
    Goal(
        "largest resident set, in-process, MiB",
        *("memory", "--depth standard", "MiB, in-process", "≤ 150"),
    ),
    Goal(
        "the same, over loopback",
        *("memory", "--depth standard", "MiB, over loopback", "≤ 150"),
    ),
    Goal(
        "seconds to the first request",
        *("start", "conformance run, to the first request", "seconds", "—"),
    ),
)


def rewrite(titles: Mapping[str, str]) -> None:
    """Write the newest figures into benchmarks/README.md."""
    text = FILE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    FILE.write_text(f"{before}{written(titles)}{after}", encoding="utf-8")


def written(titles: Mapping[str, str]) -> str:
    """The figures as they stand in the file, with their marks; `titles` are those of the parts."""
    entries = history.load()
    lines = [BEGIN, *_goals(entries)]
    for part, title in titles.items():
        rows = history.newest(entries, part)
        if rows:
            lines += ["", f"`python -m benchmarks {part}`: {title}", "", *_table(rows)]
    return "\n".join([*lines, END])


def _goals(entries: Sequence[Entry]) -> Iterator[str]:
    yield "| | goal | first measured | now |"
    yield "|---|--:|--:|--:|"
    for goal in GOALS:
        values = list(history.figures(entries, goal.part, goal.row, goal.figure))
        if values:
            yield f"| {goal.name} | {goal.goal} | {_shown(values[0])} | {_shown(values[-1])} |"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    head = list(dict.fromkeys(name for row in rows for name in row.figures))
    yield f"| | {' | '.join(head)} |"
    yield f"|---|{'--:|' * len(head)}"
    for row in rows:
        cells = (_shown(row.figures.get(name)) for name in head)
        yield f"| {row.name} | {' | '.join(cells)} |"


def _shown(figure: Figure) -> str:
    return f"{figure:,}" if isinstance(figure, int | float) else figure or ""
