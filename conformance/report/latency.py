"""How long the answers of each operation took."""

from collections.abc import Mapping, Sequence
from statistics import median, quantiles


def latencies(taken: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """For each operation the number of answers, and their median, 95th percentile and maximum in seconds."""
    return {operation: _summary(values) for operation, values in sorted(taken.items()) if values}


def _summary(values: Sequence[float]) -> dict[str, float]:
    late = quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
    return {
        "count": len(values),
        "median": round(median(values), 6),
        "p95": round(min(late, max(values)), 6),
        "max": round(max(values), 6),
    }
