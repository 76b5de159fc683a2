"""What all exchanges of a run show together: the statuses of each operation, a sample of each, and how long answers took."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]

SILENT = "no answer"
BINS = 48
SHADES = 5
HEIGHT = 26
STEP = 8
WIDTH = BINS * STEP + 20


@dataclass(frozen=True)
class Cell:
    """How often an operation answered with a status, how dark that is shown (0 to 5), and the first such exchange."""

    status: str
    number: int
    shade: int
    sample: Document | None


@dataclass(frozen=True)
class Latency:
    """How long the answers of an operation took, in seconds; `bars` are (x, height) of a plot of all exchanges on one logarithmic scale."""

    operation: str
    number: int
    median: float
    slow: float
    longest: float
    bars: tuple[tuple[int, int], ...]
    centre: int


@dataclass(frozen=True)
class Survey:
    """Heat map (operation → cells, one for each status seen anywhere), latencies, and the decades of their scale with their places."""

    statuses: tuple[str, ...]
    cells: Mapping[str, tuple[Cell, ...]]
    latencies: tuple[Latency, ...]
    ticks: tuple[tuple[int, str], ...]


def of(exchanges: Iterable[Document], base_url: str, order: Sequence[str]) -> Survey:
    """The survey of recorded exchanges (see evidence); `order` lists operations that come first."""
    seen: dict[str, dict[str, list[Any]]] = {}
    took: dict[str, list[float]] = {}
    for exchange in exchanges:
        operation = _name(exchange, base_url)
        response = exchange.get("response")
        status = str(response["status"]) if response else SILENT
        cell = seen.setdefault(operation, {}).setdefault(status, [0, exchange])
        cell[0] += 1
        if response:
            took.setdefault(operation, []).append(exchange["elapsed"])
    names = sorted(seen, key=lambda name: _rank(name, order))
    statuses = tuple(sorted({status for cells in seen.values() for status in cells}))
    most = max((cell[0] for cells in seen.values() for cell in cells.values()), default=1)
    cells = {
        name: tuple(_cell(status, seen[name].get(status), most) for status in statuses)
        for name in names
    }
    return Survey(
        statuses, cells, *_latencies({name: took[name] for name in names if name in took})
    )


def _name(exchange: Document, base_url: str) -> str:
    request = exchange["request"]
    if request["url"].startswith(base_url):
        return str(exchange["operation"])
    # The same operations are tools as well, at an address of their own.
    return f"{exchange['operation']} ({'tool' if request['method'] == 'POST' else 'elsewhere'})"


def _rank(name: str, order: Sequence[str]) -> tuple[bool, int, str]:
    operation, _, elsewhere = name.partition(" ")
    return bool(elsewhere), order.index(operation) if operation in order else len(order), name


def _cell(status: str, found: list[Any] | None, most: int) -> Cell:
    if found is None:
        return Cell(status, 0, 0, None)
    number, sample = found
    return Cell(
        status, number, 1 + round((SHADES - 1) * math.log1p(number) / math.log1p(most)), sample
    )


def _latencies(
    took: Mapping[str, list[float]],
) -> tuple[tuple[Latency, ...], tuple[tuple[int, str], ...]]:
    every = [_exponent(value) for values in took.values() for value in values]
    if not every:
        return (), ()
    low, high = math.floor(min(every)), max(math.floor(max(every)) + 1, math.floor(min(every)) + 1)
    scale = BINS / (high - low)
    rows = tuple(_latency(name, sorted(values), low, scale) for name, values in took.items())
    ticks = tuple(
        (round((decade - low) * scale) * STEP, duration(10.0**decade))
        for decade in range(low, high + 1)
    )
    return rows, ticks


def _exponent(value: float) -> float:
    return math.log10(max(value, 1e-6))


def _latency(operation: str, values: list[float], low: int, scale: float) -> Latency:
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, int((_exponent(value) - low) * scale))] += 1
    most = max(bins)
    bars = tuple(
        (index * STEP, max(2, round(HEIGHT * number / most)))
        for index, number in enumerate(bins)
        if number
    )
    median = values[len(values) // 2]
    slow = values[min(len(values) - 1, math.ceil(len(values) * 0.95) - 1)]
    return Latency(
        operation,
        len(values),
        median,
        slow,
        values[-1],
        bars,
        round((_exponent(median) - low) * scale * STEP),
    )


def duration(seconds: float) -> str:
    """A duration in the unit that suits it, with two digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size * 0.9995:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
