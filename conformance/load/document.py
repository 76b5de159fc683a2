"""A measurement as a document: `load.json`, by `spec/load.schema.json`. Times are in seconds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance import __version__
from conformance.load import claims
from conformance.load.claims import Claim, Outcome
from conformance.load.schedule import Schedule
from conformance.load.times import Times

FORMAT = "localization-api-conformance:load:1"
PERCENTILES = (50, 90, 95, 99)


@dataclass(frozen=True)
class Measurement:
    """What was measured, of which target, and when (ISO 8601, UTC).

    `latest` is the longest time for which a request waited for a connection or for this machine.
    """

    base_url: str
    profile: str | None
    started: str
    schedule: Schedule
    times: Mapping[str, Times]
    unmeasured: Mapping[str, str]
    claims: Sequence[Claim]
    latest: float

    @property
    def outcome(self) -> Outcome:
        """Whether what was claimed holds, at the rate that was asked for."""
        return claims.outcome(self.claims, self.times)


def of(found: Measurement) -> dict[str, Any]:
    """The document."""
    claimed = {claim.operation: claim for claim in found.claims}
    return {
        "format": FORMAT,
        "suite": __version__,
        "target": {"base-url": found.base_url, "profile": found.profile},
        "started": found.started,
        "rate": found.schedule.rate,
        "duration": found.schedule.duration,
        "requests": found.schedule.requests,
        "latest": round(found.latest, 6),
        "outcome": found.outcome.value,
        "operations": {
            operation: _operation(times, claimed.get(operation))
            for operation, times in found.times.items()
        },
        "unmeasured": dict(found.unmeasured),
    }


def _operation(times: Times, claim: Claim | None) -> dict[str, Any]:
    stated = {} if claim is None else {"claim": claim.stated, "outcome": claim.outcome.value}
    return {
        "served": times.served,
        "failures": dict(times.failures),
        "throttled": times.throttled,
        "withheld": times.withheld,
        "percentiles": {f"p{percent}": times.percentile(percent) for percent in PERCENTILES},
        "max": times.longest,
        **stated,
        "histogram": times.encoded,
    }
