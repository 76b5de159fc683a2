"""Whether what a caller received is the outcome of its cell."""

from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.rules.access import Outcome, outcome
from conformance.suite.access.label import label
from conformance.suite.access.rule import SINGLE_DEFECT, Cell
from conformance.suite.callers import expect
from conformance.suite.lists.calls import forbidden
from conformance.suite.lists.live import Live
from conformance.suite.tools.interfaces import Received
from conformance.suite.tools.results import check_rejected

CONFLICT, FAILURE = 409, 500
LENIENT = frozenset({"made-up", "near-miss", "no-review-role"})
"""Callers who need not get the status of their outcome.

A made-up credential gives no access; the review may be out of reach for the role that may not.
"""


def check(cell: Cell, received: Received, live: Live) -> None:
    """Violation where a caller received something else than the outcome of its cell."""
    expected = outcome(cell)
    if expected is Outcome.SERVED:
        _check_served(cell, received)
    elif expected is Outcome.NOTHING_OF_OTHERS:
        return  # a rule judges what a page shows
    elif cell.form == "cursor" and received.is_served and cell.record != "own":
        raise NotApplicable("the cursor of one record, beside another record")
    elif received.result is not None:
        check_rejected(received.result)
    elif received.exchange.status == CONFLICT and received.exchange.is_repeated:
        raise NotApplicable("a transient error may have spent the key of the approval")
    elif _is_exact(cell, live):
        forbidden(received.exchange, live, *expected.value)
    elif received.exchange.status == FAILURE:
        raise NotApplicable("the request fails, which the rule on server errors reports")
    else:
        expect.rejected(received.exchange)


def _is_exact(cell: Cell, live: Live) -> bool:
    """Whether nothing but the caller or the record can be wrong with the request of a cell."""
    is_guess = live.operation(cell.operation).writes and cell.record != "own"
    return cell.form in SINGLE_DEFECT and cell.caller not in LENIENT and not is_guess


def _check_served(cell: Cell, received: Received) -> None:
    if received.result is None:
        expect.clear(received.exchange)
    otherwise = defect(
        Kind.STATUS,
        "{cell}: {response}",
        expected="what primary gets",
        actual=received.describe(),
        cell=label(cell),
        response=received.describe(),
        allowed=[200] if received.result is None else [],
    ).at(received.where)
    expect.that(received.is_served, otherwise, received.exchange)
