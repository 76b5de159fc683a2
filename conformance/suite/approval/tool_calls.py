"""Approvals by tool: the arguments of a call, and what a rejected one must not do."""

from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import is_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data


def arguments_of_approval(review: str, revision: object, key: str) -> dict[str, Any]:
    """The arguments of an approval by tool."""
    return {"reviewId": review, "expectedSubjectRevision": revision, "idempotencyKey": key}


def check_without_effect(
    call: Call, operation: Operation, approvals: Approvals, trials: Trials
) -> None:
    """Raise Violation where a rejected call approved its review.

    Calls that read have no effect to look for, nor have those of a review that was approved before.
    """
    if not operation.writes or call.path["reviewId"] == trials.first().review.id:
        return
    after = approvals.reader.read(call.path["reviewId"])
    otherwise = defect(
        Kind.EFFECT,
        "a call that was rejected approved the review",
        expected="the review stays as it was",
    )
    expect.that(not is_approved(after), otherwise.at(in_data(after, "status")).on("status"), after)
