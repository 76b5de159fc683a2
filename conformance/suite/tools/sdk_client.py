"""A conversation of the protocol's official client with the target's tools; importing it takes half a second.

The client negotiates, lists and reads answers as in anybody's program. Its requests go through the recording client, like all others.
"""

import asyncio
import json
import logging
import traceback
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp.client
from mcp import MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ListToolsResult
from pydantic import ValidationError

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.toolbox import MOST_PAGES, Toolbox

REFUSALS = (MCPError, ValidationError, httpx2.HTTPError, TimeoutError)
"""What the client raises where it does not understand an answer; RuntimeErrors of its own where an answer is against the rules."""

UNREADABLE = "Invalid schema for tool"
"""What the client says of an output schema that it cannot use: it may be right in a dialect of patterns, or refer to elsewhere."""

PATIENCE = 10.0
"""Seconds without a request after which the client waits for something that will not come."""

PLACE = str(Path(mcp.client.__file__).parent)
LONGEST_TOLD = 300
UNSUPPORTED = 405

for _name in ("mcp.client", "mcp.shared"):
    logging.getLogger(_name).setLevel(
        logging.CRITICAL + 1
    )  # they quote what a target answers, secrets included


@dataclass
class Courier(httpx2.AsyncBaseTransport):
    """Carries the requests of the client as the run's own: with a credential, paced, patient and recorded.

    `problem` is what kept one of them from being answered. Only POST is carried: streams that the client opens beside its requests are
    optional, and would race with them for their number in the recording.
    """

    toolbox: Toolbox
    operation: Operation
    caller: Caller
    exchanges: list[Exchange] = field(default_factory=list)
    problem: Exception | None = None
    patience: asyncio.Timeout = field(default_factory=lambda: asyncio.Timeout(None))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """What the target answers."""
        if request.method != "POST":
            return httpx2.Response(UNSUPPORTED)
        self.patience.reschedule(None)
        try:
            # Not in this thread: an application in this process needs the event loop of the thread for itself.
            exchange = await asyncio.to_thread(self._carry, request)
        except Exception as problem:
            self.problem = problem
            raise
        self.patience.reschedule(asyncio.get_running_loop().time() + PATIENCE)
        return _answer(exchange)

    def _carry(self, request: httpx2.Request) -> Exchange:
        headers = tuple(
            (name, value)
            for name, value in request.headers.items()
            if name == "accept" or name.startswith("mcp-")
        )
        method = json.loads(request.content).get(
            "method", "an answer"
        )  # to what the target asks in its streams
        call = Call(self.operation.id if method == "tools/call" else "tools", body=request.content)
        who, purpose = self.caller, f"stock client: {method}"
        sending = Sending(
            who.credential,
            who.scheme,
            purpose,
            headers,
            in_contract=False,
            method="POST",
            url=self.toolbox.channel.url,
        )
        exchange = self.toolbox.live.session.client.send(call, sending)
        self.exchanges.append(exchange)
        expect.clear(exchange)
        return exchange


def _answer(exchange: Exchange) -> httpx2.Response:
    """The answer as the client would have got it; its body has been decoded already."""
    assert exchange.response is not None
    about = {"content-encoding", "content-length", "transfer-encoding"}
    headers = [
        (name.encode(), value.encode("latin-1"))
        for name, value in exchange.response.headers
        if name not in about
    ]
    return httpx2.Response(
        exchange.response.status, headers=headers, content=exchange.response.body
    )


def converse(courier: Courier, arguments: dict[str, Any]) -> tuple[list[str], CallToolResult]:
    """The names of the tools that the client finds, and what it gets from that of the operation. Violation where it gives up."""
    try:
        return asyncio.run(_talk(courier, arguments))
    except Exception as problem:
        if courier.problem is not None:
            raise courier.problem from None
        reasons = list(_reasons(problem))
        if not all(_is_refusal(reason) for reason in reasons):
            raise
        told = "; ".join(_told(reason) for reason in reasons)
        if UNREADABLE in told:
            raise Inconclusive(told, needs=("output schemas that every client reads",)) from None
    raise Violation(
        defect(Kind.UNSORTED, f"the client gives up: {told}", expected="a result"),
        exchanges=[exchange.id for exchange in courier.exchanges[-3:]],
    )


async def _talk(courier: Courier, arguments: dict[str, Any]) -> tuple[list[str], CallToolResult]:
    async with (
        courier.patience,
        httpx2.AsyncClient(transport=courier, trust_env=False) as http,
        Client(streamable_http_client(courier.toolbox.channel.url, http_client=http)) as client,
    ):
        names = [name async for name in _names(client)]
        return names, await client.call_tool(courier.operation.id, arguments)


async def _names(client: Client) -> AsyncIterator[str]:
    cursor = None
    for _ in range(MOST_PAGES):
        page: ListToolsResult = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            yield tool.name
        cursor = page.next_cursor
        if cursor is None:
            return


def _reasons(problem: BaseException) -> Iterator[BaseException]:
    if isinstance(problem, BaseExceptionGroup):
        for each in problem.exceptions:
            yield from _reasons(each)
    else:
        yield problem


def _is_refusal(reason: BaseException) -> bool:
    own = isinstance(reason, RuntimeError) and traceback.extract_tb(reason.__traceback__)[
        -1
    ].filename.startswith(PLACE)
    return own or isinstance(reason, REFUSALS)


def _told(reason: BaseException) -> str:
    return f"{type(reason).__name__}: {' '.join(str(reason).split())}"[:LONGEST_TOLD]
