"""Sequences of approvals, each step compared with the oracle (States and transitions)."""

from collections.abc import Iterable

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED
from conformance.suite.approval.oracle import Oracle, Step, Subject
from conformance.suite.approval.result import check_same_result
from conformance.suite.approval.review import (
    Review,
    in_former_state,
    is_approved,
    is_withheld,
    record_of,
    shown_revision,
)
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import Live

REJECTED = ON_APPROVED - {200}
"""The statuses of an approval of a review that cannot be approved."""


class Sequence:
    """The reviews of a sequence, none of which anything else uses, and the oracle."""

    def __init__(
        self, live: Live, approvals: Approvals, trials: Trials, reviews: Iterable[Review]
    ) -> None:
        self._live = live
        self._approvals = approvals
        self._trials = trials
        self._scheme = live.callers.credential("primary").schemes[0]
        self._oracle = Oracle()
        self._reviews = {review.id: review for review in reviews}
        # Another scheme of primary may reach less than the one that approves.
        shared = approvals.reader.shared
        self._by = {id: None if id.lower() in shared else self._scheme for id in self._reviews}
        self._approved: dict[str, Exchange] = {}
        self._attempts: dict[str, Exchange] = {}
        self._subjects = [Subject(each.id, each.revision) for each in self._reviews.values()]

    def step(self, which: int, key: int, difference: int) -> None:
        """Send one approval, and compare the response, then the review, with the oracle."""
        subject = self._subjects[which % len(self._subjects)]
        step = Step(subject, self._approvals.key(self._subjects[0].id, f"model {key}"), difference)
        earlier = self._attempts.get(step.key)
        response = self._attempts[step.key] = self._sent(step)
        if response.is_repeated:
            self._oracle.mark_tried(step.key)
        may_be_overtaken = response.status == 409 and not difference and not subject.approved
        if may_be_overtaken and self._is_revised(subject):
            self._oracle.mark_tried(step.key)
            return
        if response.status == 200 and self._is_overtaken(step):
            step = Step(subject, step.key)
        is_unexpected = response.status not in self._oracle.allowed(step)
        if is_unexpected and response.status in REJECTED and self._is_withheld(subject):
            self._oracle.mark_tried(step.key)
            return
        self._require_found(subject, response)
        expect.status(response, *sorted(self._oracle.allowed(step)), before=earlier)
        self._compare(step, response, earlier)

    def _sent(self, step: Step) -> Exchange:
        subject = step.subject
        if not step.difference:
            self._approvals.record(subject.id, subject.revision, step.key)
        call = self._approvals.call(subject.id, subject.revision + step.difference, step.key)
        purpose = "a step of a random sequence"
        return self._live.callers.send(call, scheme=self._scheme, purpose=purpose)

    def _compare(self, step: Step, response: Exchange, earlier: Exchange | None) -> None:
        """`earlier` is the last attempt with the same key: a reader cannot follow without it."""
        assert response.status is not None
        first = self._oracle.replayed(step)
        if first is not None:
            check_same_result(response, response, response.data, first)
        was_approved = step.subject.approved
        self._oracle.learn(step, response.status, response.data)
        if step.subject.approved and not was_approved:
            self._revise_pending()
        self._check_state(step.subject, *filter(None, (earlier, response)))

    def _require_found(self, subject: Subject, response: Exchange) -> None:
        """Inconclusive where a review that was read after its approval is no longer found."""
        if subject.id in self._approved:
            self._approvals.reader.require_found(response, self._approved[subject.id])

    def _check_state(self, subject: Subject, *attempts: Exchange) -> None:
        reader = self._approvals.reader
        review = self._reviews[subject.id]
        by = self._by[subject.id]
        after = reader.read_approved(review, by) if subject.approved else self._read(subject)
        self._require_found(subject, after)
        expect.served(after)
        if subject.approved:
            self._approved[subject.id] = after
        otherwise = defect(
            Kind.EFFECT,
            "the review is not approved after an approval of it succeeded"
            if subject.approved
            else "the review is approved, and no approval of it succeeded",
            expected="approved" if subject.approved else "not approved",
            actual=record_of(after).get("status"),
        )
        is_former = in_former_state(review, after)
        is_right = not (is_former if subject.approved else is_approved(after))
        where = in_data(after, "status")
        expect.that(is_right, otherwise.on("status").at(where), *attempts, after)

    def _is_overtaken(self, step: Step) -> bool:
        """Whether others made the revision that a stale step expects, before it arrived.

        The step is then an approval at that revision.
        """
        subject, revision = step.subject, step.subject.revision + step.difference
        if step.difference <= 0 or subject.approved or not self._trials.are_subjects_revised:
            return False
        current = shown_revision(self._read(subject))
        if not isinstance(current, int | float) or current < revision:
            return False
        subject.revision = revision
        return True

    def _is_revised(self, subject: Subject) -> bool:
        """Whether another client has revised a subject; the next step uses that revision."""
        known = subject.revision
        self._revise(subject)
        return subject.revision != known

    def _is_withheld(self, subject: Subject) -> bool:
        """Whether a review that is not approved can no longer be approved."""
        return not subject.approved and is_withheld(self._read(subject))

    def _revise_pending(self) -> None:
        """Read the revisions of pending reviews: an approval may revise a subject they share."""
        for subject in self._subjects:
            if not subject.approved:
                self._revise(subject)

    def _read(self, subject: Subject) -> Exchange:
        return self._approvals.reader.read(subject.id, self._by[subject.id])

    def _revise(self, subject: Subject) -> None:
        review = self._approvals.reader.review_in(self._read(subject), subject.id)
        if review is not None and not review.is_withheld:
            subject.revision = review.revision
            self._reviews[subject.id] = review
