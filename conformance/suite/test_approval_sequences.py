"""Random sequences of approvals, each step compared with an oracle (States and transitions)."""

from conformance.suite.approval import histories
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live


@requirement("approval/model")
def test_sequences_agree_with_the_oracle(
    live: Live, approvals: Approvals, preconditions: Preconditions
) -> None:
    """Approvals, replays, stale revisions and used keys, in any order, on several reviews."""
    preconditions.check()
    histories.perform(live, approvals)
