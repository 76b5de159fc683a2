"""Approvals over HTTP and by tool at once: together they make one approval (Versioning)."""

from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.result import (
    check_not_in_former_state,
    is_same_by_tool,
    several_results,
)
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.tools.interface_race import InterfaceRace, race_interfaces
from conformance.suite.tools.toolbox import Toolbox


@requirement("tools/approval")
def test_both_interfaces_at_once_make_one_approval(
    toolbox: Toolbox, approvals: Approvals, trials: Trials, preconditions: Preconditions
) -> None:
    """With one key, all that succeed return one result over HTTP and by tool."""
    raced = _raced(toolbox, approvals, trials, preconditions)
    for response in raced.over_http:
        expect.status(response, 200, 409)
    results = [
        *((response, response.data) for response in raced.over_http if response.status == 200),
        *((result.exchange, result.data) for result in raced.by_tool if result.is_served),
    ]
    winner, first = results[0]
    for response, result in results:
        is_same = is_same_by_tool(result, first, toolbox.live.session.contract)
        expect.that(is_same, several_results(first, result), winner, response)
    check_not_in_former_state(raced.review, approvals.reader.read_approved(raced.review), winner)


def _raced(
    toolbox: Toolbox, approvals: Approvals, trials: Trials, preconditions: Preconditions
) -> InterfaceRace:
    """A race of one review; Violation where no request succeeds.

    Raises NotApplicable where no race is possible, or where it shows nothing.
    """
    trials.require_consent()
    toolbox.tool(toolbox.live.operation("review_approve"))
    preconditions.check()
    if toolbox.live.session.connections == 1 or not approvals.pool.can_spare():
        raise NotApplicable("the profile allows no race, or has few reviews")
    review = approvals.pool.take()
    raced = race_interfaces(toolbox, approvals, review)
    if raced is None or approvals.reader.revised(review) is not None:
        raise NotApplicable("the race was disturbed by others")
    otherwise = defect(
        Kind.STATUS, "no approval at once succeeded", expected="at least one success"
    )
    expect.that(bool(raced.winners), otherwise, *raced.over_http[:1])
    return raced
