"""What the contract leaves to a caller, described."""

from collections.abc import Iterator

from conformance.http.exchange import Exchange
from conformance.rules.client.recording import OTHER, Recording

AFTER_401, PARAMETERS, ENDING = "client/after-401", "client/parameters", "client/ending"
REQUIREMENTS = frozenset({AFTER_401, PARAMETERS, ENDING})

UNAUTHENTICATED = 401

Observation = tuple[str, str, object]
"""The id of the requirement, the subject, and the value."""


def observations(recording: Recording) -> Iterator[Observation]:
    """What a recording shows of the points that the contract leaves open."""
    yield from _after_rejections(recording)
    for call in recording.calls:
        for argument in call.arguments:
            if argument.role is None:
                yield PARAMETERS, call.operation.id, argument.name


def _after_rejections(recording: Recording) -> Iterator[Observation]:
    """How many requests followed the first 401 with the same credential, and were rejected too."""
    rejected: dict[tuple[str | None, str | None], list[Exchange]] = {}
    for exchange in recording.ordered:
        if exchange.status == UNAUTHENTICATED and exchange.operation != OTHER:
            rejected.setdefault((exchange.credential, exchange.scheme), []).append(exchange)
    for (credential, scheme), found in rejected.items():
        subject = " by ".join(filter(None, (credential, scheme))) or "no credential"
        yield AFTER_401, subject, f"{len(found) - 1} further requests rejected"
