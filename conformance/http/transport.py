"""Transports: over a network, or directly into an ASGI application."""

import asyncio
import hashlib
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakSet

import httpcore
import httpx

from conformance.http.connection_pool import Pool
from conformance.http.proxy import proxy_of

WRITE_SIZE = 64 * 1024
LONGEST_EXCHANGE = 3600.0
"""Seconds for an exchange without a timeout of its own."""

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


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


class Network(httpx.BaseTransport):
    """Connections over a network, kept alive between requests.

    They use the trust store of the system and the proxies of the environment. The extension
    `timeout.whole` of a request bounds the whole exchange, in seconds; with `fresh` it gets a new
    connection, and no other request may be under way. `certificates` are the
    SHA-256 digests, in hexadecimal digits, of the TLS certificates that servers have shown.
    """

    concurrency = 32

    def __init__(self) -> None:
        self._context = httpx.create_ssl_context()
        self._routes: dict[tuple[str, bytes], _Route] = {}
        self._opening = threading.Lock()
        self._connections = Connections()
        self.certificates: set[str] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. Raises httpx.TransportError without a response."""
        _exchange.ends = time.monotonic() + request.extensions.get("timeout", {}).get(
            "whole", LONGEST_EXCHANGE
        )
        if request.extensions.get("fresh"):
            self._forget(request.url)
        response = self._route(request.url).handle_request(request)
        if request.url.scheme == "https":
            self._note_certificate(response)
        return response

    def _note_certificate(self, response: httpx.Response) -> None:
        secured = response.extensions["network_stream"].get_extra_info("ssl_object")
        shown = secured.getpeercert(True) if secured else None  # noqa: FBT003 - it takes no names
        if shown:
            self.certificates.add(hashlib.sha256(shown).hexdigest())

    def abort(self) -> None:
        """Break every connection off, and end every sleep."""
        self._connections.abort()

    def close(self) -> None:
        """Close every connection."""
        for route in self._routes.values():
            route.close()

    def _forget(self, url: httpx.URL) -> None:
        """Close the connections to the origin of a URL."""
        with self._opening:
            route = self._routes.pop((url.scheme, url.netloc), None)
        if route is not None:
            route.close()

    def _route(self, url: httpx.URL) -> "_Route":
        origin = (url.scheme, url.netloc)
        with self._opening:
            if origin not in self._routes:
                self._routes[origin] = _Route(self._context, proxy_of(url), self._connections)
            return self._routes[origin]

    def wait(self, seconds: float, since: float | None = None, /) -> None:
        """Sleep for what is left of some seconds."""
        passed = 0.0 if since is None else time.monotonic() - since
        self._connections.aborted.wait(max(0.0, seconds - passed))


class _Route(httpx.HTTPTransport):
    """The connections to one origin, directly or through a proxy."""

    def __init__(
        self, context: ssl.SSLContext, proxy: str | None, connections: "Connections"
    ) -> None:
        super().__init__(verify=context)
        stated = httpx.Proxy(proxy) if proxy else None
        # httpx accepts no network backend, and its timeouts start anew with every byte.
        self._pool = Pool(
            ssl_context=context,
            proxy=httpcore.Proxy(str(stated.url), auth=stated.raw_auth) if stated else None,
            network_backend=BoundedBackend(connections),
        )


class Connections:
    """The connections of a transport; whoever waits for one of them can be released."""

    def __init__(self) -> None:
        self._open: WeakSet[BoundedStream] = WeakSet()
        self._changing = threading.Lock()
        self.aborted = threading.Event()

    def add(self, stream: "BoundedStream") -> "BoundedStream":
        """Keep a connection in mind; it ends at once where all of them were aborted."""
        with self._changing:
            self._open.add(stream)
            if self.aborted.is_set():
                stream.abort()
        return stream

    def abort(self) -> None:
        """End all connections, those in use as well."""
        with self._changing:
            self.aborted.set()
            for stream in self._open:
                stream.abort()


class BoundedBackend(httpcore.SyncBackend):
    """Opens connections on which the duration of a whole exchange is bounded."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        """Connect, within the timeout for connecting."""
        stream = super().connect_tcp(*args, **options)
        return self._connections.add(BoundedStream(stream, self._connections))


class BoundedStream(httpcore.NetworkStream):
    """A stream that stops at the end of the time of this thread's current exchange."""

    def __init__(self, stream: httpcore.NetworkStream, connections: Connections) -> None:
        self._stream = stream
        self._connections = connections

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Received bytes."""
        return self._stream.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send, piece by piece, within the time of the exchange."""
        for start in range(0, len(buffer), WRITE_SIZE):
            try:
                self._stream.write(
                    buffer[start : start + WRITE_SIZE], _left(timeout, httpcore.WriteTimeout)
                )
            except httpcore.WriteTimeout as late:
                if not self._stream.get_extra_info("is_readable"):
                    raise
                # A server that has responded reads no more; httpcore then reads the response.
                raise httpcore.WriteError(str(late)) from late

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def abort(self) -> None:
        """Release whoever reads from the connection or writes to it, in whatever thread."""
        with suppress(OSError):  # it is closed
            # A TLS connection would first forget its encryption, and another thread reads by it.
            socket.socket.shutdown(self._stream.get_extra_info("socket"), socket.SHUT_RDWR)

    def start_tls(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        stream = self._stream.start_tls(*args, **options)
        return self._connections.add(BoundedStream(stream, self._connections))

    def get_extra_info(self, info: str) -> Any:
        """Information about the connection."""
        return self._stream.get_extra_info(info)


class _Exchange(threading.local):
    ends = 0.0


_exchange = _Exchange()


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    left = _exchange.ends - time.monotonic()
    if left <= 0:
        raise late("the exchange does not end")
    return left if timeout is None else min(timeout, left)


class InProcess(httpx.BaseTransport):
    """An ASGI application, called in the calling thread on an event loop of that thread.

    The loop runs from the first moment on in which the application waits: most requests need none
    of it. An application that needs a task of its own yields once before, by `asyncio.sleep(0)`.
    `advance` moves the clock of the application, so that waiting takes no time.
    """

    concurrency = 1

    def __init__(self, application: Application, advance: Callable[[float], None]) -> None:
        self._application = application
        self._advance = advance
        self._local = threading.local()
        self._loops: list[asyncio.AbstractEventLoop] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Run the application to the end of its response."""
        loop = self._loop()
        call = _call(self._application, request)
        asyncio._set_running_loop(loop)  # what the application awaits belongs to this loop
        try:
            awaited = call.send(None)
        except StopIteration as end:
            response: httpx.Response = end.value
            return response
        finally:
            asyncio._set_running_loop(None)
        return loop.run_until_complete(_Started(call, awaited))

    def wait(self, seconds: float, _since: float | None = None, /) -> None:
        """Move the application's clock instead of sleeping: nothing else moves it."""
        self._advance(seconds)

    def abort(self) -> None:
        """Nothing: nobody waits."""

    def close(self) -> None:
        """Close the loops of every thread that sent something."""
        while self._loops:
            self._loops.pop().close()

    def _loop(self) -> asyncio.AbstractEventLoop:
        loop: asyncio.AbstractEventLoop | None = getattr(self._local, "loop", None)
        if loop is None or loop.is_closed():
            loop = self._local.loop = asyncio.new_event_loop()
            self._loops.append(loop)
        return loop


@dataclass(frozen=True)
class _Started:
    """A coroutine that waits for something, as something to await."""

    call: Coroutine[Any, Any, httpx.Response]
    awaited: Any

    def __await__(self) -> Generator[Any, Any, httpx.Response]:
        """Wait for what it waits for, and then for its end."""
        yield self.awaited
        return (yield from self.call.__await__())


async def _call(application: Application, request: httpx.Request) -> httpx.Response:
    chunks = _chunks(request)
    response: dict[str, Any] = {"headers": [], "ended": False}
    body: list[bytes] = []

    async def receive() -> Message:
        chunk = next(chunks, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(message: Message) -> None:
        response.update(message)
        body.append(message.get("body", b""))
        response["ended"] = message["type"] == "http.response.body" and not message.get(
            "more_body", False
        )

    try:
        await application(_scope(request), receive, send)
    except Exception as problem:
        # A served application that raises breaks the connection or sends 500.
        if not response["ended"]:
            raise httpx.RemoteProtocolError(
                f"the application raised {type(problem).__name__}", request=request
            ) from problem
    if not response["ended"]:
        raise httpx.RemoteProtocolError(
            "the application sent an incomplete response", request=request
        )
    return httpx.Response(
        response["status"],
        headers=response["headers"],
        stream=httpx.ByteStream(b"".join(body)),
        request=request,
    )


def _chunks(request: httpx.Request) -> Iterator[bytes]:
    stream = request.stream
    assert isinstance(stream, httpx.SyncByteStream)
    yield from stream


def _scope(request: httpx.Request) -> Message:
    url = request.url
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": url.scheme,
        "path": url.path,
        "raw_path": url.raw_path.split(b"?")[0],
        "query_string": url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "server": (url.host, url.port or 80),
        "client": ("127.0.0.1", 50000),
    }
