"""The single steps of an approval, each tried once over HTTP.

A defect that shows in a single step is reported once, under the requirement of the step, and not
again in every sequence that has it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from conformance.contract.verdict import Defect, Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import MISSING, Exchange
from conformance.http.retry import is_unavailable
from conformance.rules.attempt import is_same_result
from conformance.rules.judgement import shown
from conformance.runner.facts import fact_name
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import NEXT, ON_APPROVED, conflict
from conformance.suite.approval.key_transfer import Transfer, transfers
from conformance.suite.approval.review import in_former_state, is_approved, record_of
from conformance.suite.approval.trial import Attempt, Trial
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, of_status
from conformance.suite.lists.live import Live

STEPS = {
    "approval/stale-revision": "a stale attempt",
    "approval/alone": "an approval, which approves another review",
    "approval/state": "an approval",
    "approval/key-other-revision": "a used key with another revision",
    "approval/new-key": "a new key on an approved review",
    "approval/key-other-review": "a used key with another review",
    "approval/replay": "a replay",
}
"""The steps, by the requirement that each of them shows."""

Step = tuple[str, tuple[Exchange, ...]]


@dataclass(frozen=True)
class Flaw:
    """A step that does not conform, and the responses that show it."""

    requirement: str
    responses: tuple[Exchange, ...]

    @property
    def defect(self) -> Defect:
        """What is reported under the requirement."""
        last = self.responses[-1]
        if last.operation == "review_get" and last.status == 200:
            return self._shown_by(last)
        return of_status(
            last,
            "{step} returned {response}",
            expected="what the same step returned before, or is allowed to",
            kind=Kind.EFFECT,
            step=STEPS[self.requirement],
        )

    def _shown_by(self, read: Exchange) -> Defect:
        status = record_of(read).get("status")
        text = "after {step} the review reads as {status}"
        expected = "the status that the step leaves it in"
        step = STEPS[self.requirement]
        effect = defect(
            Kind.EFFECT, text, expected=expected, actual=status, step=step, status=shown(status)
        )
        return effect.on("status").at(in_data(read, "status"))


class Preconditions:
    """What has to work before checks combine several steps."""

    def __init__(self, live: Live, approvals: Approvals, trials: Trials) -> None:
        self._live = live
        self._approvals = approvals
        self._trials = trials

    def check(self) -> None:
        """Raise Inconclusive where a single step has a defect; `report` reports it."""
        if self.defects:
            named = ", ".join(f"{STEPS[each.requirement]}" for each in self.defects)
            raise Inconclusive(
                f"single approvals already have a defect: {named}",
                needs=("a target whose single approvals conform",),
                exchanges=[response.id for each in self.defects for response in each.responses],
            )

    def report(self, requirement: str) -> None:
        """Raise Violation where the step of a requirement has a defect.

        Raises NotApplicable where the steps could not be tried; other checks have the reasons.
        """
        with suppress(Inconclusive):
            for flaw in self.defects:
                if flaw.requirement == requirement:
                    expect.violated(flaw.defect, *flaw.responses)
            return
        raise NotApplicable("the single steps of an approval could not be tried")

    @cached_property
    def defects(self) -> tuple[Flaw, ...]:
        """The steps that have a defect, the first of each requirement: a fact of the run."""
        name = fact_name("single-steps", "approval")
        return self._live.fact(name, lambda live: _first_flaws(_of(live)))

    def _found(self) -> Iterator[Step]:
        """The requirement and the responses of each step that has a defect."""
        trial = self._trials.baseline()
        yield from self._of_trials(trial)
        if served := self._served_at_other_revisions(trial):
            yield "approval/key-other-revision", tuple(served)
        yield from self._of_new_key(trial)
        for transfer in self._transfers():
            yield "approval/key-other-review", (transfer.response, transfer.after)
        again = self._approve(trial, trial.key, "a replay")
        if not _is_repeated(again, trial) and not self._has_moved_on(again, trial):
            yield "approval/replay", (trial.approval, again)

    def _of_trials(self, trial: Trial) -> Iterator[Step]:
        """What the trials show; the checks of these requirements see the same responses."""
        for attempt in self._stale():
            yield "approval/stale-revision", (attempt.response, attempt.after)
        if changed := changed_by_stale(self._trials):
            yield "approval/stale-revision", evidence(changed)
        others = self._trials.all_but(trial.scheme)
        spreading = [each for each in (trial, *others) if each.also_approved]
        if len(spreading) > 1:  # one may be another client's approval
            yield "approval/alone", tuple(each.also_approved[0] for each in spreading)
        if unread := self._trials.in_former_state():
            yield "approval/state", (unread.approval, unread.after)

    def _stale(self) -> list[Attempt]:
        """The stale attempts next to the current revision that have a defect."""
        attempts = [
            attempt
            for scheme in self._trials.schemes
            for label in NEXT
            for attempt in self._trials.attempts(f"{label} by {scheme}", scheme)
        ]
        checked = self._trials.not_overtaken(attempts)
        return [attempt for attempt in checked if not _is_conflict(attempt)]

    def _served_at_other_revisions(self, trial: Trial) -> list[Exchange]:
        """The responses to the used key with other revisions that are not allowed."""
        revisions = [trial.review.revision + difference for difference in (1, -1)]
        calls = [self._approvals.call(trial.review.id, each, trial.key) for each in revisions]
        responses = [
            self._live.callers.send(
                call, scheme=trial.scheme, purpose="the used key with another revision"
            )
            for call in calls
        ]
        pairs = zip(revisions, responses, strict=True)
        return [
            response
            for revision, response in pairs
            if _is_own(response)
            and response.status not in conflict(revision)
            and not self._has_moved_on(response, trial)
        ]

    def _of_new_key(self, trial: Trial) -> Iterator[Step]:
        """An effect of a new key, or reads that show one whether or not a key was sent."""
        # What one new key undoes another may do again: so the review is read before as well.
        reader, review = self._approvals.reader, trial.review
        before = reader.read_approved(review)
        key = self._approvals.key(review.id, "alone")
        response = self._approve(trial, key, "a new key on the approved review")
        reads = (before, reader.read_approved(review))
        undone = [read for read in reads if in_former_state(review, read)]
        if response.status not in ON_APPROVED:
            if not self._has_moved_on(response, trial):
                yield "approval/new-key", (response,)
        elif undone and self._trials.are_readable():
            settling = reader.settle(review, trial.scheme)
            takes_turns = settling.former and settling.later
            step = "approval/state" if takes_turns else "approval/new-key"
            yield step, (response, undone[0])

    def _transfers(self) -> Iterator[Transfer]:
        for transfer in transfers(self._live, self._approvals, self._trials):
            if _is_own(transfer.response) and not transfer.conforms:
                yield transfer

    def _approve(self, trial: Trial, key: str, purpose: str) -> Exchange:
        response = self._approvals.approve(trial.review, key, scheme=trial.scheme, purpose=purpose)
        expect.clear(response)
        return response

    def _has_moved_on(self, response: Exchange, trial: Trial) -> bool:
        """Whether a response shows no defect of a step, since its review is no longer found."""
        return self._approvals.reader.has_moved_on(response, trial.after)


def _first_flaws(preconditions: Preconditions) -> tuple[Flaw, ...]:
    first: dict[str, Flaw] = {}
    for requirement, responses in preconditions._found():
        first.setdefault(requirement, Flaw(requirement, responses))
    return tuple(first.values())


def _of(live: Live) -> Preconditions:
    approvals = Approvals(live.session, live)
    return Preconditions(live, approvals, Trials(live.session, live, approvals))


def changed_by_stale(trials: Trials) -> list[Attempt]:
    """The stale attempts that changed their reviews.

    A single change may be another client's; several may be where subjects are revised by others.
    """
    found = [attempt for attempt in trials.stale_attempts() if attempt.changed_review]
    return [] if len(found) < 2 or trials.are_subjects_revised else found


def evidence(attempts: Sequence[Attempt]) -> tuple[Exchange, ...]:
    """The responses to attempts, each with the review as read after it."""
    return tuple(each for attempt in attempts for each in (attempt.response, attempt.after))


def _is_own(response: Exchange) -> bool:
    """Whether a response is the target's own, and no transient error."""
    return not is_unavailable(response)


def _is_conflict(attempt: Attempt) -> bool:
    allowed = conflict(attempt.sent_revision)
    is_right = attempt.response.status in allowed or not _is_own(attempt.response)
    return is_right and not is_approved(attempt.after)


def _is_repeated(again: Exchange, trial: Trial) -> bool:
    is_same = again.data is MISSING or is_same_result(again.data, trial.approval.data)
    return again.status == 200 and is_same
