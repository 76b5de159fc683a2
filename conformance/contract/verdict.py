"""Verdicts, and the three ways in which a check ends other than by passing."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How strongly the contract speaks: a broken `must` fails a run, a broken `should` warns, `observe` is never judged."""

    MUST = "must"
    SHOULD = "should"
    OBSERVE = "observe"


class Verdict(StrEnum):
    """What is known about one requirement, worst first."""

    FAIL = "fail"
    ERROR = "error"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"
    NOT_APPLICABLE = "not-applicable"


class Conclusion(StrEnum):
    """What is known about the whole target."""

    CONFORMANT = "conformant"
    NON_CONFORMANT = "non-conformant"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Finding:
    """One judgement: a requirement, on one operation, by one item of the run; `exchanges` are the ids of its evidence."""

    requirement: str
    verdict: Verdict
    operation: str | None = None
    message: str = ""
    expected: str = ""
    needs: tuple[str, ...] = ()
    exchanges: tuple[str, ...] = ()
    item: str = ""


class Violation(Exception):
    """The target broke the requirement that is being judged."""

    def __init__(
        self,
        message: str,
        *,
        expected: str = "",
        exchanges: Iterable[str] = (),
        operation: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.exchanges = tuple(exchanges)
        self.operation = operation


class Inconclusive(Exception):
    """A prerequisite is missing; `needs` are the profile keys (or the data) that would settle it."""

    def __init__(
        self, message: str, *, needs: Iterable[str] = (), exchanges: Iterable[str] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.needs = tuple(needs)
        self.exchanges = tuple(exchanges)


class NotApplicable(Exception):
    """The target does not have what the requirement speaks of."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that decides among several; nothing judged at all is inconclusive."""
    order = list(Verdict)
    return min(verdicts, key=order.index, default=Verdict.INCONCLUSIVE)


def conclude(musts: Iterable[Verdict]) -> Conclusion:
    """The conclusion that the verdicts of all `must` requirements allow; an error never lets a run be conformant."""
    seen = set(musts)
    if Verdict.FAIL in seen:
        return Conclusion.NON_CONFORMANT
    if Verdict.PASS in seen and seen <= {Verdict.PASS, Verdict.NOT_APPLICABLE}:
        return Conclusion.CONFORMANT
    return Conclusion.INCONCLUSIVE
