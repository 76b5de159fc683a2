"""Approved reviews, well after their approval and everything else that was tried on them."""

from conformance.contract.verdict import Kind, defect
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import APPROVED, place
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement


@requirement("approval/state")
def test_the_review_stays_approved(scheme: str, approvals: Approvals, trials: Trials) -> None:
    """No read shows the former state again: one good read proves nothing."""
    trial = trials.approved(scheme)
    former = approvals.reader.unsettled(trial.review)
    former = former or approvals.reader.listed_unsettled(trial.review, scheme)
    status = trial.review.record.get("status")
    otherwise = defect(
        Kind.DIFFERENCE,
        "well after its approval the review shows the status {status} again",
        expected=APPROVED,
        actual=status,
        status=shown(status),
    ).on("status")
    where = (place(read, "status") for read in former[:1])
    expect.that(not former, otherwise.at(*where), trial.approval, *former[:1])
