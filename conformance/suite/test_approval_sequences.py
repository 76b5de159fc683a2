"""Random sequences of approvals, each step compared with an oracle (States and transitions)."""

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.sequence import Sequence
from conformance.suite.approval.trials import Trials
from conformance.suite.callers.requirement import requirement
from conformance.suite.fuzzing.isolation import undisturbed
from conformance.suite.lists.live import Live

STEPS = 20
KEYS = 4
OPENING = ((0, 0, 1), (0, 0, 0), (0, 0, 0), (0, 1, 0), (1, 2, -1), (1, 0, 0), (1, 1, 0), (1, 3, 0))
"""The first steps of every run (review, key, difference).

On one review stale, right, a replay, a new key; on another one stale, both used keys, a new key.
"""


@requirement("approval/model")
def test_sequences_agree_with_the_oracle(
    live: Live, approvals: Approvals, trials: Trials, preconditions: Preconditions
) -> None:
    """Approvals, replays, stale revisions and used keys, in any order, on several reviews."""
    preconditions.check()
    sequence = Sequence(live, approvals, trials)
    sequence.refill()
    for step in OPENING:
        sequence.step(*step)

    class Machine(RuleBasedStateMachine):
        # A problem is raised in the end: Hypothesis would repeat the steps, which cannot be done.
        @rule(
            which=st.integers(0, 3),
            key=st.integers(0, KEYS - 1),
            difference=st.sampled_from((0, 0, 0, 1, -1)),
        )
        def approve(self, which: int, key: int, difference: int) -> None:
            sequence.step(which, key, difference)

    with undisturbed():
        run_state_machine_as_test(
            seed(live.session.seed)(Machine),
            settings=settings(
                max_examples=live.session.depth.sequences + 1,
                stateful_step_count=STEPS,
                phases=(Phase.generate,),
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    if sequence.problem is not None:
        raise sequence.problem
