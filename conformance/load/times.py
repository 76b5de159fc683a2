"""The response times of one operation, as an HDR histogram, and what became of its requests."""

from collections import Counter
from dataclasses import dataclass, field

from hdrh.histogram import HdrHistogram

MICROSECONDS = 1_000_000
LONGEST = 3600
"""Seconds; a longer response counts as this."""

DIGITS = 3
"""Significant decimal digits of every value."""

SERVED, THROTTLED = 200, 429


def _histogram() -> HdrHistogram:
    return HdrHistogram(1, LONGEST * MICROSECONDS, DIGITS)


@dataclass
class Times:
    """What was measured of one operation.

    A time is from the moment at which a request was due to the end of its response, in seconds.
    Only those of responses with 200 are in the histogram: a failure may be quick. `failures`
    count the others by status or by what became of the connection, 429 apart from them.
    `withheld` requests were due while the target asked for a pause.
    """

    histogram: HdrHistogram = field(default_factory=_histogram)
    failures: Counter[str] = field(default_factory=Counter)
    throttled: int = 0
    withheld: int = 0

    def serve(self, seconds: float) -> None:
        """Add a response with 200."""
        value = max(1, round(seconds * MICROSECONDS))
        self.histogram.record_value(min(value, LONGEST * MICROSECONDS))

    @property
    def served(self) -> int:
        """Responses with 200."""
        count: int = self.histogram.get_total_count()
        return count

    @property
    def failed(self) -> int:
        """Requests without a response of 200, those with 429 left out."""
        return self.failures.total()

    def percentile(self, percent: float) -> float | None:
        """The seconds within which so many of the requests were served; None where fewer were.

        A request that failed was not served in any time.
        """
        requests = self.served + self.failed
        if not requests or self.served < requests * percent / 100:
            return None
        among_served = min(100.0, percent * requests / self.served)
        value: int = self.histogram.get_value_at_percentile(among_served)
        return value / MICROSECONDS

    @property
    def longest(self) -> float | None:
        """The seconds of the slowest response with 200; None without any."""
        value: int = self.histogram.get_max_value()
        return value / MICROSECONDS if self.served else None

    @property
    def encoded(self) -> str:
        """The histogram in the form that all libraries of HDR histograms read, in microseconds."""
        text: bytes = self.histogram.encode()
        return text.decode("ascii")
