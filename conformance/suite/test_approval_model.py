"""Approval, as a whole: random histories of approvals, each step compared with a model (States and transitions)."""

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Exchange
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.oracle import Attempt, Model, Subject
from conformance.suite.approval.preconditions import sound
from conformance.suite.approval.review_pool import is_approved, shows_status
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.fuzzing.isolation import undisturbed
from conformance.suite.lists.live import Live
from conformance.suite.lists.records import alike

STEPS = 20
REVIEWS_AT_A_TIME = 2
KEYS = 4
OPENING = ((0, 0, 1), (0, 0, 0), (0, 0, 0), (0, 1, 0), (1, 2, -1), (1, 0, 0), (1, 1, 0), (1, 3, 0))
"""Steps that every run takes first (review, key, difference): stale, right, a replay, a new key; on another one stale, and both keys."""


class World:
    """The reviews under test and the model of them; it goes on from one history to the next, since approvals are final."""

    def __init__(self, live: Live, approvals: Approvals) -> None:
        self.live = live
        self.approvals = approvals
        self.scheme = live.credential("primary").schemes[0]
        self.model = Model()
        self.subjects: list[Subject] = []
        self.budget = REVIEWS_AT_A_TIME * live.session.depth.machines
        self.steps = 0
        self.problem: Violation | Inconclusive | None = None

    def refill(self) -> None:
        """Keep two pending reviews at hand as long as the budget and the pool last; the last one is left for checks that need another."""
        while (
            self.budget
            and sum(not subject.approved for subject in self.subjects) < REVIEWS_AT_A_TIME
        ):
            if self.subjects and self.approvals.is_nearly_spent:
                return
            self.budget -= 1
            try:
                review = self.approvals.take()
            except Inconclusive:
                self.budget = 0
                if not self.subjects:
                    raise
                return
            self.subjects.append(Subject(review.id, review.revision))

    def attempt(self, which: int, key: int, difference: int) -> None:
        """Approve, replay or collide, and compare the answer and then the state with the model."""
        self.refill()
        subject = self.subjects[-1 - which % len(self.subjects)]
        attempt = Attempt(
            subject, self.approvals.key(self.subjects[0].id, f"model {key}"), difference
        )
        self.steps += 1
        if not difference:
            self.live.session.observations.append(
                ("ledger", subject.id, {"key": attempt.key, "revision": subject.revision})
            )
        call = self.approvals.call(subject.id, subject.revision + difference, attempt.key)
        answer = self.live.send(call, scheme=self.scheme, purpose=f"step {self.steps} of the model")
        if answer.is_repeated:
            self.model.tried.add(attempt.key)
        if (
            answer.status == 409
            and not difference
            and not subject.approved
            and self._is_revised(subject)
        ):
            self.model.tried.add(attempt.key)
            return
        expect.status(answer, *sorted(self.model.allowed(attempt)))
        self._compare(attempt, answer)

    def _compare(self, attempt: Attempt, answer: Exchange) -> None:
        assert answer.status is not None
        first = self.model.replays(attempt)
        expect.that(
            first is None or alike(answer.data, first),
            defect(Kind.UNSORTED, f"a replay says {answer.data}", expected=str(first)),
            answer,
        )
        was_approved = attempt.subject.approved
        self.model.learn(attempt, answer.status, answer.data)
        if attempt.subject.approved and not was_approved:
            self._revise()
        look = self.approvals.look_approved if attempt.subject.approved else self.approvals.look
        after = look(attempt.subject.id)
        expect.served(after)
        told = f"after step {self.steps} the review reads as {'approved' if is_approved(after) else 'not approved'}"
        expected = "approved" if attempt.subject.approved else "not approved"
        kept = is_approved(after) == attempt.subject.approved or not shows_status(after)
        expect.that(kept, defect(Kind.UNSORTED, told, expected=expected), answer, after)

    def _is_revised(self, subject: Subject) -> bool:
        """Whether somebody else has changed a subject since it was read, which is what an approval met; the next one goes by the change."""
        review = self.approvals.read(subject.id)
        known, subject.revision = (
            subject.revision,
            subject.revision if review is None else review.revision,
        )
        return subject.revision != known

    def _revise(self) -> None:
        """Read the revisions of what is pending: reviews may be of one subject, and an approval may make a revision of it."""
        for subject in self.subjects:
            review = None if subject.approved else self.approvals.read(subject.id)
            if review is not None:
                subject.revision = review.revision

    def step(self, which: int, key: int, difference: int) -> None:
        """One step; the first problem ends all, since what follows could not be told from its consequences."""
        if self.problem is None:
            try:
                self.attempt(which, key, difference)
            except (Violation, Inconclusive) as problem:
                self.problem = problem


@requirement("approval/model")
def test_histories_agree_with_the_model(live: Live, approvals: Approvals) -> None:
    """Approve, replay, stale revisions, reused keys and other reviews, in any order."""
    sound(live, approvals)
    world = World(live, approvals)
    world.refill()
    for step in OPENING:
        world.step(*step)

    class Histories(RuleBasedStateMachine):
        # Raising inside would make Hypothesis repeat a history that cannot be repeated: problems are kept aside instead.
        @rule(
            which=st.integers(0, 3),
            key=st.integers(0, KEYS - 1),
            difference=st.sampled_from((0, 0, 0, 1, -1)),
        )
        def approve(self, which: int, key: int, difference: int) -> None:
            world.step(which, key, difference)

    with undisturbed():
        run_state_machine_as_test(
            seed(live.session.seed)(Histories),
            settings=settings(
                max_examples=live.session.depth.machines + 1,
                stateful_step_count=STEPS,
                phases=(Phase.generate,),
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    if world.problem is not None:
        raise world.problem
