"""What a run covered: a map of requirements and operations, and the ways of calling them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.contract.verdict import Verdict
from conformance.report.document import is_checked
from conformance.report.document_types import ExchangeEntry, Report
from conformance.report.finding import is_over_http

ROW = 18
COLUMN = 26
NAMES = 230
"""Pixels of the names of requirements, to the left of the map."""

HEAD = 118
WHOLE = "whole target"
SYMBOLS = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "unchecked",
    Verdict.NOT_APPLICABLE: "inapplicable",
}
"""The symbol of each verdict in the template: each has a shape of its own."""


@dataclass(frozen=True)
class Spot:
    """The verdict of a requirement on one operation, at a place of the map."""

    x: int
    symbol: str
    title: str


@dataclass(frozen=True)
class MapRow:
    """A requirement in the map."""

    id: str
    y: int
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class ClassMap:
    """The map of one conformance class."""

    name: str
    rows: tuple[MapRow, ...]
    width: int
    height: int
    columns: tuple[tuple[int, str], ...]

    @property
    def has_failure(self) -> bool:
        """Whether a requirement failed or met an internal error."""
        symbols = {spot.symbol for row in self.rows for spot in row.spots}
        return bool(symbols & {"failed", "error"})


@dataclass(frozen=True)
class Way:
    """How often each operation was called in one way: an interface, and a scheme."""

    name: str
    counts: tuple[int, ...]


def maps(report: Report, operations: Sequence[str]) -> list[ClassMap]:
    """A map for each class with a requirement that was to be checked."""
    classes = dict.fromkeys(entry["class"] for entry in report["requirements"])
    found = (_map(name, report, [*operations, WHOLE]) for name in classes)
    return [each for each in found if each.rows]


def _map(name: str, report: Report, columns: Sequence[str]) -> ClassMap:
    entries = [
        entry for entry in report["requirements"] if entry["class"] == name and is_checked(entry)
    ]
    rows = []
    for number, entry in enumerate(entries):
        verdicts = entry["operations"] or {WHOLE: entry["verdict"]}
        spots = [
            Spot(NAMES + COLUMN * column, SYMBOLS[Verdict(verdicts[place])], place)
            for column, place in enumerate(columns)
            if place in verdicts
        ]
        rows.append(MapRow(entry["id"], HEAD + ROW * number, tuple(spots)))
    places = tuple((NAMES + COLUMN * number, place) for number, place in enumerate(columns))
    width = NAMES + COLUMN * len(columns) + HEAD
    return ClassMap(name, tuple(rows), width, HEAD + ROW * len(rows), places)


class Calls:
    """The number of exchanges by operation, and by interface and scheme."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._counts: dict[str, Counter[str]] = {}

    def watched(self, exchanges: Iterable[ExchangeEntry]) -> Iterable[ExchangeEntry]:
        """The same exchanges, which are counted as they pass."""
        for exchange in exchanges:
            counts = self._counts.setdefault(self._way(exchange), Counter())
            counts[exchange["operation"]] += 1
            yield exchange

    def ways(self, operations: Sequence[str]) -> list[Way]:
        """A row for each interface and scheme."""
        return [
            Way(name, tuple(counts[operation] for operation in operations))
            for name, counts in sorted(self._counts.items())
        ]

    def _way(self, exchange: ExchangeEntry) -> str:
        is_http = is_over_http(exchange, self._base_url)
        return f"{'HTTP' if is_http else 'tool'}, {exchange['scheme'] or 'no credential'}"
