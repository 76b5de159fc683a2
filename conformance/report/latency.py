"""The response times of each operation."""

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

from conformance.report.document_types import LatencyEntry


def latencies(times: Mapping[str, Sequence[float]]) -> dict[str, LatencyEntry]:
    """Number, median, 95th percentile and maximum of response times in seconds, by operation."""
    return {operation: _summary(values) for operation, values in sorted(times.items()) if values}


def _summary(values: Sequence[float]) -> LatencyEntry:
    p95 = quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
    return {
        "count": len(values),
        "median": round(median(values), 6),
        "p95": round(min(p95, max(values)), 6),
        "max": round(max(values), 6),
    }
