"""Approvals by tool that have to be rejected (States and transitions, Versioning)."""

from collections.abc import Callable

from conformance.contract.openapi import Operation
from conformance.rules.arguments import REJECTIONS
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import is_withheld, revision_or_first
from conformance.suite.approval.tool_calls import arguments_of_approval, check_without_effect
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.tools.results import check_rejected
from conformance.suite.tools.schema import arranged, rejection
from conformance.suite.tools.toolbox import Arguments, Toolbox

MOST_UNAPPROVABLE = 4
GUARDS = ("expectedSubjectRevision", "idempotencyKey")
MISTYPED: tuple[tuple[str, Callable[[int], object]], ...] = (
    # Less than the right one, since a large one has no room for a fraction.
    ("expectedSubjectRevision", lambda revision: revision % 1000 + 0.001),
    ("idempotencyKey", lambda _: 7),
)
"""Arguments of another type, made of the right revision; a number as text may count as a number."""


def check_rejected_by_tool(
    toolbox: Toolbox, operation: Operation, approvals: Approvals, trials: Trials
) -> None:
    """An approval by a role that may not, or with arguments of other types, is rejected."""
    review = approvals.pool.pending()
    key = approvals.key(review.id, "rejected by tool")
    right = arguments_of_approval(review.id, review.revision, key)
    viewer = toolbox.live.session.target.credentials.get("no-review-role")
    if viewer is not None:
        purpose = "approve by tool without the role"
        check_rejected(toolbox.call(operation, right, viewer, purpose=purpose))
    for name, mistyped in MISTYPED:
        arguments = {**right, name: mistyped(review.revision)}
        check_rejected(
            toolbox.call_as_primary(operation, arguments, f"{name} of another type by tool")
        )
    for name in GUARDS:
        null = {**right, name: None}
        if _is_invalid(null, operation, toolbox):  # else null may stand for no argument
            check_rejected(toolbox.call_as_primary(operation, null, f"null for {name} by tool"))
    for name in _required(right, operation, toolbox):
        rest = {other: value for other, value in right.items() if other != name}
        result = toolbox.call_as_primary(operation, rest, f"no {name} by tool")
        if not result.is_rejected and name in GUARDS:
            approvals.record(review.id, review.revision, key)
            approvals.pool.spend(review)
            if _is_optional_over_http(name, toolbox, approvals):
                return
        check_rejected(result)
    call = approvals.call(review.id, review.revision, key)
    check_without_effect(call, operation, approvals, trials)


def _is_optional_over_http(name: str, toolbox: Toolbox, approvals: Approvals) -> bool:
    """Whether an approval over HTTP, of another review, may omit a property of the body.

    Where it may, a tool that states the property and does not insist on it omits no guard.
    """
    review = approvals.pool.take()
    key = approvals.key(review.id, f"no {name} over HTTP")
    right = arguments_of_approval(review.id, review.revision, key)
    rest = {other: right[other] for other in GUARDS if other != name}
    approvals.record(review.id, review.revision, key)
    call = approvals.call(review.id, review.revision, key).carrying(rest)
    purpose = f"no {name} over HTTP"
    response = toolbox.live.callers.send(call, scheme=toolbox.scheme, purpose=purpose)
    return response.status not in REJECTIONS


def _required(right: Arguments, operation: Operation, toolbox: Toolbox) -> list[str]:
    """The arguments without which a call is invalid: the id, and what the tool says it requires.

    Which properties of the body are required is not specified.
    """
    always = {parameter.name for parameter in operation.parameters}
    without = {
        name: {other: value for other, value in right.items() if other != name} for name in right
    }
    return [
        name
        for name, rest in without.items()
        if name in always or _is_invalid(rest, operation, toolbox)
    ]


def _is_invalid(arguments: Arguments, operation: Operation, toolbox: Toolbox) -> bool:
    """Whether the tool says that it rejects these arguments."""
    stated = toolbox.tool(operation).get("inputSchema")
    schema = stated if isinstance(stated, dict) else {}
    return rejection(arranged(arguments, schema), schema) is not None


def check_unapprovable_by_tool(
    toolbox: Toolbox, operation: Operation, approvals: Approvals, trials: Trials
) -> None:
    """A review that cannot be approved is not approved by tool, whether the key is new or used."""
    for id in toolbox.live.session.target.fixtures.unapprovable_reviews[:MOST_UNAPPROVABLE]:
        read = approvals.reader.read(id)
        if not is_withheld(read):
            continue
        key = approvals.key(id, "rejected by tool")
        arguments = arguments_of_approval(id, revision_or_first(read), key)
        purpose = "approve by tool a review that cannot be approved"
        new = toolbox.call_as_primary(operation, arguments, purpose)
        check_rejected(new)
        trial = trials.by(toolbox.scheme)
        used = arguments_of_approval(id, trial.review.revision, trial.key)
        purpose = "a used key for a review that cannot be approved, by tool"
        check_rejected(toolbox.call_as_primary(operation, used, purpose))
        check_not_approved(new.exchange, approvals.reader.read(id))
