"""What responses say about a rate limit: `Retry-After`, `RateLimit` and `X-RateLimit-*`."""

import re
from datetime import UTC, datetime

from conformance.http import http_date
from conformance.http.exchange import Response
from conformance.http.retry import TOO_MANY_REQUESTS, retry_after

DEFAULT = 1.0
"""Seconds to wait after a 429 that does not say how long."""

REMAINING = ("ratelimit-remaining", "x-ratelimit-remaining", "x-rate-limit-remaining")
RESET = ("ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset")
STRUCTURED = "ratelimit"
"""A header whose parameters `r` and `t` say the same, as `"default";r=50;t=30`."""

EPOCH = 1_000_000_000
"""A `Reset` from here on is a moment in seconds since 1970, and not a number of seconds."""

NUMBER = re.compile(r"\d{1,15}(\.\d{1,6})?", re.ASCII)
PARAMETER = re.compile(r"[;,]\s*(r|remaining|t|reset)=(\d{1,15})(?![\d.])", re.ASCII)


LIMIT = ("ratelimit-limit", "x-ratelimit-limit", "x-rate-limit-limit")
POLICY = "ratelimit-policy"
"""A header whose parameters `q` and `w` are the requests, and the seconds of their window."""

STATED = re.compile(r"[;,]\s*(q|limit|w)=(\d{1,15})(?![\d.])", re.ASCII)


def stated(response: Response) -> str | None:
    """The limit that the headers of a response state, in words; None where they state none."""
    headers = f";{response.header(POLICY) or ''};{response.header(STRUCTURED) or ''}"
    found = dict(reversed(STATED.findall(headers.replace(" ", ""))))
    number = _number(response, LIMIT, ()) or float(found.get("q") or found.get("limit") or 0)
    if not number:
        return None
    window = f" per {found['w']} s" if "w" in found else ""
    return f"{number:g} requests{window}"


class Quota:
    """Reads from each response whether the limit allows a further request.

    A counter that never says that anything remains is none, and is ignored.
    """

    def __init__(self) -> None:
        self._counts = False

    def pause(self, response: Response) -> float | None:
        """The seconds until the next request is allowed; None where it is allowed now."""
        if response.status == TOO_MANY_REQUESTS:
            return pause(response)
        remaining = _number(response, REMAINING, ("r", "remaining"))
        self._counts = self._counts or bool(remaining)
        return _reset(response) if remaining == 0 and self._counts else None


def pause(response: Response) -> float:
    """The seconds to wait after a 429."""
    wanted = retry_after(response, datetime.now(UTC))
    if wanted is None:
        wanted = _reset(response)
    return DEFAULT if wanted is None else wanted


def _reset(response: Response) -> float | None:
    seconds = _number(response, RESET, ("t", "reset"))
    if seconds is None or seconds < EPOCH:
        return seconds
    now = http_date.parse(response.header("date") or "")
    return max(0.0, seconds - now.timestamp()) if now else None


def _number(
    response: Response, names: tuple[str, ...], parameters: tuple[str, ...]
) -> float | None:
    """The value of the first of these headers, or of a parameter of `RateLimit`."""
    for name in names:
        value = (response.header(name) or "").strip()
        if NUMBER.fullmatch(value):
            return float(value)
    stated = f";{response.header(STRUCTURED) or ''}"
    for name, value in PARAMETER.findall(stated):
        if name in parameters:
            return float(value)
    return None
