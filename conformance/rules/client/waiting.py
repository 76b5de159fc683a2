"""Waiting: a request that got 429 is sent again once the time in Retry-After has passed (Errors).

Whether other requests count against the same limit is not specified.
"""

from collections.abc import Sequence

from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Exchange
from conformance.http.retry import TOO_MANY_REQUESTS, retry_after
from conformance.rules.client.recording import Recording, ruling
from conformance.rules.ruling import Rulings

WAITING = "client/retry-after"
REQUIREMENTS = frozenset({WAITING})

COARSE = 0.05
"""Seconds by which a timer may end early: those of some platforms count in ticks."""


def examine(recording: Recording) -> Rulings:
    """Whether each request that got 429 was repeated after its time, if it was."""
    ordered = recording.ordered
    for index, exchange in enumerate(ordered):
        response = exchange.response
        if response is None or response.status != TOO_MANY_REQUESTS:
            continue
        seconds = retry_after(response)
        again = _again(exchange, ordered[index + 1 :])
        if seconds is not None and again is not None:
            otherwise = _early(exchange, again, seconds)
            yield ruling(WAITING, exchange, again, otherwise=otherwise)


def _again(exchange: Exchange, later: Sequence[Exchange]) -> Exchange | None:
    """The first repetition of a request that was sent after its response."""
    ended = exchange.started + exchange.elapsed
    return next(
        (each for each in later if _is_alike(each, exchange) and each.started > ended), None
    )


def _is_alike(one: Exchange, other: Exchange) -> bool:
    """Whether two requests ask for the same, as the same caller; an approval by any key."""
    return _subject(one) == _subject(other) and one.in_contract


def _subject(exchange: Exchange) -> tuple[object, ...]:
    request = exchange.request
    return request.method, request.url, exchange.credential, exchange.scheme


def _early(exchange: Exchange, again: Exchange, seconds: float) -> Defect | None:
    waited = again.started - exchange.started - exchange.elapsed
    if waited >= seconds - COARSE:
        return None
    return defect(
        Kind.COUNT,
        "the request was sent again {waited:.2f} s after a 429 with Retry-After: {stated}",
        expected=f"{seconds:g} s at least",
        actual=round(waited, 3),
        waited=waited,
        stated=exchange.response.header("retry-after") if exchange.response else None,
    )
