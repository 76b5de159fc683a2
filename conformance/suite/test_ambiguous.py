"""Requests that two readers may read differently (Endpoints, Authentication)."""

from conformance.contract.openapi import Operation
from conformance.suite.access.decorated_requests import DecoratedRequests
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import naming_another
from conformance.suite.approval.plan import AMBIGUOUS
from conformance.suite.approval.result import check_replay
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live


@requirement("arguments/ambiguous")
def test_an_ambiguous_request_opens_nothing(
    operation: Operation, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """It is rejected, or shows what the caller may see and has asked for, however it is read."""
    if not operation.writes:
        DecoratedRequests(operation, live).check()
        return
    trials.baseline()
    for attempt in trials.of_kind(AMBIGUOUS):
        expect.rejected(attempt.response)
        check_not_approved(attempt.response, attempt.after)
    _check_other_review(live, approvals, trials)


def _check_other_review(live: Live, approvals: Approvals, trials: Trials) -> None:
    """Violation where a replay returns another result because its body names another review."""
    trial = trials.approved(trials.first().scheme)
    others = (live.session.target.fixtures.foreign, live.session.target.fixtures.ungranted)
    ids = [group["review"] for group in others if "review" in group]
    right = approvals.call(trial.review.id, trial.review.revision, trial.key)
    for id in ids or [live.made_up("another review")]:
        call = naming_another(right, id)
        purpose = "a replay that names another review in its body"
        replay = live.callers.send(call, scheme=trial.scheme, purpose=purpose)
        if replay.status == 200:
            check_replay(replay, trial.approval)
