"""Requests that fail by chance, and always the same ones: `--fail 1/40:503`."""

import re
from dataclasses import dataclass
from random import Random

from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.reference.errors import ApiError, InternalError, RateLimited, Unavailable
from conformance.reference.responses import ResponseBuilder, transmit

FAULT = re.compile(r"([0-9]+)/([0-9]+):([0-9]{3})")


class BadGateway(ApiError):
    """An upstream service responded with something else than was expected."""

    status = 502
    code = "bad_gateway"
    title = "Invalid upstream response"

    def __init__(self) -> None:
        super().__init__("An upstream service returned an invalid response.")


ERRORS = {429: RateLimited(1), 500: InternalError(), 502: BadGateway(), 503: Unavailable()}
"""The statuses of the contract that a request may get whatever it asks for."""


@dataclass(frozen=True)
class Faults:
    """How many requests fail, from 0 to 1, and with which status."""

    share: float
    status: int


def parse(text: str) -> Faults:
    """Faults such as `1/40:503`: one request in forty; ValueError for another text."""
    match = FAULT.fullmatch(text)
    number, total, status = map(int, match.groups()) if match else (0, 0, 0)
    if not 0 < number <= total or status not in ERRORS:
        statuses = ", ".join(map(str, ERRORS))
        raise ValueError(f"{text!r} must be a share and a status of {statuses}, such as 1/40:503")
    return Faults(number / total, status)


class Failing:
    """An application of whose requests some fail before they are handled."""

    def __init__(self, app: ASGIApp, faults: Faults, seed: int) -> None:
        self._app = app
        self._faults = faults
        self._rng = Random(f"{seed} faults")
        self._responses = ResponseBuilder(f"{seed} faults")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if self._rng.random() >= self._faults.share:
            await self._app(scope, receive, send)
            return
        response = self._responses.error(ERRORS[self._faults.status])
        await transmit(response, send, bodiless=scope["method"] == "HEAD")
