"""A session of the protocol's official client with the target's tools; slow to import.

The client negotiates, lists the tools and parses responses as in any program. Its requests go
through the recording client, like all others.
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
from jsonschema import SchemaError
from mcp import MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ListToolsResult
from pydantic import ValidationError
from referencing.exceptions import Unresolvable

from conformance.contract import validators
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.json_rpc import messages
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.toolbox import MAX_PAGES, Toolbox, check_cursor

CLIENT_ERRORS = (MCPError, ValidationError, httpx2.HTTPError, TimeoutError)
"""Errors of the client for responses that it does not understand.

For responses that violate the protocol it raises RuntimeErrors of its own.
"""

SCHEMA_ERRORS = (SchemaError, Unresolvable)
"""Causes of the client's errors for an output schema that it cannot use.

Such a schema may be valid: in another dialect of patterns, or with references to elsewhere.
"""

USABLE_SCHEMAS = ("output schemas that every client can use",)

IDLE_SECONDS = 60.0
"""Seconds after a response within which the client has to send its next request or finish."""

CLIENT_DIRECTORY = str(Path(mcp.client.__file__).parent)
MAX_REASON = 300
METHOD_NOT_ALLOWED = 405
FRAMING = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers about the body as it was transferred; the recorded body is decoded."""

for _name in ("mcp.client", "mcp.shared"):
    # These loggers quote responses, which may contain secrets.
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


@dataclass
class ClientTransport(httpx2.AsyncBaseTransport):
    """Sends the requests of the client through the recording client of the run.

    `problem` is the error that prevented the response to a request. Only POST is sent: the streams
    that the client opens beside its requests are optional, and their order is random.
    """

    toolbox: Toolbox
    operation: Operation
    caller: Caller
    exchanges: list[Exchange] = field(default_factory=list)
    problem: Exception | None = None
    idle: asyncio.Timeout = field(default_factory=lambda: asyncio.Timeout(None))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response of the target."""
        if request.method != "POST":
            return httpx2.Response(METHOD_NOT_ALLOWED)
        self.idle.reschedule(None)
        try:
            # In another thread: an application in this process needs this one's event loop.
            exchange = await asyncio.to_thread(self._send, request)
        except Exception as problem:
            self.problem = problem
            raise
        self.idle.reschedule(asyncio.get_running_loop().time() + IDLE_SECONDS)
        return _response(exchange)

    def _send(self, request: httpx2.Request) -> Exchange:
        # A message without a method responds to a request of the target.
        method = json.loads(request.content).get("method", "a response")
        operation = self.operation.id if method == "tools/call" else "tools"
        sending = Sending(
            self.caller.credential,
            self.caller.scheme,
            f"the official client: {method}",
            _protocol_headers(request),
            in_contract=False,
            method="POST",
            url=self.toolbox.channel.url,
        )
        call = Call(operation, body=request.content)
        exchange = self.toolbox.live.session.client.send(call, sending)
        self.exchanges.append(exchange)
        expect.clear(exchange)
        for result in _results(exchange):
            self._check_list(result, exchange)
        return exchange

    def _check_list(self, result: dict[str, Any], exchange: Exchange) -> None:
        """Inconclusive for a list of tools that may take the client ages."""
        cursor, listed = result.get("nextCursor"), result.get("tools")
        if isinstance(cursor, str):
            check_cursor(cursor)
        for tool in listed if isinstance(listed, list) else []:
            is_called = isinstance(tool, dict) and tool.get("name") == self.operation.id
            schema = tool.get("outputSchema") if is_called else None
            if isinstance(schema, dict) and not validators.is_for_any(schema):
                reason = "the output schema has patterns, or alternatives, that may take ages"
                raise Inconclusive(reason, needs=USABLE_SCHEMAS, exchanges=[exchange.id])


def _results(exchange: Exchange) -> Iterator[dict[str, Any]]:
    """The results of the messages in a response."""
    for message in messages(exchange):
        result = message.get("result") if isinstance(message, dict) else None
        if isinstance(result, dict):
            yield result


def _protocol_headers(request: httpx2.Request) -> tuple[tuple[str, str], ...]:
    headers = request.headers.items()
    return tuple(
        (name, value) for name, value in headers if name == "accept" or name.startswith("mcp-")
    )


def _response(exchange: Exchange) -> httpx2.Response:
    """The recorded response for the client."""
    assert exchange.response is not None
    response = exchange.response
    headers = [
        (name.encode(), value.encode("latin-1"))
        for name, value in response.headers
        if name not in FRAMING
    ]
    return httpx2.Response(response.status, headers=headers, content=response.body)


def list_and_call(
    transport: ClientTransport, arguments: dict[str, Any]
) -> tuple[list[str], CallToolResult]:
    """The names of the listed tools, and the result of the call. Violation if the client fails."""
    try:
        return asyncio.run(_converse(transport, arguments))
    except Exception as problem:
        if transport.problem is not None:
            raise transport.problem from None
        errors = list(_leaves(problem))
        if not all(_is_of_client(error) for error in errors):
            raise
        reason = "; ".join(_described(error) for error in errors)
        if any(_is_about_schema(error) for error in errors):
            raise Inconclusive(reason, needs=USABLE_SCHEMAS) from None
    failed = defect(
        Kind.BODY, "the official client fails: {reason}", expected="a result", reason=reason
    )
    raise Violation(failed, exchanges=[exchange.id for exchange in transport.exchanges[-3:]])


async def _converse(
    transport: ClientTransport, arguments: dict[str, Any]
) -> tuple[list[str], CallToolResult]:
    url = transport.toolbox.channel.url
    async with (
        transport.idle,
        httpx2.AsyncClient(transport=transport, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        names = [name async for name in _tool_names(client)]
        return names, await client.call_tool(transport.operation.id, arguments)


async def _tool_names(client: Client) -> AsyncIterator[str]:
    cursor = None
    followed: set[str | None] = set()
    while cursor not in followed and len(followed) < MAX_PAGES:
        followed.add(cursor)
        try:
            page: ListToolsResult = await client.list_tools(cursor=cursor)
        except MCPError:
            if cursor == "":  # some write it where a list ends
                return
            raise
        for tool in page.tools:
            yield tool.name
        cursor = page.next_cursor
        if cursor is None:
            return


def _leaves(problem: BaseException) -> Iterator[BaseException]:
    """The errors in a group, or the one error itself."""
    if isinstance(problem, BaseExceptionGroup):
        for each in problem.exceptions:
            yield from _leaves(each)
    else:
        yield problem


def _is_of_client(error: BaseException) -> bool:
    """Whether the client raised the error because of a response."""
    if isinstance(error, (*CLIENT_ERRORS, RecursionError)):
        return True
    raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
    return isinstance(error, RuntimeError) and raised_in.startswith(CLIENT_DIRECTORY)


def _is_about_schema(error: BaseException) -> bool:
    """Whether the client could not use the output schema of the tool.

    Its validator has no end of its own for a schema that holds wherever the schema itself holds.
    """
    if isinstance(error, RecursionError):
        return True
    return isinstance(error.__cause__ or error.__context__, SCHEMA_ERRORS)


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:MAX_REASON]
