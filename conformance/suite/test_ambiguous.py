"""Requests that two readers may read differently (Endpoints, Authentication)."""

from conformance.contract.openapi import Operation
from conformance.suite.access.decorated_requests import DecoratedRequests
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import naming_another
from conformance.suite.approval.plan import AMBIGUOUS, plain_of
from conformance.suite.approval.result import check_replay
from conformance.suite.approval.review import is_approved
from conformance.suite.approval.trial import Attempt, check_not_approved
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
    attempts = trials.first().attempts
    for label, attempt in attempts.items():
        plain = (attempts.get(each) for each in plain_of(label, live.session.api.schemes))
        # Where the plain attempt is made all the same, that is what others report.
        if attempt.kind == AMBIGUOUS and all(each is None or _is_rejected(each) for each in plain):
            expect.rejected(attempt.response)
            check_not_approved(attempt.response, attempt.after)
    _check_other_review(live, approvals, trials)


def _is_rejected(attempt: Attempt) -> bool:
    status = attempt.response.status
    return status is not None and status >= 400 and not is_approved(attempt.after)


def _check_other_review(live: Live, approvals: Approvals, trials: Trials) -> None:
    """Violation where a replay returns another result because its body names another review."""
    trial = trials.approved(trials.first().scheme)
    others = (live.session.target.fixtures.foreign, live.session.target.fixtures.ungranted)
    ids = [group["review"] for group in others if "review" in group]
    right = approvals.call(trial.review.id, trial.review.revision, trial.key)
    plain = live.callers.send(right, scheme=trial.scheme, purpose="a replay")
    for id in ids or [live.made_up("another review")]:
        call = naming_another(right, id)
        purpose = "a replay that names another review in its body"
        replay = live.callers.send(call, scheme=trial.scheme, purpose=purpose)
        if replay.status == plain.status == 200:
            check_replay(replay, plain)
