"""Approvals of one review over HTTP and by tool in the same moment."""

from dataclasses import dataclass, replace

from conformance.http.exchange import Exchange
from conformance.http.json_rpc import response_to
from conformance.http.retry import is_transient, is_unavailable
from conformance.http.sending import Sending
from conformance.rules.tool_result import ToolResult
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import Review
from conformance.suite.approval.tool_calls import arguments_of_approval
from conformance.suite.tools.results import tool_result
from conformance.suite.tools.toolbox import Toolbox

OF_EACH = 4
"""Requests over HTTP, and as many tool calls."""
PURPOSE = "approvals over HTTP and by tool at once"


@dataclass(frozen=True)
class InterfaceRace:
    """The review, and the responses of both interfaces."""

    review: Review
    over_http: tuple[Exchange, ...]
    by_tool: tuple[ToolResult, ...]

    @property
    def winners(self) -> list[Exchange]:
        """The responses that succeeded."""
        served = [result.exchange for result in self.by_tool if result.is_served]
        return [*(each for each in self.over_http if each.status == 200), *served]


def race_interfaces(toolbox: Toolbox, approvals: Approvals, review: Review) -> InterfaceRace | None:
    """Approve a review at once, with one key.

    None where a response is not the target's own, or is no response to its request.
    """
    primary = toolbox.live.callers.credential("primary")
    key = approvals.key(review.id, "one key for both")
    approvals.record(review.id, review.revision, key)
    calls = [approvals.call(review.id, review.revision, key)] * OF_EACH
    sending = Sending(primary, toolbox.scheme, PURPOSE, patient=False)
    operation = toolbox.live.operation("review_approve")
    arguments = arguments_of_approval(review.id, review.revision, key)
    requests = [toolbox.request_beside(operation, arguments, PURPOSE) for _ in range(OF_EACH)]
    sendings = [*[sending] * OF_EACH, *(replace(each, patient=False) for _, each, _ in requests)]
    exchanges = toolbox.live.session.client.send_all(
        [*calls, *(call for call, _, _ in requests)], sendings, together=True
    )
    toolbox.live.session.approved.add(review.id.lower())
    numbered = list(zip(exchanges[OF_EACH:], (number for _, _, number in requests), strict=True))
    is_spoilt = any(is_transient(each) or is_unavailable(each) for each in exchanges)
    if is_spoilt or not all(response_to(*each) for each in numbered):
        return None
    by_tool = tuple(tool_result(*each) for each in numbered)
    return InterfaceRace(review, tuple(exchanges[:OF_EACH]), by_tool)
