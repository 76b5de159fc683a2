"""The response times of each operation."""

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

from conformance.report.document_types import LatencyEntry


def latencies(times: Mapping[str, Sequence[float]]) -> dict[str, LatencyEntry]:
    """Number, quartiles, 95th percentile and maximum of response times in seconds, by operation."""
    return {operation: _summary(values) for operation, values in sorted(times.items()) if values}


def _summary(values: Sequence[float]) -> LatencyEntry:
    cuts = quantiles(values, n=20) if len(values) > 1 else [values[0]] * 19
    p25, p75, p95 = cuts[4], cuts[14], cuts[18]
    return {
        "count": len(values),
        "median": round(median(values), 6),
        "p25": round(max(p25, min(values)), 6),
        "p75": round(min(p75, max(values)), 6),
        "p95": round(min(p95, max(values)), 6),
        "max": round(max(values), 6),
    }
