"""The transport over a network: one route for each proxy, and an end for every exchange."""

import hashlib
import logging
import socket
import ssl
import threading
import time
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import httpcore
import httpx

from conformance.http import surroundings
from conformance.http.connection_pool import Pool
from conformance.http.proxy import proxy_of
from conformance.target.connection import Gateway

SCHEMES = ("http", "https")
LARGEST_PORT = 65535

WRITE_SIZE = 64 * 1024
LONGEST_OF_HTTP2 = 16_384
"""Bytes of a body with HTTP/2: a frame, which the flow control of any server lets pass."""

LONGEST_EXCHANGE = 3600.0
"""Seconds for an exchange without a timeout of its own."""

for _name in ("httpcore", "httpcore2", "httpx", "httpx2"):
    # These loggers quote headers as they were received, which may contain secrets.
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class Network(httpx.BaseTransport):
    """Connections over a network, kept alive between requests.

    They use the trust store of the system and the proxies of the environment, and what the profile
    states of the `gateway` in front of its addresses. The extension
    `timeout.whole` of a request bounds the whole exchange, in seconds; with `fresh` it gets a new
    connection, and no other request may be under way. `certificates` are the
    SHA-256 digests, in hexadecimal digits, of the TLS certificates that servers have shown.
    Raises UnusableEnvironment.
    """

    concurrency = 32

    def __init__(self, gateway: Gateway = Gateway()) -> None:  # noqa: B008 - it is frozen
        self._gateway = gateway
        stated = gateway.connection
        # httpcore sets the protocols of a context with each connection: no two kinds may share one.
        self._contexts = {
            (identified, http2): surroundings.ssl_context(stated, identified=identified)
            for identified in {stated.client_certificate is not None, False}
            for http2 in {stated.http2, False}
        }
        self._routes: dict[tuple[str, bytes, bool], _Route] = {}
        self._opening = threading.Lock()
        self._connections = Connections()
        self.certificates: set[str] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. Raises httpx.TransportError without a response."""
        if request.url.scheme not in SCHEMES:  # of a redirect
            raise httpx.UnsupportedProtocol("neither http:// nor https://", request=request)
        if (request.url.port or 0) > LARGEST_PORT:
            raise httpx.UnsupportedProtocol("a port beyond 65535", request=request)
        _exchange.ends = time.monotonic() + request.extensions.get("timeout", {}).get(
            "whole", LONGEST_EXCHANGE
        )
        if request.extensions.get("fresh"):
            self._forget(request.url)
        if self._gateway.connection.host and self._gateway.redirects(str(request.url)):
            request.headers["host"] = self._gateway.connection.host
            request.extensions["sni_hostname"] = self._gateway.connection.sni
        response = self._route(request).handle_request(request)
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
            keys = [key for key in self._routes if key[:2] == (url.scheme, url.netloc)]
            routes = [self._routes.pop(key) for key in keys]
        for route in routes:
            route.close()

    def _route(self, request: httpx.Request) -> "_Route":
        url = request.url
        http2 = self._gateway.connection.http2 and _fits_http2(request)
        key = (url.scheme, url.netloc, http2)
        with self._opening:
            if key not in self._routes:
                self._routes[key] = self._opened(url, http2=http2)
            return self._routes[key]

    def _opened(self, url: httpx.URL, *, http2: bool) -> "_Route":
        stated, address = self._gateway.connection, str(url)
        is_identified = bool(stated.client_certificate) and self._gateway.identifies(address)
        context = self._contexts[is_identified, http2]
        socket = stated.socket if self._gateway.redirects(address) else None
        proxy = None if socket else proxy_of(url)
        return _Route(context, proxy, self._connections, uds=socket, http1=True, http2=http2)

    def wait(self, seconds: float, since: float | None = None, /) -> None:
        """Sleep for what is left of some seconds."""
        passed = 0.0 if since is None else time.monotonic() - since
        self._connections.aborted.wait(max(0.0, seconds - passed))


def _fits_http2(request: httpx.Request) -> bool:
    """Whether httpcore reads every response to a request with HTTP/2.

    A server may reject a body before it has all of it, and allow no more to be sent. httpcore waits
    for that, and not for the response.
    """
    length = int(request.headers.get("content-length", "0"))
    return length <= LONGEST_OF_HTTP2 and "transfer-encoding" not in request.headers


class _Route(httpx.HTTPTransport):
    """The connections to one origin, directly or through a proxy."""

    def __init__(
        self,
        context: ssl.SSLContext,
        proxy: str | None,
        connections: "Connections",
        **options: Any,
    ) -> None:
        super().__init__(verify=context)
        stated = httpx.Proxy(proxy) if proxy else None
        # httpx accepts no network backend, and its timeouts start anew with every byte.
        self._pool = Pool(
            ssl_context=context,
            proxy=httpcore.Proxy(str(stated.url), auth=stated.raw_auth) if stated else None,
            network_backend=BoundedBackend(connections),
            **options,
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

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        """Connect to a server of this machine."""
        stream = super().connect_unix_socket(*args, **options)
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
    """The end of the exchange that a thread has begun; it may read the body of another one's."""

    def __init__(self) -> None:
        self.ends = time.monotonic() + LONGEST_EXCHANGE


_exchange = _Exchange()


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    left = _exchange.ends - time.monotonic()
    if left <= 0:
        raise late("the exchange does not end")
    return left if timeout is None else min(timeout, left)
