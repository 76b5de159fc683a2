"""How long a run will take, and what it will change: an estimate before it begins."""

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.contract.quantity import quantity
from conformance.report.prospect import Prospect
from conformance.target.target import Target

EXCHANGES = {"smoke": 300, "quick": 1_490, "standard": 6_770}
"""Exchanges of a run that checks everything, measured on the reference."""
REVIEWS = 25
"""Reviews that such a run approves at standard depth; with fewer, some checks have none."""
SERIAL = 0.15
"""The share of exchanges that wait for an earlier response."""
PROCESSING = 0.005
"""Seconds of our own for one exchange."""


@dataclass(frozen=True)
class Duration:
    """The estimate of a run at one depth."""

    depth: str
    exchanges: int
    seconds: float


def durations(
    target: Target, expected: Prospect, latency: float, allowed: float | None = None
) -> list[Duration]:
    """The estimates, from the seconds of a response and the rate that the target allows."""
    rates = filter(None, (target.limits.requests_per_second, allowed))
    rate = min(rates, default=None)
    found = []
    for depth, complete in EXCHANGES.items():
        exchanges = round(complete * share(expected))
        single = max(PROCESSING + SERIAL * latency, 1 / rate if rate else 0.0)
        found.append(Duration(depth, exchanges, round(exchanges * single, 1)))
    return found


def share(expected: Prospect) -> float:
    """The share of its requirements, and so of its exchanges, that a run can check."""
    return (expected.whole + expected.part) / expected.requirements


def effects(target: Target) -> Iterator[str]:
    """What a run spends or changes; nothing without consent."""
    consent, fixtures = target.consent, target.fixtures
    if consent.approve_reviews and (fixtures.approvable_reviews or fixtures.provision):
        if fixtures.reset:
            yield "runs the command fixtures.reset before the first check"
        made = " and those that its command makes" if fixtures.provision else ""
        reviews = quantity(len(fixtures.approvable_reviews), "review")
        yield f"approves up to {reviews} of the profile{made}"
    if consent.exhaust_rate_limit and "throttled" in target.credentials:
        yield "drives the credential throttled into its rate limit"
    if consent.oversized_bodies:
        limit = target.limits.max_body_bytes
        yield f"sends bodies of more than {limit:,} bytes" if limit else "sends large bodies"
    if consent.fuzz_writes:
        yield "sends random approvals, never of the approvable reviews"
