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
    malformed = {
        f"{name} of another type by tool": {**right, name: mistyped(review.revision)}
        for name, mistyped in MISTYPED
    }
    nulls = {f"null for {name} by tool": {**right, name: None} for name in GUARDS}
    # Where null is valid, it may stand for no argument.
    malformed |= {
        purpose: null for purpose, null in nulls.items() if _is_invalid(null, operation, toolbox)
    }
    for result in toolbox.call_all_as_primary(operation, malformed):
        check_rejected(result)
    required = _required(right, operation, toolbox)
    lacking = {f"no {name} by tool": _without(name, right) for name in required}
    results = toolbox.call_all_as_primary(operation, lacking)
    for name, result in zip(required, results, strict=True):
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
    return [
        name
        for name in right
        if name in always or _is_invalid(_without(name, right), operation, toolbox)
    ]


def _without(name: str, arguments: Arguments) -> dict[str, object]:
    return {other: value for other, value in arguments.items() if other != name}


def _is_invalid(arguments: Arguments, operation: Operation, toolbox: Toolbox) -> bool:
    """Whether the tool says that it rejects these arguments."""
    stated = toolbox.tool(operation).get("inputSchema")
    schema = stated if isinstance(stated, dict) else {}
    return rejection(arranged(arguments, schema), schema) is not None


def check_unapprovable_by_tool(
    toolbox: Toolbox, operation: Operation, approvals: Approvals, trials: Trials
) -> None:
    """A review that cannot be approved is not approved by tool, whether the key is new or used."""
    stated = toolbox.live.session.target.fixtures.unapprovable_reviews[:MOST_UNAPPROVABLE]
    reads = approvals.reader.read_each([(id, None) for id in stated])
    revisions = {
        id: revision_or_first(read)
        for id, read in zip(stated, reads, strict=True)
        if is_withheld(read)
    }
    if not revisions:
        return
    trial = trials.by(toolbox.scheme)
    of_trial = (trial.review.revision, trial.key)
    new = {id: (right, approvals.key(id, "rejected by tool")) for id, right in revisions.items()}
    kinds = {"with a new key": new, "with a used key": dict.fromkeys(revisions, of_trial)}
    calls = {
        f"by tool, review {number} that cannot be approved, {kind}": arguments_of_approval(
            id, *sent
        )
        for kind, each in kinds.items()
        for number, (id, sent) in enumerate(each.items(), 1)
    }
    results = toolbox.call_all_as_primary(operation, calls)
    for result in results:
        check_rejected(result)
    afterwards = approvals.reader.read_each([(id, None) for id in revisions])
    for result, after in zip(results, afterwards, strict=False):
        check_not_approved(result.exchange, after)
