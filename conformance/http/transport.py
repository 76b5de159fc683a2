"""What a transport is: it sends requests for the client, and lets time pass."""

from typing import Protocol

import httpx

RECORDED = "recorded"
"""The extension of a request with the start and the seconds of its exchange in a recording."""


class RecordedFailure(httpx.TransportError):
    """A connection that failed in a recorded run; `description` is the one that was recorded."""

    def __init__(self, description: str) -> None:
        super().__init__(description)
        self.description = description


class Transport(Protocol):
    """Sends requests for the client, and lets time pass.

    A recording, or an application with a simulated clock, does not sleep.
    """

    concurrency: int
    """How many requests may usefully be under way at once."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. Raises httpx.TransportError without a response."""

    def wait(self, seconds: float, since: float | None = None, /) -> None:
        """Let the time of the target pass: so many seconds, from now or a moment before.

        `since` is on the monotonic clock. Where time is simulated, the target has waited for none
        of them yet.
        """

    def abort(self) -> None:
        """Let nobody wait any more, neither for a response nor for time to pass."""

    def close(self) -> None:
        """Close all connections."""
