"""Claims of speed: what counts as a response time, and which claim holds."""

import pytest
from hdrh.histogram import HdrHistogram

from conformance.http.exchange import Call
from conformance.load import claims
from conformance.load.claims import Outcome
from conformance.load.schedule import Schedule
from conformance.load.times import LONGEST, Times

READ = "project_list"


def timed(*seconds: float, failed: int = 0, throttled: int = 0, withheld: int = 0) -> Times:
    """What a measurement of one operation has."""
    times = Times(throttled=throttled, withheld=withheld)
    for each in seconds:
        times.serve(each)
    times.failures.update({"HTTP 500": failed} if failed else {})
    return times


def test_requests_are_due_evenly_and_operations_take_turns() -> None:
    """Every call of an operation is sent before the first one is sent again."""
    calls = {READ: [Call(READ)], "project_get": [Call("project_get", {"id": id}) for id in "ab"]}
    due = list(Schedule(rate=4, duration=1.5).due(calls))

    assert [moment for moment, _ in due] == [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
    assert [call.operation for _, call in due] == [READ, "project_get"] * 3
    assert [call.path["id"] for _, call in due if call.path] == ["a", "b", "a"]


def test_a_schedule_has_a_request_at_least() -> None:
    """However short it is."""
    assert Schedule(rate=1, duration=0.1).requests == 1


def test_percentiles_have_three_digits_and_no_end() -> None:
    """A response that takes longer than an hour counts as an hour."""
    times = timed(*(number / 1000 for number in range(1, 101)), LONGEST * 5)

    assert times.percentile(50) == pytest.approx(0.051, rel=0.001)
    assert times.percentile(95) == pytest.approx(0.096, rel=0.001)
    assert times.longest == pytest.approx(LONGEST, rel=0.001)
    assert timed().longest is None


def test_a_failed_request_was_served_in_no_time() -> None:
    """It counts in every percentile, as slower than all others; a rejected one does not."""
    served = [0.1] * 80 + [0.4] * 12

    assert timed(*served, failed=3).percentile(95) == pytest.approx(0.4, rel=0.001)
    assert timed(*served, failed=5).percentile(95) is None
    assert timed(*served, failed=3, throttled=50, withheld=50).percentile(95) is not None
    assert timed().percentile(95) is None


def test_a_histogram_can_be_read_by_other_tools() -> None:
    """It is written in the common form, in microseconds."""
    found = HdrHistogram.decode(timed(0.25, 0.5, 0.75).encoded)

    assert found.get_total_count() == 3
    assert found.get_value_at_percentile(50) == pytest.approx(500_000, rel=0.001)


@pytest.mark.parametrize(
    ("limit", "times", "outcome"),
    [
        (0.3, timed(0.1, 0.2), Outcome.HOLDS),
        (0.15, timed(0.1, 0.2), Outcome.SLOWER),
        (9.0, timed(0.1, failed=1), Outcome.SLOWER),
        (0.3, timed(), Outcome.INCOMPLETE),
        (0.3, timed(0.1, throttled=1), Outcome.INCOMPLETE),
        (0.3, timed(0.1, withheld=1), Outcome.INCOMPLETE),
        (0.05, timed(0.1, withheld=1), Outcome.SLOWER),
    ],
)
def test_a_claim_holds_only_at_the_rate_that_was_asked_for(
    limit: float, times: Times, outcome: Outcome
) -> None:
    """What is slower in spite of a lower rate is slower."""
    found = claims.decided({READ: limit}, {READ: times})

    assert claims.outcome(found, {READ: times}) is outcome


def test_an_operation_that_serves_nothing_has_not_been_measured() -> None:
    """One that serves something has response times, and no claim about them."""
    assert claims.outcome([], {READ: timed(failed=3)}) is Outcome.INCOMPLETE
    assert claims.outcome([], {READ: timed(0.1, failed=3)}) is Outcome.MEASURED


def test_a_claim_about_something_that_was_not_measured_is_open() -> None:
    """Without any claim a measurement says nothing but its times."""
    (claim,) = claims.decided({"video_get": 1.0}, {READ: timed(0.1)})

    assert (claim.measured, claim.outcome) == (None, Outcome.INCOMPLETE)
    assert claims.outcome([claim], {READ: timed(0.1)}) is Outcome.INCOMPLETE
    assert claims.outcome([], {READ: timed(0.1)}) is Outcome.MEASURED
