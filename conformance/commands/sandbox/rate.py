"""A rate limit for every caller: `--rate 20/s`."""

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.reference.clock import Clock, SystemClock
from conformance.reference.errors import RateLimited
from conformance.reference.rate_limit import Rate, RateLimiter
from conformance.reference.responses import ResponseBuilder, transmit
from conformance.reference.schemes import digest

RATE = re.compile(r"([1-9][0-9]*)/(s|min)")
SECONDS = {"s": 1.0, "min": 60.0}


def parse(text: str) -> Rate:
    """A rate such as `20/s` or `100/min`; ValueError for another text."""
    match = RATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} must be a rate such as 20/s or 100/min")
    return Rate(int(match[1]), SECONDS[match[2]])


class Limited:
    """An application that rejects requests beyond a rate with 429, for each credential."""

    def __init__(self, app: ASGIApp, rate: Rate, seed: int, clock: Clock | None = None) -> None:
        self._app = app
        self._rate = rate
        self._limiter = RateLimiter(clock or SystemClock())
        self._responses = ResponseBuilder(f"{seed} rate")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        headers = Headers(scope=scope)
        caller = headers.get("x-api-key") or headers.get("authorization", "")
        try:
            self._limiter.consume(digest(caller), self._rate)
        except RateLimited as error:
            bodiless = scope["method"] == "HEAD"
            await transmit(self._responses.error(error), send, bodiless=bodiless)
            return
        await self._app(scope, receive, send)
