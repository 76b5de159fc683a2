"""All exchanges of a run at a glance: the statuses of each operation, and the response times."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.http import serialization
from conformance.report.document_types import ExchangeEntry
from conformance.report.finding import is_over_http

SILENT = "no response"
BINS = 48
SHADES = 5
HEIGHT = 26
STEP = 8
WIDTH = BINS * STEP + 20
MOST_CELLS = 200
OTHER = "other"
"""Further statuses of a target that makes up a great many."""

LONGEST_SAMPLE = 64 * 1024
"""Characters of the body of a sample."""


@dataclass
class Count:
    """The exchanges of one operation with one status: their number, and the first of them."""

    sample: ExchangeEntry
    number: int = 0


@dataclass(frozen=True)
class Cell:
    """The exchanges of one operation with one status; `shade` is from 0 (none) to SHADES."""

    status: str
    number: int
    shade: int
    sample: ExchangeEntry | None


@dataclass(frozen=True)
class Latency:
    """The response times of an operation in seconds; `bars` are (x, height) of their plot."""

    operation: str
    number: int
    median: float
    p95: float
    longest: float
    bars: tuple[tuple[int, int], ...]
    centre: int


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale that starts at 10 ** `low` seconds, with `bins` bins for each decade."""

    low: int
    high: int

    @property
    def bins(self) -> float:
        """Bins for each decade."""
        return BINS / (self.high - self.low)

    def position(self, seconds: float) -> float:
        """The place of a duration, in bins."""
        return (_exponent(seconds) - self.low) * self.bins

    def ticks(self) -> tuple[tuple[int, str], ...]:
        """The x coordinate and the text of each decade."""
        return tuple(
            (round((decade - self.low) * self.bins) * STEP, duration(10.0**decade))
            for decade in range(self.low, self.high + 1)
        )


@dataclass(frozen=True)
class Survey:
    """A heat map (operation → cell for each status), latencies, and the ticks of their scale."""

    statuses: tuple[str, ...]
    cells: Mapping[str, tuple[Cell, ...]]
    latencies: tuple[Latency, ...] = ()
    ticks: tuple[tuple[int, str], ...] = ()


class Row(NamedTuple):
    """An operation, and the interface where it is not HTTP below the base URL."""

    operation: str
    interface: str = ""

    @property
    def name(self) -> str:
        """The text for people."""
        return f"{self.operation} ({self.interface})" if self.interface else self.operation

    def rank(self, order: Sequence[str]) -> tuple[bool, int, str]:
        """The place among the rows: those below the base URL first, each in the order given."""
        place = order.index(self.operation) if self.operation in order else len(order)
        return bool(self.interface), place, self.name


@dataclass
class Tally:
    """The exchanges by row and status, and the response times by row."""

    counts: dict[Row, dict[str, Count]] = field(default_factory=dict)
    times: dict[Row, list[float]] = field(default_factory=dict)

    def add(self, exchange: ExchangeEntry, row: Row) -> None:
        """Count one exchange."""
        response = exchange.get("response")
        status = str(response["status"]) if response else SILENT
        counts = self.counts.setdefault(row, {})
        if status not in counts and sum(map(len, self.counts.values())) >= MOST_CELLS:
            status = OTHER
        if status not in counts:
            shortened: Any = serialization.shortened(exchange, LONGEST_SAMPLE)
            counts[status] = Count(shortened)
        counts[status].number += 1
        if response:
            self.times.setdefault(row, []).append(exchange["elapsed"])

    @property
    def statuses(self) -> list[str]:
        """All statuses, sorted."""
        return sorted({status for counts in self.counts.values() for status in counts})

    @property
    def most(self) -> int:
        """The largest number of exchanges of one row with one status."""
        numbers = (count.number for counts in self.counts.values() for count in counts.values())
        return max(numbers, default=1)


def of(exchanges: Iterable[ExchangeEntry], base_url: str, order: Sequence[str]) -> Survey:
    """The survey of recorded exchanges; the operations in `order` come first."""
    tally = Tally()
    for exchange in exchanges:
        tally.add(exchange, _row(exchange, base_url))
    statuses, most = tally.statuses, tally.most
    cells = {}
    times = {}
    for row in sorted(tally.counts, key=lambda each: each.rank(order)):
        counts = tally.counts[row]
        cells[row.name] = tuple(_cell(status, counts.get(status), most) for status in statuses)
        if row in tally.times:
            times[row.name] = sorted(tally.times[row])
    if not times:
        return Survey(tuple(statuses), cells)
    scale = _scale(times)
    latencies = tuple(_latency(name, values, scale) for name, values in times.items())
    return Survey(tuple(statuses), cells, latencies, scale.ticks())


def _row(exchange: ExchangeEntry, base_url: str) -> Row:
    request = exchange["request"]
    if is_over_http(exchange, base_url):
        return Row(exchange["operation"])
    # The same operations are tools as well, at another address.
    return Row(exchange["operation"], "tool" if request["method"] == "POST" else "elsewhere")


def _cell(status: str, count: Count | None, most: int) -> Cell:
    if count is None:
        return Cell(status, 0, 0, None)
    darkness = math.log1p(count.number) / math.log1p(most)
    return Cell(status, count.number, 1 + round((SHADES - 1) * darkness), count.sample)


def _scale(times: Mapping[str, list[float]]) -> Scale:
    exponents = [_exponent(value) for values in times.values() for value in values]
    low = math.floor(min(exponents))
    return Scale(low, max(math.floor(max(exponents)), low) + 1)


def _exponent(seconds: float) -> float:
    return math.log10(max(seconds, 1e-6))


def _latency(operation: str, values: Sequence[float], scale: Scale) -> Latency:
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, int(scale.position(value)))] += 1
    most = max(bins)
    bars = tuple(
        (index * STEP, max(2, round(HEIGHT * number / most)))
        for index, number in enumerate(bins)
        if number
    )
    median = values[len(values) // 2]
    p95 = values[min(len(values) - 1, math.ceil(len(values) * 0.95) - 1)]
    centre = round(scale.position(median) * STEP)
    return Latency(operation, len(values), median, p95, values[-1], bars, centre)


def duration(seconds: float) -> str:
    """A duration with three digits in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size * 0.9995:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
