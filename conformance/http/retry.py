"""What is no verdict: refusals and failures that come from load or from the network, and how long to wait them out."""

import re
from datetime import UTC, datetime

from conformance.http.exchange import Exchange, Response

TOO_MANY_REQUESTS = 429
UNAVAILABLE = frozenset({502, 503, 504})
"""Answers of a gateway or of a service that is away for a while; after the tries they are inconclusive."""

TRANSIENT = UNAVAILABLE | {500}
"""What is tried again; a 500 that stays is the target's own answer."""

LONGEST_DELAY = 1e9

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = f"(?P<month>{'|'.join(MONTHS)})"
_TIME = "(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-5][0-9]|60)"
HTTP_DATES = (
    re.compile(
        f"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?P<day>[0-9]{{2}}) {_MONTH} (?P<year>[0-9]{{4}}) {_TIME} GMT"
    ),
    re.compile(
        f"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?P<day>[0-9]{{2}})-{_MONTH}-(?P<year>[0-9]{{2}}) {_TIME} GMT"
    ),
    re.compile(
        f"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_MONTH} (?P<day>[ 0-9][0-9]) {_TIME} (?P<year>[0-9]{{4}})"
    ),
)
"""The form of today and the two obsolete ones, which recipients have to accept as well."""


def is_transient(exchange: Exchange) -> bool:
    """Whether the same request may well be answered otherwise a moment later."""
    return exchange.response is None or exchange.response.status in TRANSIENT


def is_unavailable(exchange: Exchange) -> bool:
    """Whether the answer says nothing about the target's rules."""
    return exchange.response is None or exchange.response.status in UNAVAILABLE | {
        TOO_MANY_REQUESTS
    }


def retry_after(response: Response) -> float | None:
    """Seconds that `Retry-After` asks for, or None where it is absent or neither delay-seconds nor an HTTP-date (RFC 9110)."""
    value = response.header("retry-after")
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value), LONGEST_DELAY)
    moment = _moment(value)
    if moment is None:
        return None
    # A date is measured against the target's own clock, so that ours need not agree with it.
    now = _moment(response.header("date") or "")
    return max(0.0, (moment - now).total_seconds()) if now else 1.0


def _moment(text: str) -> datetime | None:
    """The moment of an HTTP-date (RFC 9110, 5.6.7) in any of its three forms; None for every other text."""
    match = next((found for form in HTTP_DATES if (found := form.fullmatch(text))), None)
    if match is None:
        return None
    year, day, hour, minute, second = (
        int(match[name]) for name in ("year", "day", "hour", "minute", "second")
    )
    if len(match["year"]) == 2:
        year += 2000 if year < 70 else 1900
    try:  # a leap second has no datetime
        return datetime(
            year, MONTHS.index(match["month"]) + 1, day, hour, minute, min(second, 59), tzinfo=UTC
        )
    except ValueError:
        return None
