"""Idempotency keys of approvals: the effect of a key that was used."""

from collections.abc import Iterator

from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.http.sending import Sending
from conformance.rules.attempt import is_same_result
from conformance.rules.judgement import shown
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED, STALE, conflict
from conformance.suite.approval.key_transfer import Transfer, transfers
from conformance.suite.approval.plan import FORBIDDEN
from conformance.suite.approval.result import check_is_of, check_replay
from conformance.suite.approval.review import in_former_state, record_of, shown_revision
from conformance.suite.approval.trial import Trial, check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.target.target import Credential

REPLAYS = 3
READS = 2
OTHER_REVISIONS = ("one revision ahead", "one revision behind", "revision zero")
"""The stale revisions that a used key is sent with: zero may be taken for none."""
FRESH = 3
"""Further replays, each the first request on its connection: it may reach another instance."""


@requirement("approval/replay")
def test_a_replay_repeats_the_result(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """The same key with the same body returns 200 and the same result, also after conflicts."""
    trial = trials.approved(scheme)
    before = _reads_of(trial, approvals)
    for number in range(REPLAYS + FRESH):
        if number == 1:
            other = approvals.call(trial.review.id, trial.review.revision + 1, trial.key)
            purpose = "the key with another revision, between the replays"
            live.callers.send(other, scheme=scheme, purpose=purpose)
        if number < REPLAYS:
            replay = _replay(trial, approvals, "the same approval again")
        else:
            replay = _replay_apart(trial, live, approvals)
        approvals.reader.require_found(replay, trial.after)
        expect.status(replay, 200, before=trial.approval)
        check_replay(replay, trial.approval)
    after = _check_still_approved(trial, approvals, before, replay)
    _check_made_once(trial, after, approvals)


def _replay(trial: Trial, approvals: Approvals, purpose: str) -> Exchange:
    return approvals.approve(trial.review, trial.key, scheme=trial.scheme, purpose=purpose)


def _replay_apart(trial: Trial, live: Live, approvals: Approvals) -> Exchange:
    """A replay on a connection of its own."""
    call = approvals.call(trial.review.id, trial.review.revision, trial.key)
    approvals.record(trial.review.id, trial.review.revision, trial.key)
    primary = live.callers.credential("primary")
    purpose = "the same approval again, on a fresh connection"
    return live.session.client.send(call, Sending(primary, trial.scheme, purpose, fresh=True))


def _reads_of(trial: Trial, approvals: Approvals) -> list[Exchange]:
    """Two reads of the review at once, since two processes may take turns."""
    return approvals.reader.read_each([(trial.review.id, None)] * READS)


def _check_still_approved(
    trial: Trial, approvals: Approvals, before: list[Exchange], *by: Exchange
) -> Exchange:
    """A read of the review. Raises Violation where it showed the approval, and no longer does.

    `before` are reads from before the requests that may have changed it, which `by` shows.
    """
    after = approvals.reader.read_approved(trial.review)
    approvals.reader.require_found(after, trial.after)
    expect.served(after)
    otherwise = defect(
        Kind.EFFECT,
        "the review is no longer approved",
        expected="approved",
        actual=record_of(after).get("status"),
    )
    was_former = any(in_former_state(trial.review, each) for each in (trial.after, *before))
    is_kept = was_former or not in_former_state(trial.review, after)
    expect.that(is_kept, otherwise.on("status").at(in_data(after, "status")), *by, after)
    return after


def _check_made_once(trial: Trial, after: Exchange, approvals: Approvals) -> None:
    """Raise Violation where the revision changes with each replay, and stays between them.

    Others may revise the subject too, with every few requests: so there are more and more reads
    before each replay.
    """
    if shown_revision(after) == shown_revision(trial.after):
        return
    for number in range(REPLAYS):
        reads = [approvals.reader.read(trial.review.id) for _ in range(2 + 3 * number)]
        replay = _replay(trial, approvals, "the same approval once more")
        again = approvals.reader.read(trial.review.id)
        revisions = [shown_revision(read) for read in reads]
        stayed = all(revision == revisions[0] for revision in revisions)
        if not stayed or shown_revision(again) == revisions[0]:
            return
    otherwise = defect(
        Kind.EFFECT,
        "a replay changes the review's revision",
        expected="the review stays as it was",
    )
    where = in_data(again, "subjectRevision")
    expect.violated(otherwise.on("subjectRevision").at(where), reads[-1], replay, again)


@requirement("approval/guarded-replay")
def test_a_replay_is_guarded_like_the_approval(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A caller whose approval was rejected does not get the result of another one's either."""
    trial = trials.approved(trials.first().scheme)
    call = approvals.call(trial.review.id, trial.review.revision, trial.key)
    callers = list(_rejected_callers(live, trials))
    if not callers:
        raise Inconclusive(
            "every caller may approve", needs=tuple(f"credentials.{name}" for name in FORBIDDEN)
        )
    sendings = [
        Sending(credential, scheme, f"replay as {credential.name if credential else 'nobody'}")
        for credential, scheme in callers
    ]
    for response in live.callers.send_each([(call, sending) for sending in sendings]):
        expect.rejected(response, before=trial.approval)


def _rejected_callers(live: Live, trials: Trials) -> Iterator[tuple[Credential | None, str | None]]:
    """No credential, and callers who may not approve, if their own approval was rejected.

    Where it was not, another check reports that.
    """
    callers: list[tuple[str, Credential | None, str | None]] = [("missing", None, None)]
    for name, known in live.session.target.credentials.items():
        if name in FORBIDDEN:
            callers += [(f"{name} by {scheme}", known, scheme) for scheme in known.schemes]
    attempts = trials.first().attempts
    for label, credential, scheme in callers:
        status = attempts[label].response.status if label in attempts else None
        if status is not None and 400 <= status < 500:
            yield credential, scheme


@requirement("approval/key-other-revision")
def test_a_key_with_another_revision_is_a_conflict(
    scheme: str, approvals: Approvals, live: Live, trials: Trials
) -> None:
    """A used key with another revision returns 409, and the review stays approved."""
    trial = trials.approved(scheme)
    primary = live.callers.credential_with("primary", scheme)
    sending = Sending(primary, scheme, "the key with another revision")
    revisions = [STALE[label](trial.review.revision) for label in OTHER_REVISIONS]
    calls = [approvals.call(trial.review.id, each, trial.key) for each in revisions]
    before = _reads_of(trial, approvals)
    # One after the other: at once, one of them might meet another one instead of the approval.
    responses = [live.session.client.send(call, sending) for call in calls]
    after = approvals.reader.read(trial.review.id)
    for revision, response in zip(revisions, responses, strict=True):
        approvals.reader.require_found(response, trial.after)
        expect.status(response, *conflict(revision), before=trial.approval)
    if in_former_state(trial.review, after):
        _check_still_approved(trial, approvals, before)


@requirement("approval/key-other-review")
def test_a_key_on_another_review_is_a_conflict_or_an_approval(
    live: Live, approvals: Approvals, trials: Trials
) -> None:
    """A used key on another review returns 409, or 200 where it really approved that review."""
    trials.approved(trials.first().scheme)
    for transfer in transfers(live, approvals, trials):
        expect.status(transfer.response, 200, 409, before=transfer.trial.approval)
        if transfer.response.status == 409:
            check_not_approved(transfer.response, transfer.after)
        else:
            _check_approves_other(transfer)


def _check_approves_other(transfer: Transfer) -> None:
    id = record_of(transfer.response).get("id")
    otherwise = defect(
        Kind.EFFECT,
        "a used key on another review returned 200 without approving that review",
        expected="409, or an approval of the other review",
        actual=id,
        id=shown(id),
    )
    where = (in_data(transfer.response, "id"), in_data(transfer.after, "status"))
    shows = (transfer.trial.approval, transfer.response, transfer.after)
    expect.that(transfer.conforms, otherwise.at(*where), *shows)


@requirement("approval/new-key")
def test_a_new_key_on_an_approved_review_changes_nothing(
    scheme: str, approvals: Approvals, trials: Trials
) -> None:
    """A new key leaves an approved review approved; the first key still returns its result."""
    trial = trials.approved(scheme)
    before = _replay(trial, approvals, "a replay before the new key")
    reads = _reads_of(trial, approvals)
    key = approvals.key(trial.review.id, f"new by {scheme}")
    purpose = "a new key on an approved review"
    response = approvals.approve(trial.review, key, scheme=scheme, purpose=purpose)
    approvals.reader.require_found(response, trial.after)
    expect.status(response, *ON_APPROVED, before=trial.approval)
    check_is_of(trial.review, response)
    _check_still_approved(trial, approvals, reads, response)
    again = _replay(trial, approvals, "a replay after the new key")
    approvals.reader.require_found(again, trial.after)
    expect.clear(again)
    # Where the replay did not work before either, the check of replays reports it.
    worked = before.status == 200 and is_same_result(before.data, trial.approval.data)
    works = again.status == 200 and is_same_result(again.data, before.data)
    otherwise = of_status(
        again,
        "after a new key the first one returned {response}",
        expected="the first result",
        kind=Kind.DIFFERENCE,
    )
    expect.that(works or not worked, otherwise, before, response, again)
