"""Idempotency keys that are long, or beyond ASCII (POST /reviews/{reviewId}/approve, Gaps)."""

from conformance.suite.approval.result import check_not_in_former_state, check_replay
from conformance.suite.approval.unusual_keys import UnusualKeys
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement

CONFLICT = 409


@requirement("approval/success")
def test_an_unusual_key_is_new_or_invalid(unusual_keys: UnusualKeys) -> None:
    """A key of up to 1,024 characters, or beyond ASCII, approves or is rejected as invalid."""
    for use in unusual_keys.uses:
        if use.response.status == 200:
            check_not_in_former_state(use.review, use.after, use.response)
        elif use.resembling and use.response.status == CONFLICT:
            expect.status(use.response, 200)
        else:
            expect.rejected(use.response)


@requirement("approval/replay")
def test_an_unusual_key_repeats_its_result(unusual_keys: UnusualKeys) -> None:
    """A replay with such a key returns the result of its own review."""
    for use in unusual_keys.uses:
        if use.replay is not None:
            expect.status(use.replay, 200)
            check_replay(use.replay, use.response)
