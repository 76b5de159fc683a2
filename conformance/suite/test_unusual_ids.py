"""Approvals by the id of a review in the other case (Resources and their fields, UUID)."""

from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.result import check_not_in_former_state, result_of
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.reading.other_case import properties_that_differ, spelled

UNKNOWN = frozenset({400, 404, 409, 422})
"""The statuses of an id in a case that is unknown, or that makes the request another one."""


@requirement("approval/state")
def test_an_approval_by_an_id_in_the_other_case_takes_effect(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Where the approval takes such an id, the review leaves its former state."""
    scheme = trials.baseline().scheme
    if not approvals.pool.can_spare():
        raise NotApplicable("the reviews are left to other checks")
    review = approvals.pool.take()
    key = approvals.key(review.id, "in the other case")
    approvals.record(review.id, review.revision, key)
    call = spelled(approvals.call(review.id, review.revision, key))
    response = live.callers.send(call, scheme=scheme, purpose="approve by the id in the other case")
    if response.status != 200:  # such an id may be unknown, and another client may revise a review
        approvals.pool.give_back(review)
        raise NotApplicable("the approval was not taken by an id in the other case")
    after = approvals.reader.read_approved(review)
    expect.served(after)
    check_not_in_former_state(review, after, response)


@requirement("approval/replay")
def test_a_replay_by_the_id_in_the_other_case_repeats_the_result(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Where the approval takes such an id, it names the same review, as does the key."""
    trial = trials.approved(trials.first().scheme)
    call = spelled(approvals.call(trial.review.id, trial.review.revision, trial.key))
    purpose = "the same approval by the id in the other case"
    replay = live.callers.send(call, scheme=trial.scheme, purpose=purpose)
    if replay.status in UNKNOWN:
        raise NotApplicable("the approval takes no id in the other case")
    expect.status(replay, 200, before=trial.approval)
    # What only some deployments show, such as a link, may repeat the id as it was spelled.
    first, again = result_of(trial.approval), result_of(replay)
    names = properties_that_differ(first, again, live.operation(call.operation), live)
    otherwise = defect(
        Kind.DIFFERENCE,
        "the replay by the id in the other case returned another result",
        expected=shown(first),
        actual=again,
    )
    expect.that(not names, otherwise.on(*names), trial.approval, replay)
