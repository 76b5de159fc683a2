"""Approvals by tool of reviews outside the caller's grant (Authentication)."""

from conformance.contract.openapi import Operation
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.outside import likely_revisions
from conformance.suite.approval.tool_calls import arguments_of_approval
from conformance.suite.tools.results import ToolResult, check_rejected
from conformance.suite.tools.toolbox import Toolbox

MOST_TRIED = 12


def check_out_of_reach(
    review: str, operation: Operation, toolbox: Toolbox, approvals: Approvals
) -> None:
    """Violation where the tool approves a review outside the grant of primary.

    Its revision may be unknown: some are tried, unless the review is rejected as one that does not
    exist.
    """
    live = toolbox.live
    absent = _approved(live.made_up("absent by tool"), 1, operation, toolbox, approvals)
    for revision in likely_revisions(review, live, approvals)[:MOST_TRIED]:
        result = _approved(review, revision, operation, toolbox, approvals)
        if result.outcome == absent.outcome:
            return


def _approved(
    id: str, revision: int, operation: Operation, toolbox: Toolbox, approvals: Approvals
) -> ToolResult:
    """The result of an approval by tool, which has to be a rejection."""
    key = approvals.key(id, f"outside at {revision} by tool")
    approvals.record(id, revision, key)
    arguments = arguments_of_approval(id, revision, key)
    result = toolbox.call_as_primary(operation, arguments, "approve by tool outside the grant")
    check_rejected(result)
    return result
