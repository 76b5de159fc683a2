"""Approvals of two accounts: a colleague of primary, who may approve as well (Authentication).

Whether a key belongs to an account or to the service is not specified. So a used key of primary may
be new for the colleague, or be a conflict; it never returns primary's data for another review.
"""

from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.http.exchange import Exchange
from conformance.rules.attempt import is_same_result
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED
from conformance.suite.approval.colleague import (
    approve_as_colleague,
    approved_by_colleague,
    read_after,
    reads,
    taken,
    trial_of_colleague,
)
from conformance.suite.approval.key_transfer import Transfer
from conformance.suite.approval.result import (
    check_is_of,
    check_not_in_former_state,
    check_replay,
)
from conformance.suite.approval.review import in_former_state, keeps_status, record_of
from conformance.suite.approval.trial import Trial, check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live


@requirement("approval/new-key")
def test_a_colleague_leaves_an_approval_as_it_is(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """The colleague's approval of the same review takes nothing from primary.

    With the same key and with a new one: the key still returns primary its result, and the review
    stays approved.
    """
    trial = trials.approved(trials.first().scheme)
    colleague = live.callers.colleague()
    if not reads(trial.review, colleague, live):
        raise NotApplicable("the colleague cannot read the review")
    before = _replay(trial, approvals)
    by = _approved_again(trial, trial.key, live, approvals)
    again = _replay(trial, approvals)
    approvals.reader.require_found(again, trial.after)
    _check_unspoilt(trial, before, again, by)
    _approved_again(trial, approvals.key(trial.review.id, "of the colleague"), live, approvals)


def _approved_again(trial: Trial, key: str, live: Live, approvals: Approvals) -> Exchange:
    """The response to the colleague's approval of an approved review, which stays approved."""
    response = approve_as_colleague(live, approvals, trial.review, key)
    approvals.reader.require_found(response, trial.after)
    expect.status(response, *ON_APPROVED)
    check_is_of(trial.review, response)
    after = approvals.reader.read_approved(trial.review)
    if not in_former_state(trial.review, trial.after):
        check_not_in_former_state(trial.review, after, response)
    return response


@requirement("approval/success")
def test_a_colleague_approves_as_well(live: Live, trials: Trials) -> None:
    """Another account with the permission and the role approves a review with a new key."""
    trial = trial_of_colleague(live, trials)
    expect.served(trial.approval)
    check_not_in_former_state(trial.review, trial.after, trial.approval)


@requirement("approval/state")
def test_what_a_colleague_approves_is_approved_for_primary(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Who is shown a review sees that it is approved, whoever has approved it."""
    trial = approved_by_colleague(live, trials)
    if in_former_state(trial.review, trial.after):
        raise NotApplicable("the approval had no effect, as others report")
    read = approvals.reader.read_approved(trial.review)
    text = "after its approval by a colleague the review still has the status {status}"
    otherwise = keeps_status(record_of(read).get("status"), text, Kind.EFFECT)
    is_right = not in_former_state(trial.review, read)
    expect.that(is_right, otherwise.at(in_data(read, "status")), trial.approval, trial.after, read)


@requirement("approval/replay")
def test_a_colleague_replays_its_own_approval(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """The same key with the same body returns the colleague its own result again."""
    trial = approved_by_colleague(live, trials)
    replay = approve_as_colleague(live, approvals, trial.review, trial.key, trial.scheme)
    approvals.reader.require_found(replay, trial.after)
    expect.status(replay, 200, before=trial.approval)
    check_replay(replay, trial.approval)


@requirement("approval/key-other-review")
def test_a_key_of_another_account_is_a_conflict_or_an_approval(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Primary's key, sent by a colleague for another review, never returns primary's result.

    It is the key of its last scheme: the colleague sends that of the first for primary's review.
    """
    first = trials.approved(trials.first().scheme)
    others = [each for each in trials.all_but(first.scheme) if each.approval.status == 200]
    trial = [first, *others][-1]
    if in_former_state(trial.review, trial.after):
        raise NotApplicable("an approval has no effect, as others report")
    colleague = live.callers.colleague()
    other = taken(colleague, live, approvals)
    purpose = "primary's key for another review, as the colleague"
    approvals.record(other.id, other.revision, trial.key)
    call = approvals.call(other.id, other.revision, trial.key)
    response = live.callers.send(call, colleague, purpose=purpose)
    after = read_after(response, other, live)
    if not approvals.is_spent(other, after):
        approvals.pool.give_back(other)
    if response.status != 409:
        expect.served(response)
    if response.status == 409:
        check_not_approved(response, after)
    otherwise = defect(
        Kind.EFFECT,
        "the key of primary, sent by a colleague for another review, returned 200 without "
        "approving that review",
        expected="409, or an approval of the other review",
    ).at(in_data(response, "id"), in_data(after, "status"))
    expect.that(Transfer(trial, other, response, after).conforms, otherwise, response, after)


def _check_unspoilt(trial: Trial, before: Exchange, again: Exchange, by: Exchange) -> None:
    """Violation where primary's replay worked before the colleague's request, and no longer does.

    Where it did not work before either, the check of replays reports it.
    """
    expect.clear(again)
    if before.status != 200 or not is_same_result(before.data, trial.approval.data):
        return
    otherwise = of_status(
        again,
        "after the colleague used the key too, it returned primary {response}",
        expected="the first result",
        kind=Kind.DIFFERENCE,
    )
    is_kept = again.status == 200 and is_same_result(again.data, before.data)
    expect.that(is_kept, otherwise, before, by, again)


def _replay(trial: Trial, approvals: Approvals) -> Exchange:
    purpose = "a replay beside the colleague"
    return approvals.approve(trial.review, trial.key, scheme=trial.scheme, purpose=purpose)
