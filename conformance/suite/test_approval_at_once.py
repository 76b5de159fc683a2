"""Approval by many at once: what is made of one review is one approval (States and transitions)."""

from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.http.retry import TRANSIENT
from conformance.suite.approval.approvals import Approvals, sending
from conformance.suite.approval.attempts import ON_APPROVED
from conformance.suite.approval.preconditions import sound
from conformance.suite.approval.review_pool import Review, is_approved, shows_status
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.records import alike
from conformance.suite.test_approval import result_of

AT_ONCE = 8
FEWEST = 2
RACES = 3


@requirement("approval/one-key-at-once")
def test_one_approval_many_times_at_once_is_made_once(live: Live, approvals: Approvals) -> None:
    """All that succeed say the same, one succeeds at least, and a replay afterwards does."""
    sound(live, approvals)
    review, answers = _race(live, approvals, ["one key at once"] * AT_ONCE)
    key = approvals.key(review.id, "one key at once")
    for answer in answers:
        expect.status(answer, 200, 409)
    won = [answer for answer in answers if answer.status == 200]
    expect.that(
        bool(won),
        defect(Kind.UNSORTED, "no attempt succeeded", expected="one 200 at least"),
        *answers[:1],
    )
    first = result_of(won[0])
    for answer in won:
        expect.that(
            alike(result_of(answer), first),
            defect(Kind.UNSORTED, f"results differ: {result_of(answer)}", expected=str(first)),
            won[0],
            answer,
        )
    again = approvals.approve(review, key, scheme=won[0].scheme, purpose="a replay afterwards")
    expect.status(again, 200)
    expect.that(
        alike(result_of(again), first),
        defect(Kind.UNSORTED, "the replay says something else", expected=str(first)),
        won[0],
        again,
    )
    _reads_as_approved(approvals, review.id)


@requirement("approval/many-keys-at-once")
def test_many_approvals_at_once_leave_one_state(live: Live, approvals: Approvals) -> None:
    """One succeeds at least; the others conflict, or are answered like one of an approved review."""
    sound(live, approvals)
    review, answers = _race(live, approvals, [f"many keys at once {n}" for n in range(AT_ONCE)])
    for answer in answers:
        expect.status(answer, *ON_APPROVED)
    expect.that(
        any(answer.status == 200 for answer in answers),
        defect(Kind.UNSORTED, "no attempt succeeded", expected="one 200 at least"),
        answers[0],
    )
    _reads_as_approved(approvals, review.id)


def _race(live: Live, approvals: Approvals, labels: list[str]) -> tuple[Review, list[Exchange]]:
    """Approvals of one review in the same moment, a key for each label; of another review where the weather, or others, have spoiled it.

    What was throttled did not take part: where the rate limit is low, the others make a race of their own.
    """
    if live.session.connections == 1:
        raise Inconclusive(
            "the profile allows one request at a time", needs=("limits.connections",)
        )
    for _ in range(RACES):
        review = approvals.take()
        attempts = [
            (review.id, review.revision, approvals.key(review.id, label)) for label in labels
        ]
        raced = _raced(live, approvals, attempts)
        answers = [answer for answer in raced if answer.status != 429]
        spoiled = [
            answer for answer in answers if answer.response is None or answer.status in TRANSIENT
        ]
        outrun = {answer.status for answer in answers} == {409} and approvals.moved(
            review
        ) is not None
        if len(answers) >= FEWEST and not spoiled and not outrun:
            return review, answers
    for answer in spoiled if len(answers) >= FEWEST else raced:
        expect.clear(answer)
    return review, answers


def _raced(
    live: Live, approvals: Approvals, attempts: list[tuple[str, int, str]]
) -> list[Exchange]:
    """Send approvals in the same moment, each on a connection of its own."""
    for id, revision, key in attempts[:1]:
        live.session.observations.append(("ledger", id, {"key": key, "revision": revision}))
    primary, calls = live.credential("primary"), [approvals.call(*attempt) for attempt in attempts]
    sendings = [sending(primary, primary.schemes[0], f"{len(calls)} at once") for _ in calls]
    return live.session.client.send_all(calls, sendings, together=True)


def _reads_as_approved(approvals: Approvals, id: str) -> None:
    after = approvals.look_approved(id)
    expect.that(
        is_approved(after) or not shows_status(after),
        defect(Kind.UNSORTED, "the review is not approved", expected="approved"),
        after,
    )
