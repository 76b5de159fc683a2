"""When a change counts as stable: `settle` repeats reads until they agree."""

from types import SimpleNamespace
from typing import Any

import pytest

from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules.lag import SHARES, Lag
from conformance.suite.approval.settling import settle

FORMER, LATER = 404, 200


def read(status: int) -> Exchange:
    """A read with this status."""
    response = Response(status, ())
    return Exchange("item", 1, Call("review_get"), "", None, None, Request("GET", "", ()), response)


@pytest.mark.parametrize(
    ("statuses", "is_settled", "waits"),
    [
        ([LATER, LATER, LATER], True, 0),
        ([FORMER, FORMER, FORMER, LATER, LATER, LATER], True, 1),
        ([LATER, LATER, FORMER, LATER, LATER, LATER], True, 1),
        ([FORMER, LATER] * 40, False, len(SHARES) + 1),
        ([FORMER] * 40, False, len(SHARES) + 1),
    ],
)
def test_a_change_settles_with_several_reads_at_once(
    statuses: list[int], is_settled: bool, waits: int
) -> None:
    """Alternating reads never become stable."""
    responses = iter([read(status) for status in statuses])
    waited: list[float] = []
    context: Any = SimpleNamespace(lag=Lag(), transport=SimpleNamespace(wait=waited.append))

    settling = settle(
        lambda number: [next(responses) for _ in range(number)],
        lambda read: read.status == FORMER,
        context,
        3,
    )

    assert (settling.is_settled, len(waited)) == (is_settled, waits)
    assert {read.status for read in settling.former} <= {FORMER}
    assert {read.status for read in settling.later} <= {LATER}


@pytest.mark.parametrize("seconds", [0.0, 1.0, 3.0, 5.0, 60.0])
def test_the_last_read_no_longer_lags(seconds: float) -> None:
    """It comes later than a read may lag, and the first one soon."""
    lag = Lag(seconds)
    assert lag.patience == sum(lag.pauses) >= seconds
    assert lag.patience <= 1.5 * seconds
    assert lag.pauses[0] <= seconds / 20
