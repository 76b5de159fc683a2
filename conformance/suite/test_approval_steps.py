"""Single steps of an approval that checks of sequences and races build on.

What such a step shows is reported here, where the check of its requirement has not met it. So no
defect makes other checks inconclusive without being named (States and transitions).
"""

from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.callers.requirement import requirement


@requirement("approval/key-other-revision")
def test_a_used_key_conflicts_again_and_again(preconditions: Preconditions) -> None:
    """A used key conflicts with other revisions, also after replays."""
    preconditions.report("approval/key-other-revision")


@requirement("approval/new-key")
def test_a_further_new_key_changes_nothing(preconditions: Preconditions) -> None:
    """One more new key leaves an approved review approved."""
    preconditions.report("approval/new-key")


@requirement("approval/key-other-review")
def test_a_used_key_conflicts_on_further_reviews(preconditions: Preconditions) -> None:
    """A used key on one more review is a conflict, or an approval."""
    preconditions.report("approval/key-other-review")


@requirement("approval/replay")
def test_a_replay_works_after_other_uses_of_its_key(preconditions: Preconditions) -> None:
    """A replay repeats the result, after conflicts of its key too."""
    preconditions.report("approval/replay")
