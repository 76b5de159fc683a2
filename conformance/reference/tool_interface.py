"""The tool interface: the service over the Model Context Protocol.

The transport is streamable HTTP, stateless, with JSON responses. The SDK supports both eras of the
protocol: with a handshake (up to 2025-11-25), and with self-contained requests (2026-07-28).
Its import takes half a second; it is therefore imported by the first tool request.

Credential, rate limit and body size are checked first: their errors are HTTP responses.
All other errors are results of the tool. The list of tools is the same for every caller, so that it
can be cached; the error of a call names the missing permission.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from conformance.reference import catalogue, request_body, tools
from conformance.reference.access import Caller
from conformance.reference.errors import MethodNotAllowed
from conformance.reference.responses import ResponseBuilder
from conformance.reference.schemes import presented_credentials
from conformance.reference.service import Service
from conformance.reference.tools import JsonObject

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp_types import CallToolRequestParams, PaginatedRequestParams

TOOLS_PATH: Final = "/mcp"

LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")

LIST_LIFETIME_MS: Final = 3_600_000
"""How long a client may cache the list of tools; it changes with the API version only."""


class ToolInterface:
    """The ASGI application at `/mcp`; requests share no state, so any event loop may run them."""

    def __init__(self, service: Service, responses: ResponseBuilder) -> None:
        self._service = service
        self._responses = responses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one POST; GET and DELETE need a session, and there are none."""
        request = Request(scope, receive)
        if request.method != "POST":
            raise MethodNotAllowed(request.method, "POST")
        caller = self._service.admit(presented_credentials(request.headers))
        request_body.check_declared_length(request.headers.get("content-length"))
        body = await request_body.read(receive)
        await _handle(
            ToolHandlers(self._service, self._responses, caller).server(),
            scope,
            _replay(body),
            send,
        )


class ToolHandlers:
    """The request handlers of one caller."""

    def __init__(self, service: Service, responses: ResponseBuilder, caller: Caller) -> None:
        self._service = service
        self._responses = responses
        self._caller = caller

    def server(self) -> "Server[Any]":
        """An SDK server with these handlers."""
        from mcp.server import Server  # noqa: PLC0415 - slow, see above
        from mcp_types import CallToolRequestParams, PaginatedRequestParams  # noqa: PLC0415 - slow, see above

        info = catalogue.document()["info"]
        server: Server[Any] = Server(
            "localization",
            title=info["title"],
            version=info["version"],
            instructions=info["description"],
        )
        server.add_request_handler("tools/list", PaginatedRequestParams, self._list)
        server.add_request_handler("tools/call", CallToolRequestParams, self._call)
        return server

    async def _list(
        self, _context: "ServerRequestContext[Any]", params: "PaginatedRequestParams"
    ) -> JsonObject:
        """All tools, on one page."""
        if params.cursor is not None:
            raise _invalid_params("No cursor was issued for this list.")
        return {
            "tools": [tool.listing for tool in tools.tools().values()],
            "resultType": "complete",
            "ttlMs": LIST_LIFETIME_MS,
            "cacheScope": "public",
        }

    async def _call(
        self, _context: "ServerRequestContext[Any]", params: "CallToolRequestParams"
    ) -> JsonObject:
        """The result of a tool call."""
        tool = tools.tools().get(params.name)
        if tool is None:
            raise _invalid_params("There is no such tool.")
        return tools.call(
            self._service, self._responses, tool, self._caller, params.arguments or {}
        )


async def _handle(server: "Server[Any]", scope: Scope, receive: Receive, send: Send) -> None:
    """Handle one request with the SDK.

    A session manager belongs to one event loop and runs once, so that each request needs its own.
    """
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - slow, see above
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - slow, see above

    hosts = _hosts(scope)
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    # The SDK uses tasks: a caller without a running event loop starts one when something waits.
    await asyncio.sleep(0)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, security_settings=security
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)


def _hosts(scope: Scope) -> list[str]:
    """The allowed values of Host: loopback names, and the address of the server.

    They exclude the name of a web page that uses DNS rebinding to reach this server.
    """
    host, _ = scope.get("server") or ("localhost", None)
    server_host = f"[{host}]" if ":" in host else host
    names = dict.fromkeys((*LOOPBACK_HOSTS, server_host))
    return [pattern for name in names for pattern in (name, f"{name}:*")]


def _replay(body: bytes) -> Receive:
    """A `receive` that returns a body which has been read, and then never a disconnect."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.Future()

    return receive


def _invalid_params(message: str) -> Exception:
    """The protocol error for invalid parameters."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - slow, see above
    from mcp_types import INVALID_PARAMS  # noqa: PLC0415 - slow, see above

    return MCPError(INVALID_PARAMS, message)
