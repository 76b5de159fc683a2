"""When a change counts as stable: `settle` repeats reads until they agree."""

import pytest

from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules.lag import PAUSES
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
        ([FORMER, LATER] * 40, False, len(PAUSES) + 1),
        ([FORMER] * 40, False, len(PAUSES) + 1),
    ],
)
def test_a_change_settles_with_several_reads_at_once(
    statuses: list[int], is_settled: bool, waits: int
) -> None:
    """Alternating reads never become stable."""
    responses = iter([read(status) for status in statuses])
    waited: list[float] = []

    settling = settle(
        lambda number: [next(responses) for _ in range(number)],
        lambda read: read.status == FORMER,
        waited.append,
        3,
    )

    assert (settling.is_settled, len(waited)) == (is_settled, waits)
    assert {read.status for read in settling.former} <= {FORMER}
    assert {read.status for read in settling.later} <= {LATER}
