"""Idempotency keys that are long, or beyond ASCII (POST /reviews/{reviewId}/approve, Gaps)."""

from conformance.contract.verdict import NotApplicable
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.key_spellings import KeySpellings
from conformance.suite.approval.result import check_not_in_former_state, check_replay
from conformance.suite.approval.unusual_keys import UnusualKeys
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

CONFLICT = 409
UUID_LENGTH = 36


@requirement("approval/success")
def test_an_unusual_key_is_new_or_invalid(unusual_keys: UnusualKeys) -> None:
    """A key of up to 1,024 characters, or beyond ASCII, approves or is rejected as invalid."""
    for use in unusual_keys.uses:
        if use.response.status == 200:
            check_not_in_former_state(use.review, use.after, use.response)
        elif use.resembled is not None and use.response.status == CONFLICT:
            because = f"{use.response.purpose}, which resembles a used one"
            expect.status(use.response, 200, because=because, before=use.resembled)
        else:
            expect.rejected(use.response)


@requirement("approval/replay")
def test_an_unusual_key_repeats_its_result(unusual_keys: UnusualKeys) -> None:
    """A replay with such a key returns the result of its own review."""
    for use in unusual_keys.uses:
        if use.replay is not None:
            expect.status(use.replay, 200)
            check_replay(use.replay, use.response)


@requirement("approval/key-spelling")
def test_another_spelling_of_a_key_is_another_key(
    live: Live, approvals: Approvals, unusual_keys: UnusualKeys
) -> None:
    """A spelling of a used key is as new on its review as any other key."""
    repeated = [
        use
        for use in unusual_keys.uses
        if len(use.key) > UUID_LENGTH and use.replay is not None and use.replay.status == 200
    ]
    if not repeated:
        raise NotApplicable("no key but a UUID is accepted, or no review is left for one")
    KeySpellings(repeated[-1], live, approvals).check()
