"""The state after an approval, as the tools show it (States and transitions, Versioning)."""

from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.http.exchange import Call, Exchange
from conformance.rules.answer import TOOL
from conformance.runner.scheduling import Stage
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.former_ways import require_left
from conformance.suite.approval.kept_cursors import is_repeatable
from conformance.suite.approval.review import Review, in_former_state
from conformance.suite.approval.trials import Trials
from conformance.suite.callers.requirement import requirement
from conformance.suite.disagreements import require_agreement
from conformance.suite.tools.comparison import Comparison
from conformance.suite.tools.filters import cursor_of, filters_of
from conformance.suite.tools.former_state import Asked, check_left
from conformance.suite.tools.page_comparison import PageComparison
from conformance.suite.tools.results import by_id
from conformance.suite.tools.toolbox import Toolbox, arguments_of

READS = 3
"""Reads over HTTP that show a former state, before it is that of the review itself."""


@requirement("tools/approval")
def test_the_tools_show_the_state_after_an_approval(
    toolbox: Toolbox, approvals: Approvals, trials: Trials
) -> None:
    """By tool too a review leaves its former state: by its id, in the list and under a filter."""
    trial = trials.baseline(toolbox.scheme)
    reads = (approvals.reader.read(trial.review.id) for _ in range(READS))
    if all(in_former_state(trial.review, read) for read in reads):
        raise NotApplicable("over HTTP, the review is no longer approved")
    check_left(trial.review, Asked("review_get", {"reviewId": trial.review.id}), toolbox)
    for page in _pages(trial.review, toolbox):
        asked = Asked("review_list", {**page, "limit": int(page["limit"])})
        check_left(trial.review, asked, toolbox)


@requirement("tools/approval", stage=Stage.LOOKS_BACK)
def test_no_earlier_call_shows_the_former_state(toolbox: Toolbox, trials: Trials) -> None:
    """Whatever read of a review this run has called a tool for before its approval."""
    trials.baseline(toolbox.scheme)
    require_left(toolbox.live.session, TOOL)


@requirement("tools/data")
def test_the_tools_show_an_approved_review_as_it_is(toolbox: Toolbox, trials: Trials) -> None:
    """After its approval too, a review is the same by tool as over HTTP.

    By its id, in the list, under a filter, and behind a cursor from before, where the tool accepts
    one that was issued over HTTP.
    """
    try:
        trial = trials.baseline(toolbox.scheme)
        _compare("review_get", Call("review_get", {"reviewId": trial.review.id}), toolbox)
        for page in _pages(trial.review, toolbox):
            _compare("review_list", Call("review_list").asking(**page), toolbox)
        for kept in trial.kept:
            _compare_behind(kept, toolbox)
    except Inconclusive as reason:  # other checks compare data without an approval
        raise NotApplicable("no approved review can be compared") from reason


def _compare(id: str, call: Call, toolbox: Toolbox) -> None:
    operation = toolbox.live.operation(id)
    toolbox.tool(operation)
    comparison = Comparison(operation, toolbox)
    try:
        if operation.is_list:
            cursor = cursor_of(call, operation, toolbox)
            pairs = PageComparison(comparison, cursor).check_pages(call, most=1)
        else:
            pairs = list(filter(None, [comparison.pair(call)]))
        for pair in pairs:
            # What the run has approved is left out by the rule on all that it has seen.
            records = by_id(pair.by_tool.items or [pair.by_tool.data])
            for id in sorted(records.keys() & toolbox.live.session.approved):
                require_agreement(
                    pair.over_http.exchange, pair.by_tool.exchange, id, toolbox.live.session
                )
    except Violation as found:
        raise Violation(found.defect, exchanges=found.exchanges, operation=operation.id) from found


def _compare_behind(page: Exchange, toolbox: Toolbox) -> None:
    """Compare what is behind a review, by its cursor from before the approval.

    The cursor is one of HTTP. The tool may not know it; and where it lists in another order, other
    records follow.
    """
    if not is_repeatable(page, toolbox.live):
        return
    operation = toolbox.live.operation("review_list")
    name = str(toolbox.live.session.name(operation, "cursor"))
    call = page.call.asking(**{name: page.cursor})
    if not toolbox.call_as_primary(operation, arguments_of(call), "a cursor from before").is_served:
        return
    try:
        _compare("review_list", call, toolbox)
    except Violation:
        if _are_in_one_order(page.call, Comparison(operation, toolbox)):
            raise


def _are_in_one_order(call: Call, comparison: Comparison) -> bool:
    """Whether both interfaces show the same records of a page in the same order."""
    pair = comparison.pair(call)
    return pair is not None and [*by_id(pair.over_http.items)] == [*by_id(pair.by_tool.items)]


def _pages(review: Review, toolbox: Toolbox) -> list[dict[str, str]]:
    """The arguments of the longest page, and of that of each filter that the review passes."""
    operation = toolbox.live.operation("review_list")
    named = {name: restricted for name, restricted, _ in filters_of(operation, toolbox)}
    own = {name: review.record.get(restricted) for name, restricted in named.items()}
    filtered = [{"limit": "100", name: id} for name, id in own.items() if isinstance(id, str)]
    return [{"limit": "100"}, *filtered]
