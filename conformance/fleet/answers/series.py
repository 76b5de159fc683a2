"""The verdicts of one requirement on one target over time: broken since when, or flapping."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from conformance.contract.verdict import Verdict
from conformance.report.share import Share

DECIDED = (Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE)
RECENT = 10
"""The verdicts that tell whether a requirement takes turns."""

TURNS = 3
"""Changes between fail and other verdicts from which it does; what broke and was fixed has 2."""


@dataclass(frozen=True)
class Point:
    """The verdict of one run; `started` is in seconds since 1970, `suite` numbers the suite."""

    run: int
    started: float
    suite: int | None
    verdict: str
    message: str | None = None
    known: str | None = None

    @property
    def fails(self) -> bool:
        """Whether the target violates the requirement."""
        return self.verdict == Verdict.FAIL


@dataclass(frozen=True)
class Since:
    """The first of the runs in a row that failed.

    `is_new_suite`: the run before it passed with another suite, so that either may have changed.
    `is_first`: no run before it has a verdict.
    """

    point: Point
    is_new_suite: bool
    is_first: bool


def decided(points: Sequence[Point]) -> list[Point]:
    """The points with a verdict on the target, the oldest first."""
    return [point for point in points if point.verdict in DECIDED]


def flapping(points: Sequence[Point]) -> Share | None:
    """How often a requirement fails that takes turns; None where it does not."""
    recent = decided(points)[-RECENT:]
    turns = sum(one.fails != other.fails for one, other in pairwise(recent))
    if turns < TURNS:
        return None
    return Share(sum(point.fails for point in recent), len(recent))


def since(points: Sequence[Point]) -> Since | None:
    """Since when a requirement fails; None where it does not.

    A run that could not check it does not end the row.
    """
    seen = decided(points)
    if not seen or not seen[-1].fails:
        return None
    good = [number for number, point in enumerate(seen) if not point.fails]
    if not good:
        return Since(seen[0], is_new_suite=False, is_first=True)
    before, first = seen[good[-1]], seen[good[-1] + 1]
    return Since(first, is_new_suite=before.suite != first.suite, is_first=False)
