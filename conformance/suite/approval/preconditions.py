"""The single steps of an approval, each tried once over HTTP.

A defect that shows in a single step is reported once, not again in every sequence that has it.
"""

from collections.abc import Iterator
from functools import cached_property

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Exchange
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import NEXT, ON_APPROVED, conflict
from conformance.suite.approval.key_transfer import transfers
from conformance.suite.approval.review import in_former_state, is_approved
from conformance.suite.approval.trial import Attempt, Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.lists.live import Live
from conformance.suite.lists.records import alike


class Preconditions:
    """What has to work before checks combine several steps."""

    def __init__(self, live: Live, approvals: Approvals, trials: Trials) -> None:
        self._live = live
        self._approvals = approvals
        self._trials = trials

    def check(self) -> None:
        """Raise Inconclusive where a single step has a defect."""
        if self.defects:
            raise Inconclusive(
                f"single approvals already have a defect: {', '.join(self.defects)}",
                needs=("a target whose single approvals conform",),
            )

    @cached_property
    def defects(self) -> tuple[str, ...]:
        """The steps that have a defect: a fact of the run."""
        name = fact_name("single-steps", "approval")
        return self._live.fact(name, lambda live: tuple(_of(live)._found()))

    def _found(self) -> Iterator[str]:
        trial = self._trials.baseline()
        yield from dict.fromkeys(self._stale())
        if changed_by_stale(self._trials):
            yield "a stale attempt, which changes the review"
        others = self._trials.all_but(trial.scheme)
        spreading = [each for each in (trial, *others) if each.also_approved]
        if len(spreading) > 1:  # one may be another client's approval
            yield "an approval, which approves another review"
        if not self._trials.are_readable():
            yield "reading what was approved"
        if self._key_serves_other_revisions(trial):
            yield "a used key with another revision"
        if self._new_key_has_effect(trial):
            yield "a new key on an approved review"
        found = transfers(self._live, self._approvals, self._trials)
        if not all(transfer.conforms for transfer in found):
            yield "a used key with another review"
        if not self._replays(trial):
            yield "a replay"

    def _stale(self) -> list[str]:
        """The labels of the stale attempts next to the current revision that have a defect."""
        pairs = [
            (label, attempt)
            for scheme in self._live.callers.credential("primary").schemes
            for label in NEXT
            for attempt in self._trials.attempts(f"{label} by {scheme}", scheme)
        ]
        checked = self._trials.not_overtaken([attempt for _, attempt in pairs])
        defects = {attempt.response.id for attempt in checked if not _is_conflict(attempt)}
        return [label for label, attempt in pairs if attempt.response.id in defects]

    def _key_serves_other_revisions(self, trial: Trial) -> bool:
        revisions = [trial.review.revision + difference for difference in (1, -1)]
        calls = [self._approvals.call(trial.review.id, each, trial.key) for each in revisions]
        responses = [
            self._live.callers.send(
                call, scheme=trial.scheme, purpose="the used key with another revision"
            )
            for call in calls
        ]
        pairs = zip(revisions, responses, strict=True)
        return any(response.status not in conflict(revision) for revision, response in pairs)

    def _new_key_has_effect(self, trial: Trial) -> bool:
        # What one new key undoes another may do again: so the review is read before as well.
        before = self._approvals.reader.read(trial.review.id)
        key = self._approvals.key(trial.review.id, "alone")
        response = self._approve(trial, key, "a new key on the approved review")
        reads = (before, self._approvals.reader.read(trial.review.id))
        is_undone = any(in_former_state(trial.review, read) for read in reads)
        if response.status not in ON_APPROVED:
            return True
        return is_undone and self._trials.are_readable()

    def _replays(self, trial: Trial) -> bool:
        again = self._approve(trial, trial.key, "a replay")
        is_same = again.data is MISSING or alike(again.data, trial.approval.data)
        return again.status == 200 and is_same

    def _approve(self, trial: Trial, key: str, purpose: str) -> Exchange:
        return self._approvals.approve(trial.review, key, scheme=trial.scheme, purpose=purpose)


def _of(live: Live) -> Preconditions:
    approvals = Approvals(live.session, live)
    return Preconditions(live, approvals, Trials(live.session, live, approvals))


def changed_by_stale(trials: Trials) -> list[Exchange]:
    """Reviews as read after stale attempts that changed them.

    A single change may be another client's; several may be where subjects are revised by others.
    """
    found = [attempt.after for attempt in trials.stale_attempts() if attempt.changed_review]
    return [] if len(found) < 2 or trials.are_subjects_revised else found


def _is_conflict(attempt: Attempt) -> bool:
    allowed = conflict(attempt.sent_revision)
    return attempt.response.status in allowed and not is_approved(attempt.after)
