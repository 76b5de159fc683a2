"""Whether what a caller received is the outcome of its cell."""

from typing import Any

from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.rules.records import record_key
from conformance.rules.tool_result import ToolResult
from conformance.suite.access.label import label
from conformance.suite.access.rule import (
    REJECTED_BY_CREDENTIAL,
    SINGLE_DEFECT,
    Cell,
    Outcome,
    outcome,
)
from conformance.suite.callers import expect
from conformance.suite.callers.disclosure import check_undisclosed
from conformance.suite.callers.places import in_item
from conformance.suite.lists.calls import forbidden
from conformance.suite.lists.live import Live
from conformance.suite.tools.interfaces import Received
from conformance.suite.tools.results import check_rejected, check_shown_nothing

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
        _check_page(cell, received, live)
    elif cell.form == "cursor" and received.is_served and cell.record != "own":
        raise NotApplicable("the cursor of one record, beside another record")
    elif received.result is not None:
        _check_rejected_by_tool(expected, received.result)
    elif received.exchange.status == CONFLICT and received.exchange.is_repeated:
        raise NotApplicable("a transient error may have spent the key of the approval")
    elif _is_exact(cell, live):
        forbidden(received.exchange, live, *expected.value)
    elif received.exchange.status == FAILURE:
        raise NotApplicable("the request fails, which the rule on server errors reports")
    else:
        expect.rejected(received.exchange)
        check_undisclosed(received.exchange)


def _check_rejected_by_tool(expected: Outcome, result: ToolResult) -> None:
    if expected in REJECTED_BY_CREDENTIAL:
        check_shown_nothing(result)
    else:
        check_rejected(result)


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


def _check_page(cell: Cell, received: Received, live: Live) -> None:
    """Violation where a page shows a record from outside the grant of the caller."""
    others = [item for item in received.items if _is_of_others(item, cell, live)]
    otherwise = defect(
        Kind.FOREIGN,
        "{cell}: the page shows a record of others",
        expected="records within the grant of the caller",
        actual=others[0].get("id") if others else None,
        cell=label(cell),
    ).on("id")
    if others and received.result is None:
        otherwise = otherwise.at(*(in_item(received.exchange, each, "id") for each in others))
    expect.that(not others, otherwise, received.exchange)


def _is_of_others(item: dict[str, Any], cell: Cell, live: Live) -> bool:
    if cell.caller == "outsider":
        return record_key(item) in set(live.listing(cell.operation).ids)
    return live.is_outside(item, cell.operation)
