"""The requests over the time of a run, as bars."""

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.report.document_types import ExchangeEntry

BINS = 96
STEP = 8
HEIGHT = 90
UNSERVED = 500


@dataclass(frozen=True)
class Moment:
    """The requests that began in one part of the run: `failed` got 5xx or no response."""

    x: int
    height: int
    failed: int
    title: str


@dataclass(frozen=True)
class Timeline:
    """The bars of a run of so many seconds; `most` is the number of the highest bar."""

    moments: tuple[Moment, ...]
    seconds: float
    most: int
    width: int = BINS * STEP
    height: int = HEIGHT


class Times:
    """The start of each exchange, and whether it failed."""

    def __init__(self) -> None:
        self._starts: list[tuple[float, bool]] = []

    def watched(self, exchanges: Iterable[ExchangeEntry]) -> Iterable[ExchangeEntry]:
        """The same exchanges, whose times are noted as they pass."""
        for exchange in exchanges:
            response = exchange.get("response")
            failed = response is None or response["status"] >= UNSERVED
            self._starts.append((exchange["started"], failed))
            yield exchange

    def timeline(self) -> Timeline | None:
        """The bars; None without an exchange."""
        if not self._starts:
            return None
        first = min(start for start, _ in self._starts)
        last = max(start for start, _ in self._starts)
        length = (last - first) / BINS or 1.0
        counts = [[0, 0] for _ in range(BINS)]
        for start, failed in self._starts:
            place = counts[min(BINS - 1, int((start - first) / length))]
            place[0] += 1
            place[1] += failed
        most = max(number for number, _ in counts)
        moments = tuple(
            Moment(
                index * STEP,
                _height(number, most),
                _height(failed, most),
                f"{number} requests after {first + index * length:.1f} s"
                + (f", {failed} without success" if failed else ""),
            )
            for index, (number, failed) in enumerate(counts)
            if number
        )
        return Timeline(moments, last - first, most)


def _height(number: int, most: int) -> int:
    return max(2, round(HEIGHT * number / most)) if number else 0
