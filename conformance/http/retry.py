"""Transient errors: which responses are worth a repetition, and after how long."""

from datetime import datetime

from conformance.http import http_date
from conformance.http.exchange import NOT_SENT, Exchange, Response
from conformance.http.media_type import is_json

TOO_MANY_REQUESTS = 429

UNAVAILABLE = frozenset({502, 503, 504})
"""Statuses of a gateway, or of a service that is down for a while: never a verdict."""

GATEWAY = UNAVAILABLE | {408, 425, 499, *range(520, 531), 598, 599}
"""Statuses that gateways in front of a target use."""

FAILED = 500
"""A status that is worth a repetition; one that stays is the target's own response."""

OWN_FAILURES = (NOT_SENT, "InvalidURL", "DecodingError")
"""The beginnings of failures that say nothing about whether a target is there."""

LONGEST_DELAY = 1e9
"""Seconds; a larger `Retry-After` counts as this."""


def is_transient(exchange: Exchange) -> bool:
    """Whether the same request may well get another response a moment later."""
    response = exchange.response
    if response is None or response.status == FAILED:
        return True
    return response.status in UNAVAILABLE or is_from_gateway(response)


def is_unavailable(exchange: Exchange) -> bool:
    """Whether there is no response of the target's own: none, throttled, or unavailable."""
    response = exchange.response
    if response is None or response.status == TOO_MANY_REQUESTS:
        return True
    return response.status in UNAVAILABLE or is_from_gateway(response)


def is_timeout(exchange: Exchange) -> bool:
    """Whether a request took all the time that it had."""
    return exchange.failure is not None and "Timeout" in exchange.failure.partition(":")[0]


def is_lost(exchange: Exchange) -> bool:
    """Whether a request was sent, and the target may have been away: no response of its own."""
    if exchange.failure is not None:
        return not exchange.failure.startswith(OWN_FAILURES)
    return is_unavailable(exchange) and exchange.status != TOO_MANY_REQUESTS


def is_from_gateway(response: Response) -> bool:
    """Whether a gateway responded: the target's error body has `code` or `requestId`."""
    if response.status not in GATEWAY:
        return False
    body = response.json if is_json(response) else None
    return not isinstance(body, dict) or {"code", "requestId"}.isdisjoint(body)


def retry_after(response: Response, ours: datetime | None = None) -> float | None:
    """The seconds that `Retry-After` asks for.

    None where it is absent, or neither delay-seconds nor an HTTP-date (RFC 9110, 10.2.3). A date
    counts from `ours`, the time of this machine, where the response has no `Date`.
    """
    value = response.header("retry-after")
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value), LONGEST_DELAY)
    moment = http_date.parse(value)
    if moment is None:
        return None
    # Relative to the clock of the target, which ours need not agree with.
    now = http_date.parse(response.header("date") or "")
    if now is not None:
        return max(0.0, (moment - now).total_seconds())
    return 1.0 if ours is None else max(1.0, (moment - ours).total_seconds())
