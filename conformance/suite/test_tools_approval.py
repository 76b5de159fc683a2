"""Approval by tool: one with the approval over HTTP, guarded and idempotent like it (What the service does, Versioning)."""

from collections.abc import Callable
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import MISSING, Call
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import sound
from conformance.suite.approval.review_pool import (
    Review,
    is_approved,
    revision_to_refuse,
    shows_status,
)
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.tools.answers import Answer, refused, served
from conformance.suite.tools.parity import differ
from conformance.suite.tools.toolbox import Toolbox

MISTYPED: tuple[tuple[str, Callable[[int], object]], ...] = (
    # Less than the right one, since a large one has no room for a fraction.
    ("expectedSubjectRevision", lambda revision: revision % 1000 + 0.5),
    ("idempotencyKey", lambda _: 7),
)
"""Members of an approval with values of another type, made of the right revision; a number as text may be read as that number."""


@requirement("tools/approval")
def test_an_approval_is_one_over_both_faces(toolbox: Toolbox, approvals: Approvals) -> None:
    """Stale revisions are refused, an approval by tool is an approval, and either face replays the other's."""
    approvals.consent()
    operation = toolbox.live.operation("review_approve")
    toolbox.tool(operation)
    sound(toolbox.live, approvals)
    _replays_by_tool(toolbox, approvals, operation)
    _refusals_by_tool(toolbox, approvals, operation)
    review = approvals.take()
    key = approvals.key(review.id, "by tool")
    for wrong in (review.revision + 1, review.revision - 1):
        stale = approval(review.id, wrong, approvals.key(review.id, f"revision {wrong} by tool"))
        refused(toolbox.as_primary(operation, stale, f"revision {wrong} by tool"))
    untouched(approvals.call(review.id, review.revision, key), approvals, operation)

    review, key, first = _approved_by_tool(toolbox, approvals, operation, review)
    data = served(first)

    after = approvals.look_approved(review.id)
    kept = is_approved(after) or not shows_status(after)
    expect.that(
        kept,
        defect(
            Kind.UNSORTED, "the review is not approved after its tool said so", expected="approved"
        ),
        first.exchange,
        after,
    )
    again = approvals.approve(
        review, key, scheme=toolbox.scheme, purpose="replay over HTTP what was approved by tool"
    )
    expect.status(again, 200)
    kept = again.data is MISSING or not differ(again.data, data, toolbox.live.session.contract)
    expect.that(
        kept,
        defect(Kind.UNSORTED, f"the replay says {again.data}", expected=str(data)),
        first.exchange,
        again,
    )
    for difference in (1, -1):
        other = approval(review.id, review.revision + difference, key)
        refused(toolbox.as_primary(operation, other, "the key with another revision"))


def _approved_by_tool(
    toolbox: Toolbox, approvals: Approvals, operation: Operation, review: Review
) -> tuple[Review, str, Answer]:
    """The answer to an approval by tool, with its review and key: once more where somebody else has changed the subject meanwhile."""
    for label in ("by tool", "by tool, at another revision"):
        key = approvals.key(review.id, label)
        approvals.note(review, key)
        answer = toolbox.served_to_primary(
            operation, approval(review.id, review.revision, key), "approve by tool"
        )
        latest = approvals.moved(review) if answer.refused else None
        if latest is None:
            break
        review = latest
    return review, key, answer


def _replays_by_tool(toolbox: Toolbox, approvals: Approvals, operation: Operation) -> None:
    trial = approvals.trial(toolbox.scheme)
    replay = approval(trial.review.id, trial.review.revision, trial.key)
    again = toolbox.served_to_primary(
        operation, replay, "replay by tool what was approved over HTTP"
    )
    told = f"the replay says {again.data}"
    first = trial.approval.data
    kept = first is MISSING or not differ(first, served(again), toolbox.live.session.contract)
    expect.that(kept, defect(Kind.UNSORTED, told, expected=str(first)), again.exchange)


def _refusals_by_tool(toolbox: Toolbox, approvals: Approvals, operation: Operation) -> None:
    """What HTTP refuses is refused by tool: a role that may not, a fraction for a revision, a review that cannot be approved."""
    live, review = toolbox.live, approvals.pending()
    key = approvals.key(review.id, "refused by tool")
    viewer = live.session.target.credentials.get("no-review-role")
    if viewer is not None:
        arguments = approval(review.id, review.revision, key)
        refused(
            toolbox.call(operation, arguments, viewer, purpose="approve by tool without the role")
        )
    for name, mistyped in MISTYPED:
        arguments = {**approval(review.id, review.revision, key), name: mistyped(review.revision)}
        refused(toolbox.as_primary(operation, arguments, f"{name} {arguments[name]!r} by tool"))
    untouched(approvals.call(review.id, review.revision, key), approvals, operation)
    for id in live.session.target.fixtures.unapprovable_reviews[:1]:
        read = approvals.look(id)
        if (
            isinstance(read.data, dict)
            and read.data.get("approvable") is False
            and not is_approved(read)
        ):
            arguments = approval(id, revision_to_refuse(read), approvals.key(id, "refused by tool"))
            refused(
                toolbox.as_primary(operation, arguments, "approve by tool what cannot be approved")
            )
            trial = approvals.trial(toolbox.scheme)
            used = approval(id, trial.review.revision, trial.key)
            refused(
                toolbox.as_primary(
                    operation,
                    used,
                    "a used key for another review, which cannot be approved, by tool",
                )
            )


def approval(review: str, revision: int, key: str) -> dict[str, Any]:
    """The arguments of an approval by tool."""
    return {"reviewId": review, "expectedSubjectRevision": revision, "idempotencyKey": key}


def untouched(call: Call, approvals: Approvals, operation: Operation) -> None:
    """Violation where a call that was refused approved its review; reading calls touch none, and replays one that is approved already."""
    if operation.writes and call.path["reviewId"] != approvals.first().review.id:
        looked = approvals.look(call.path["reviewId"])
        expect.that(
            not is_approved(looked),
            defect(
                Kind.UNSORTED,
                "a refused caller approved the review",
                expected="the review stays as it was",
            ),
            looked,
        )
