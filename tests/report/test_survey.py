"""The statuses and response times of a run."""

import pytest
from sample_reports import BASE, an_exchange

from conformance.report.page import survey


def test_a_survey_counts_statuses_and_sorts_durations() -> None:
    """Operations have the contract's order, then tools; the duration is the 95th percentile."""
    exchanges = [an_exchange(n, "b", elapsed=n / 1000) for n in range(1, 101)]
    tool = an_exchange(1, "a")
    tool["request"] = {"method": "POST", "url": "https://example.com/mcp"}

    seen = survey.of([tool, *exchanges, an_exchange(1, "b", response=None)], BASE, ["b", "a"])

    assert [(name, [cell.number for cell in cells]) for name, cells in seen.cells.items()] == [
        ("b", [100, 1]),
        ("a (tool)", [1, 0]),
    ]
    assert (seen.latencies[0].median, seen.latencies[0].p95, seen.latencies[0].longest) == (
        0.051,
        0.095,
        0.1,
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.23e-6, "1.23 µs"), (0.0123, "12.3 ms"), (0.001, "1 ms"), (1.0, "1 s"), (12.34, "12.3 s")],
)
def test_a_duration_has_a_suitable_unit(seconds: float, text: str) -> None:
    """The unit is microseconds, milliseconds or seconds."""
    assert survey.duration(seconds) == text
