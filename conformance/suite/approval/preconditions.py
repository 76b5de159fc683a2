"""The single steps of approving, tried once over HTTP: what goes wrong alone is judged alone, and not again in every mixture of it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import NEXT, ON_APPROVED, STALE, conflict
from conformance.suite.approval.review_pool import Review, is_approved, shows_status
from conformance.suite.approval.trial import Attempt, Trial, is_moved, spread
from conformance.suite.lists.live import Live
from conformance.suite.lists.records import alike


def sound(live: Live, approvals: Approvals) -> None:
    """Inconclusive where a single step goes wrong, since what is made of such steps then tells nothing new."""
    if approvals.flaws is None:
        approvals.flaws = tuple(_flaws(live, approvals))
    if approvals.flaws:
        raise Inconclusive(
            f"alone already goes wrong: {', '.join(approvals.flaws)}",
            needs=("a target whose single approvals are right",),
        )


@dataclass(frozen=True)
class Transfer:
    """A used key that was sent for another review, and that review as it read afterwards."""

    other: Review
    answer: Exchange
    after: Exchange

    @property
    def is_true(self) -> bool:
        """Whether it was refused without effect, or really approved the other review."""
        if self.answer.status != 200:
            return self.answer.status == 409 and not is_approved(self.after)
        data = self.answer.data if isinstance(self.answer.data, dict) else {}
        own = str(data.get("id", self.other.id)).lower() == self.other.id.lower()
        return own and (is_approved(self.after) or not shows_status(self.after))


def transfer(approvals: Approvals, trial: Trial) -> Transfer:
    """Send the key of a trial for another review."""
    # At the same revision the two bodies are equal, and nothing but the path tells the requests apart.
    other = approvals.take(lambda record: record.get("subjectRevision") == trial.review.revision)
    answer = approvals.approve(
        other, trial.key, scheme=trial.scheme, purpose="the key of another review"
    )
    after = approvals.look_approved(other.id) if answer.status == 200 else approvals.look(other.id)
    if not approvals.is_spent(other.id, after):
        approvals.give_back(other)
    return Transfer(other, answer, after)


def transfers(live: Live, approvals: Approvals) -> Iterator[Transfer]:
    """The transfer of the first trial, and that of the other one by its own scheme, where the first has spent nothing."""
    first = transfer(approvals, approvals.first())
    yield first
    with suppress(Inconclusive):  # another review may not be left
        others = [
            approvals.trial(scheme)
            for scheme in live.credential("primary").schemes
            if scheme != approvals.first().scheme
        ]
        yield from (
            transfer(approvals, trial)
            for trial in others
            if trial.approval.status == 200 and first.answer.status == 409
        )


def _flaws(live: Live, approvals: Approvals) -> Iterator[str]:
    trial = approvals.control()
    yield from dict.fromkeys(
        label for label, attempt in _stale(live, approvals) if not _held(label, attempt)
    )
    if moved_by_stale(approvals):
        yield "a stale attempt, which changes the review"
    if (
        len([each for each in (trial, *approvals.trials_but(trial.scheme)) if spread(each)]) > 1
    ):  # one may be somebody else's work
        yield "an approval, which approves another review"
    if (
        not approvals.show_themselves()
    ):  # once there is a trial by each scheme, of reviews of two kinds
        yield "reading what was approved"
    others = [trial.review.revision + difference for difference in (1, -1)]
    calls = [approvals.call(trial.review.id, revision, trial.key) for revision in others]
    answers = [live.send(call, scheme=trial.scheme, purpose="its key, alone") for call in calls]
    if any(
        answer.status not in conflict(revision)
        for revision, answer in zip(others, answers, strict=True)
    ):
        yield "a used key with another revision"
    before = approvals.look(trial.review.id)  # what one new key undoes another may do again
    new = approvals.approve(
        trial.review,
        approvals.key(trial.review.id, "alone"),
        scheme=trial.scheme,
        purpose="a new key, alone",
    )
    undone = [
        read
        for read in (before, approvals.look(trial.review.id))
        if shows_status(read) and not is_approved(read)
    ]
    if new.status not in ON_APPROVED or (approvals.show_themselves() and undone):
        yield "a new key on an approved review"
    if not all(tried.is_true for tried in transfers(live, approvals)):
        yield "a used key with another review"
    again = approvals.approve(
        trial.review, trial.key, scheme=trial.scheme, purpose="a replay, alone"
    )
    if again.status != 200 or (
        again.data is not MISSING and not alike(again.data, trial.approval.data)
    ):
        yield "a replay"


def moved_by_stale(approvals: Approvals) -> list[Exchange]:
    """Readings of reviews that stale attempts have moved; one may be somebody else's work, and those that never rest move by themselves."""
    found = [attempt.after for attempt in approvals.stale() if is_moved(attempt)]
    return [] if len(found) < 2 or approvals.is_restless(2 * len(approvals.stale())) else found


def _stale(live: Live, approvals: Approvals) -> Iterator[tuple[str, Attempt]]:
    for scheme in live.credential("primary").schemes:
        for label in NEXT:
            yield from (
                (label, attempt) for attempt in approvals.refusals(f"{label} by {scheme}", scheme)
            )


def _held(label: str, attempt: Attempt) -> bool:
    """Whether a stale attempt was refused as such, and without effect."""
    assert attempt.before is not None
    return attempt.answer.status in conflict(
        STALE[label](attempt.before.revision)
    ) and not is_approved(attempt.after)
