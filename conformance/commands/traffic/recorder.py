"""An application whose requests and responses are recorded, as exchanges that rules can judge."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conformance.commands.traffic.forwarding import path_of
from conformance.commands.traffic.senders import Senders
from conformance.contract.openapi import Contract
from conformance.http.address import below
from conformance.http.budget import LONGEST_RESPONSE, RESPONSE
from conformance.http.exchange import Call, Cut, Exchange, Request, Response
from conformance.rules import tool_call
from conformance.rules.client.recording import DESCRIPTION, OTHER, TOOLS

PURPOSE = "a request of the client"
LOST = "the connection ended before the response"
TOO_LONG = f"the body has more than {LONGEST_RESPONSE:,} bytes"

IN_A_PATH = "%/?:@!$&'()*+,;=-._~"
"""Characters of a path with a query that are recorded as they were sent (RFC 3986)."""

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Addresses:
    """The addresses of a target; `None` where it has none of the kind."""

    base_url: str
    tools_url: str | None = None
    description_url: str | None = None

    @property
    def origin(self) -> str:
        """The scheme and the authority of the base URL."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"


@dataclass
class Messages:
    """What was seen so far of one request and of its response; times are in seconds."""

    scope: Scope
    started: float
    body: bytes = b""
    status: int | None = None
    headers: Headers = ()
    response: bytes = b""
    is_complete: bool = False
    elapsed: float = 0.0


@dataclass
class Recorder:
    """Records what passes through an application, as seen from its clients.

    `item` is the name of the exchanges; `now` is the time in seconds since the run began. `keep`
    gets each exchange when it is over.
    """

    app: ASGIApp
    item: str
    addresses: Addresses
    contract: Contract
    senders: Senders
    keep: Callable[[Exchange], object]
    now: Callable[[], float] = time.monotonic
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        seen, number = Messages(scope, self.now()), next(self._numbers)
        # An application may respond before it has read the body, which was sent all the same.
        waiting = [message async for message in _body(receive)]
        for message in waiting:
            seen.body = _longer(seen.body, message)

        async def received() -> Message:
            return waiting.pop(0) if waiting else await receive()

        async def sent(message: Message) -> None:
            self._take(seen, message)
            await send(message)

        try:
            await self.app(scope, received, sent)
        finally:
            self.keep(self._exchange(seen, number))

    def _take(self, seen: Messages, message: Message) -> None:
        # Before it is sent: afterwards the client may have sent its next request already.
        seen.elapsed = self.now() - seen.started
        if message["type"] == "http.response.start":
            seen.status, seen.headers = message["status"], tuple(_decoded(message["headers"]))
        else:
            seen.response = _longer(seen.response, message)
            seen.is_complete = not message.get("more_body", False)

    def _exchange(self, seen: Messages, number: int) -> Exchange:
        scope = seen.scope
        sent = tuple(pair for pair in _decoded(scope["headers"]) if pair[0] != "host")
        self.senders.learn(sent)
        credential, scheme = self.senders.of(sent)
        url = self.addresses.origin + _path(scope)
        request = Request(scope["method"], url, sent, seen.body or None)
        operation, path = self._called(request)
        query = tuple(parse_qsl(urlsplit(url).query, keep_blank_values=True))
        response = self._response(seen)
        return Exchange(
            item=self.item,
            number=number,
            call=Call(operation, path, query, request.body),
            purpose=PURPOSE,
            credential=credential,
            scheme=scheme,
            request=self.senders.without_secrets(request),
            response=response,
            failure=None if response else LOST,
            started=seen.started,
            elapsed=seen.elapsed if response else self.now() - seen.started,
            in_contract=operation != TOOLS and not self._is_of_tools(url),
        )

    def _response(self, seen: Messages) -> Response | None:
        """The response as it was sent; None where it did not come to its end."""
        if seen.status is None or not seen.is_complete:
            return None
        headers = self.senders.masked(seen.headers)
        if len(seen.response) <= LONGEST_RESPONSE:
            return Response(seen.status, headers, seen.response)
        return Response(seen.status, headers, cut=Cut(len(seen.response), "", TOO_LONG, RESPONSE))

    def _is_of_tools(self, url: str) -> bool:
        return url.partition("?")[0] == self.addresses.tools_url

    def _called(self, request: Request) -> tuple[str, dict[str, str]]:
        """The operation of a request, or what it is instead; and its path parameters."""
        url = request.url.partition("?")[0]
        if self._is_of_tools(url):
            probe = Exchange("", 0, Call(TOOLS), "", None, None, request)
            called = tool_call.read(probe)
            is_known = called is not None and called.tool in self.contract.operations
            return (called.tool if called and is_known else TOOLS), {}
        if url == self.addresses.description_url:
            return DESCRIPTION, {}
        path = below(self.addresses.base_url, url)
        found = self.contract.operation_at(request.method, path) if path else None
        if found is None:
            return OTHER, {}
        operation, parameters = found
        return operation.id, {name: unquote(value) for name, value in parameters.items()}


async def _body(receive: Receive) -> AsyncIterator[Message]:
    """The messages with the body of a request, up to its end, or to the stored part of it."""
    length, has_more = 0, True
    while has_more and length <= LONGEST_RESPONSE:
        message = await receive()
        has_more = message.get("more_body", False)
        length += len(message.get("body", b""))
        yield message


def _longer(body: bytes, message: Message) -> bytes:
    """A body with the part in a message; one byte past the limit shows that it was longer."""
    part: bytes = message.get("body", b"")
    return (body + part)[: LONGEST_RESPONSE + 1] if part else body


def _decoded(headers: object) -> Iterator[tuple[str, str]]:
    assert isinstance(headers, list | tuple)
    for name, value in headers:
        yield name.decode("latin-1").lower(), value.decode("latin-1")


def _path(scope: Scope) -> str:
    """The path and the query of a request, with no character that a URL does not have."""
    query = scope["query_string"].decode("latin-1")
    path = path_of(scope).decode("latin-1")
    whole = f"/{path.removeprefix('/')}{f'?{query}' if query else ''}"
    return quote(whole, safe=IN_A_PATH, encoding="latin-1")
