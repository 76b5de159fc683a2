"""What is no verdict: refusals and failures that come from load or from the network, and how long to wait them out."""

from datetime import datetime
from email.utils import parsedate_to_datetime

from conformance.exchange import Exchange, Response

UNAVAILABLE = frozenset({502, 503, 504})
"""Answers of a gateway or of a service that is away for a while; after the tries they are inconclusive."""

TRANSIENT = UNAVAILABLE | {500}
"""What is tried again; a 500 that stays is the target's own answer."""


def is_transient(exchange: Exchange) -> bool:
    """Whether the same request may well be answered otherwise a moment later."""
    return exchange.response is None or exchange.response.status in TRANSIENT


def is_weather(exchange: Exchange) -> bool:
    """Whether the answer says nothing about the target's rules."""
    return exchange.response is None or exchange.response.status in UNAVAILABLE | {429}


def retry_after(response: Response) -> float | None:
    """Seconds that `Retry-After` asks for, or None where it is absent or neither delay-seconds nor an HTTP-date (RFC 9110)."""
    value = response.header("retry-after")
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value) if len(value) < 10 else 1e9
    moment = _moment(value)
    if moment is None:
        return None
    # A date is measured against the target's own clock, so that ours need not agree with it.
    now = _moment(response.header("date") or "")
    return max(0.0, (moment - now).total_seconds()) if now else 1.0


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


