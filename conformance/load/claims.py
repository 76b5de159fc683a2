"""What a measurement says of the claims in `[gate] p95`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from conformance.load.times import Times

CLAIMED = 95.0


class Outcome(StrEnum):
    """How a measurement ends; MEASURED is one without a claim."""

    MEASURED = "measured"
    HOLDS = "holds"
    SLOWER = "slower"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Claim:
    """A claim about one operation, in seconds, and what was measured; None: no such percentile."""

    operation: str
    stated: float
    measured: float | None
    outcome: Outcome


def decided(stated: Mapping[str, float], times: Mapping[str, Times]) -> list[Claim]:
    """Each claim, beside what was measured."""
    return [_claim(operation, limit, times.get(operation)) for operation, limit in stated.items()]


def _claim(operation: str, limit: float, times: Times | None) -> Claim:
    if times is None or not times.served + times.failed:
        return Claim(operation, limit, None, Outcome.INCOMPLETE)
    measured = times.percentile(CLAIMED)
    if measured is None or measured > limit:
        return Claim(operation, limit, measured, Outcome.SLOWER)
    return Claim(operation, limit, measured, Outcome.HOLDS)


def outcome(claims: Sequence[Claim], times: Mapping[str, Times]) -> Outcome:
    """The outcome of a whole measurement: what is slower, then what is missing, decides."""
    outcomes = {claim.outcome for claim in claims}
    if Outcome.SLOWER in outcomes:
        return Outcome.SLOWER
    if Outcome.INCOMPLETE in outcomes or not is_reached(times) or unserved(times):
        return Outcome.INCOMPLETE
    return Outcome.HOLDS if claims else Outcome.MEASURED


def is_reached(times: Mapping[str, Times]) -> bool:
    """Whether the target took every request of the schedule, and none was put off."""
    return bool(times) and not any(each.throttled or each.withheld for each in times.values())


def unserved(times: Mapping[str, Times]) -> list[str]:
    """The operations whose requests have all failed: they have no response times."""
    return [operation for operation, each in times.items() if each.failed and not each.served]
