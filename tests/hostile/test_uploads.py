"""Requests without an end to the proxy of `watch`."""

import asyncio
from typing import Any

import httpx
from starlette.types import Message

from conformance.commands.traffic.forwarding import forwarding
from conformance.http.budget import LONGEST_RESPONSE
from conformance.http.network import Network
from conformance.reference.serve import TRANSPORT
from conformance.target.profile import parse

PIECE = 65_536
TARGET = parse({"base-url": "http://127.0.0.1:9/v1"}, environ={})


class Unreached(Network):
    """A target that no request may reach."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """No response."""
        raise AssertionError(request)


class Connection:
    """A client that sends a body without an end, until the server ends the connection."""

    def __init__(self) -> None:
        self.received = 0
        self.is_over = False

    def abort(self) -> None:
        """The server ends the connection."""
        self.is_over = True

    async def receive(self) -> Message:
        """The next piece of the body."""
        if self.is_over:
            return {"type": "http.disconnect"}
        self.received += PIECE
        assert self.received < 2 * LONGEST_RESPONSE
        return {"type": "http.request", "body": bytes(PIECE), "more_body": True}


async def nothing(message: Message) -> None:
    """Nothing may be sent: it would be recorded as a response of the target."""
    raise AssertionError(message)


def test_a_request_without_an_end_is_neither_kept_nor_passed_on() -> None:
    """Its connection ends as soon as its body is longer than what is recorded of one."""
    client = Connection()
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/v1/account",
        "query_string": b"",
        "headers": [],
        "state": {TRANSPORT: client},
    }
    passing = forwarding(TARGET, "http://127.0.0.1:9", Unreached())

    async def handle() -> None:
        await passing(scope, client.receive, nothing)

    asyncio.run(handle())
    assert client.is_over
    assert client.received <= LONGEST_RESPONSE + PIECE
