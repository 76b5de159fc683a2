"""Approvals by tool of reviews outside the caller's grant (Authentication)."""

from conformance.contract.openapi import Operation
from conformance.rules.tool_result import ToolResult
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.outside import likely_revisions
from conformance.suite.approval.tool_calls import arguments_of_approval
from conformance.suite.tools.results import check_rejected
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
    nobody = live.made_up("absent by tool")
    absent = _rejection(nobody, 1, approvals.key(nobody, "outside by tool"), operation, toolbox)
    for revision in likely_revisions(review, live, approvals)[:MOST_TRIED]:
        key = approvals.key(review, f"outside at {revision} by tool")
        approvals.record(review, revision, key)
        if _rejection(review, revision, key, operation, toolbox).outcome == absent.outcome:
            return


def _rejection(
    id: str, revision: int, key: str, operation: Operation, toolbox: Toolbox
) -> ToolResult:
    """The result of an approval by tool, which has to be a rejection."""
    arguments = arguments_of_approval(id, revision, key)
    result = toolbox.call_as_primary(operation, arguments, "approve by tool outside the grant")
    check_rejected(result)
    return result
