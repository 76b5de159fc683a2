"""The state after an approval, as the tools show it (States and transitions, Versioning)."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from conformance.contract.verdict import (
    Inconclusive,
    Kind,
    Location,
    NotApplicable,
    Part,
    Violation,
    defect,
)
from conformance.http.exchange import Call, Exchange
from conformance.rules.judgement import shown
from conformance.suite.approval.review import APPROVED, Record, Review
from conformance.suite.approval.settling import Settling, settle
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.tools.comparison import Comparison
from conformance.suite.tools.filters import cursor_of, filters_of
from conformance.suite.tools.page_comparison import PageComparison
from conformance.suite.tools.parity import by_id
from conformance.suite.tools.results import ToolResult
from conformance.suite.tools.toolbox import Arguments, Toolbox

AT_ONCE = 4
"""Results at once without the former state before a change counts as complete."""


@requirement("tools/approval")
def test_the_tools_show_the_state_after_an_approval(toolbox: Toolbox, trials: Trials) -> None:
    """By tool too a review leaves its former state: by its id, in the list and under a filter."""
    trial = trials.baseline(toolbox.scheme)
    _check_left(trial.review, "review_get", {"reviewId": trial.review.id}, toolbox)
    for page in _pages(trial.review, toolbox):
        _check_left(trial.review, "review_list", {**page, "limit": int(page["limit"])}, toolbox)


@requirement("tools/data")
def test_the_tools_show_an_approved_review_as_it_is(toolbox: Toolbox, trials: Trials) -> None:
    """After its approval too, a review is the same by tool as over HTTP.

    By its id, in the list and under a filter.
    """
    try:
        trial = trials.baseline(toolbox.scheme)
        _compare("review_get", Call("review_get", {"reviewId": trial.review.id}), toolbox)
        for page in _pages(trial.review, toolbox):
            _compare("review_list", Call("review_list").asking(**page), toolbox)
    except Inconclusive as reason:  # other checks compare data without an approval
        raise NotApplicable("no approved review can be compared") from reason


def _compare(id: str, call: Call, toolbox: Toolbox) -> None:
    operation = toolbox.live.operation(id)
    toolbox.tool(operation)
    comparison = Comparison(operation, toolbox)
    try:
        if operation.is_list:
            cursor = cursor_of(call, operation, toolbox)
            PageComparison(comparison, cursor).check_pages(call, most=1)
        else:
            comparison.check_data(call)
    except Violation as found:
        raise Violation(found.defect, exchanges=found.exchanges, operation=id) from found


def _pages(review: Review, toolbox: Toolbox) -> list[dict[str, str]]:
    """The arguments of the longest page, and of that of each filter that the review passes."""
    operation = toolbox.live.operation("review_list")
    named = {name: restricted for name, restricted, _ in filters_of(operation, toolbox)}
    own = {name: review.record.get(restricted) for name, restricted in named.items()}
    filtered = [{"limit": "100", name: id} for name, id in own.items() if isinstance(id, str)]
    return [{"limit": "100"}, *filtered]


def _check_left(review: Review, id: str, arguments: Arguments, toolbox: Toolbox) -> None:
    """Violation where a tool repeatedly shows the state that a review had before its approval."""
    operation = toolbox.live.operation(id)
    with suppress(Inconclusive):  # other checks report tools that are not served
        toolbox.tool(operation)
        settling = _settle(
            review,
            lambda number: toolbox.call_all_as_primary(
                operation, {f"the state after the approval, {n}": arguments for n in range(number)}
            ),
            toolbox,
        )
        former = settling.former[-1:]
        status = review.record.get("status")
        otherwise = defect(
            Kind.DIFFERENCE if settling.later else Kind.EFFECT,
            "after its approval the tool shows the review with the status {status}",
            expected=APPROVED,
            actual=status,
            status=shown(status),
        ).on("status")
        where = (Location(Part.BODY, "/result", each.id) for each in former)
        expect.that(settling.is_settled, otherwise.at(*where), *settling.later[-1:], *former)


def _settle(review: Review, call: Callable[[int], list[ToolResult]], toolbox: Toolbox) -> Settling:
    results: dict[str, ToolResult] = {}

    def read(number: int) -> list[Exchange]:
        called = call(number)
        results.update({result.exchange.id: result for result in called})
        return [result.exchange for result in called]

    def shows_former(exchange: Exchange) -> bool:
        return _shows(results[exchange.id].data, review)

    return settle(read, shows_former, toolbox.live.session.transport.wait, AT_ONCE)


def _shows(data: Any, review: Review) -> bool:
    """Whether data of a tool show the former status of a review."""
    record = _record(data, review)
    former = review.record.get("status")
    return former is not None and record.get("status") == former


def _record(data: Any, review: Review) -> Record:
    """The review in data of a tool; empty where they do not show it."""
    if not isinstance(data, dict):
        return {}
    if "items" not in data:
        return data
    # An item without an id may be any review: the specification does not require one.
    items = data["items"] if isinstance(data["items"], list) else []
    return dict(by_id(items).get(review.id.lower(), {}))
