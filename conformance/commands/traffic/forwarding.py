"""A proxy in front of a target: every request is passed on, and so is every response."""

import asyncio
from collections.abc import Iterator

import httpx
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from conformance.commands.traffic.severance import sever
from conformance.http.budget import LONGEST_RESPONSE
from conformance.http.transport import Transport
from conformance.target.target import Target

HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers of one connection (RFC 9110, 7.6.1), or for a proxy alone (11.7)."""

ENCODED = frozenset({"content-encoding", "content-length"})
"""Headers of a body as it was encoded: it is passed on decoded, so that it can be judged."""

Headers = list[tuple[bytes, bytes]]


def forwarding(target: Target, origin: str, transport: Transport) -> ASGIApp:
    """The application that passes requests on to the origin of a target.

    A connection without a response ends without one, and so does one with too long a request.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if not path_of(scope).startswith(b"/"):  # a whole URL may name another server
            await Response("The path of a request begins with a slash.", 400)(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            await sever(scope, receive)
            return
        request = _request(scope, body, target, origin)
        try:
            response = await asyncio.to_thread(transport.handle_request, request)
        except httpx.TransportError:
            await sever(scope, receive)
            return
        await send(
            {
                "type": "http.response.start",
                "status": response.status_code,
                "headers": _passed(response),
            }
        )
        await _stream(response, scope, receive, send)

    return app


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None where it is longer than what is recorded of one.

    A client may send one without an end.
    """
    body = bytearray()
    while len(body) <= LONGEST_RESPONSE:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return bytes(body) if len(body) <= LONGEST_RESPONSE else None


def _request(scope: Scope, body: bytes, target: Target, origin: str) -> httpx.Request:
    """The request that the target gets, with the headers that the profile states."""
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    url = httpx.URL(origin).copy_with(raw_path=path_of(scope) + query)
    own = {"host", "accept-encoding", "content-length"}
    left_out = own | _hop_by_hop(scope["headers"])
    headers = [pair for pair in scope["headers"] if pair[0].decode("latin-1") not in left_out]
    sent = {name.lower() for name, _ in headers}
    further = [(each.name, each.value) for each in target.gateway.headers(str(url))]
    headers += [
        (name.encode(), value.encode())
        for name, value in further
        if name.lower().encode() not in sent
    ]
    headers.append((b"accept-encoding", b"identity"))
    return httpx.Request(scope["method"], url, headers=headers, content=body or None)


def path_of(scope: Scope) -> bytes:
    """The path as it was sent."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    return path.partition(b"?")[0]


def _passed(response: httpx.Response) -> Headers:
    is_encoded = "content-encoding" in response.headers
    raw = [(name.lower(), value) for name, value in response.headers.raw]
    left_out = _hop_by_hop(raw) | (ENCODED if is_encoded else frozenset())
    return [pair for pair in raw if pair[0].decode("latin-1") not in left_out]


def _hop_by_hop(headers: Headers) -> frozenset[str]:
    """The names of headers that end here, with those that `Connection` lists."""
    stated = [value.decode("latin-1") for name, value in headers if name == b"connection"]
    listed = ",".join(stated).split(",")
    return HOP_BY_HOP | {name.strip().lower() for name in listed}


async def _stream(response: httpx.Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Pass a body on, part by part: that of a stream of events may take long."""
    parts: Iterator[bytes] = response.iter_bytes()
    try:
        while (part := await asyncio.to_thread(next, parts, None)) is not None:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    except httpx.HTTPError:
        await sever(scope, receive)
    finally:
        await asyncio.to_thread(response.close)
