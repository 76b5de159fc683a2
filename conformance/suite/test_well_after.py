"""Approved reviews, well after their approval and everything else that was tried on them."""

from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, Violation, defect
from conformance.http.exchange import Call
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.review import APPROVED, place
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live


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


@requirement("read/success")
def test_the_comments_of_an_approved_review_are_served(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A review that can be read by its id still has its comments after its approval."""
    try:
        trial = trials.approved(trials.first().scheme)
        comments = live.operation("comment_list")
        live.callers.require_baseline(live.call(comments))
    except Inconclusive as reason:  # other checks of this requirement need no approval
        raise NotApplicable("no review was approved") from reason
    call = Call(comments.id, {"reviewId": trial.review.id})
    response = live.callers.send(call, scheme=trial.scheme, purpose="its comments, well after")
    if response.status == 404 and approvals.reader.read(trial.review.id).status != 200:
        return  # it was deleted
    try:
        expect.served(response)
    except Violation as found:
        raise Violation(found.defect, exchanges=found.exchanges, operation=comments.id) from found
