"""What is performed again: what was lost or not there, never a verdict, never a spent review."""

import pytest

from conformance.fleet import retry
from conformance.fleet.retry import MOST_LOST, Attempt


@pytest.mark.parametrize(
    ("outcome", "earlier", "retries", "is_due"),
    [
        ("conformant", (), 3, False),
        ("non-conformant", (), 3, False),
        ("incomplete", (), 3, False),
        ("unreachable", (), 1, True),
        ("unreachable", ("unreachable",), 1, False),
        ("error", ("lost", "lost"), 1, True),
        ("error", (), 0, False),
        ("interrupted", (), 1, True),
        ("lost", (), 0, True),
        ("lost", ("lost",) * (MOST_LOST - 1), 0, True),
        ("lost", ("lost",) * MOST_LOST, 9, False),
    ],
)
def test_only_what_may_recover_is_repeated(
    outcome: str, earlier: tuple[str, ...], retries: int, is_due: bool
) -> None:
    """A lost run does not count as a retry of its target."""
    assert retry.is_due(Attempt(outcome, earlier, retries, is_final=False)) is is_due
    assert not retry.is_due(Attempt(outcome, earlier, retries, is_final=True))


def test_whoever_asks_may_repeat_what_has_no_verdict() -> None:
    """A verdict stays."""
    assert retry.has_no_verdict("lost", "lost")
    assert retry.has_no_verdict("done", "unreachable")
    assert not retry.has_no_verdict("done", "non-conformant")
    assert not retry.has_no_verdict("running", None)
