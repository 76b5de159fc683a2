"""Which runs are performed again: a pure decision. A verdict is never asked for twice."""

from dataclasses import dataclass

from conformance.fleet.memory.tables import LOST

TRANSIENT = frozenset({"unreachable", "error", "interrupted"})
"""Outcomes of which a target, or this package, may recover; see `recording.OUTCOMES`."""

MOST_LOST = 5
"""How often a run may be lost: one that takes its worker with it would never end."""


@dataclass(frozen=True)
class Attempt:
    """One attempt that has ended, the outcomes of those before it, and what the fleet allows.

    `is_final`: it may have approved a review, which cannot be approved twice, or another attempt
    would end in the same way.
    """

    outcome: str
    earlier: tuple[str, ...]
    retries: int
    is_final: bool


def is_due(attempt: Attempt) -> bool:
    """Whether another attempt follows by itself."""
    if attempt.is_final:
        return False
    if attempt.outcome == LOST:
        return attempt.earlier.count(LOST) < MOST_LOST
    failed = sum(each in TRANSIENT for each in attempt.earlier)
    return attempt.outcome in TRANSIENT and failed < attempt.retries


def has_no_verdict(state: str, outcome: str | None) -> bool:
    """Whether somebody may ask for another attempt."""
    return state == LOST or outcome in TRANSIENT
