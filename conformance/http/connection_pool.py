"""The connections to one origin, kept alive between requests."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import httpcore
from h2.exceptions import H2Error

STATUSES = range(100, 1000)
"""What HTTP/1.1 has a place for; httpcore takes any number with HTTP/2."""

MOST_OF_HTTP2 = 90
"""Requests of one connection with HTTP/2.

Servers end a connection after a number of requests, many after 100 or 1,000, by a GOAWAY before the
last response. httpcore gives that response up.
"""

# Off in httpcore, so that a response without a status has the status 200.
httpcore.HTTP2Connection.CONFIG.validate_inbound_headers = True


class Pool(httpcore.ConnectionPool):
    """As many connections as there are requests under way; the one used last is used next.

    httpcore's own pool examines all connections before and after each request, and asks the system
    about each idle one, while every other thread waits for its lock. Here a thread looks at the
    connection that it takes, and at no other.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Changed by single operations, which need no lock.
        self._idle: deque[_Kept] = deque()
        self._open: set[httpcore.ConnectionInterface] = set()

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        """Send one request on a connection of its own, until the response is closed."""
        kept = self._taken()
        connection = kept.connection if kept else self._opened(request.url.origin)
        try:
            with _remote_violations():
                response = connection.handle_request(request)
                if response.status not in STATUSES:
                    raise ValueError(f"invalid status: {response.status}")
        except BaseException:
            self._discard(connection)
            raise
        assert isinstance(response.stream, Iterable)
        stream = response.extensions["network_stream"]
        used = _Kept(connection, stream, kept.requests + 1 if kept else 1)
        body = _Body(response.stream, used, self)
        return httpcore.Response(
            response.status,
            headers=response.headers,
            content=body,
            extensions=response.extensions,
        )

    def release(self, used: "_Kept") -> None:
        """Keep a connection whose response is complete, and close any other."""
        is_used_up = self._http2 and used.requests >= MOST_OF_HTTP2
        # One with HTTP/2 is idle, too, after a violation that has ended it.
        is_usable = used.connection.is_idle() and used.connection.is_available()
        if is_usable and not is_used_up:
            self._idle.append(used)
        else:
            self._discard(used.connection)

    def close(self) -> None:
        """Close every connection."""
        self._idle.clear()
        while self._open:
            self._open.pop().close()

    def _taken(self) -> "_Kept | None":
        """An idle connection that the server has not closed, if there is one."""
        with suppress(IndexError):  # there is none
            while (kept := self._idle.pop()).is_over:
                self._discard(kept.connection)
            return kept
        return None

    def _opened(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        connection = self.create_connection(origin)
        self._open.add(connection)
        return connection

    def _discard(self, connection: httpcore.ConnectionInterface) -> None:
        self._open.discard(connection)
        connection.close()


@contextmanager
def _remote_violations() -> Iterator[None]:
    """Name what a server has violated of HTTP/2.

    httpcore lets the errors of h2 pass within a body, and that of a status which is no number.
    """
    try:
        yield
    except (H2Error, ValueError) as problem:
        raise httpcore.RemoteProtocolError(str(problem)) from problem


class _Kept(NamedTuple):
    """A connection, and how many requests it has had."""

    connection: httpcore.ConnectionInterface
    stream: httpcore.NetworkStream
    requests: int

    @property
    def is_over(self) -> bool:
        """Whether the server has closed it, or says that it will.

        httpcore looks at connections of HTTP/1.1 only. A GOAWAY is something to read.
        """
        return self.connection.has_expired() or bool(self.stream.get_extra_info("is_readable"))


class _Body:
    """The body of a response; its connection is free as soon as it is closed."""

    def __init__(self, stream: Iterable[bytes], used: _Kept, pool: Pool) -> None:
        self._stream = stream
        self._used = used
        self._pool = pool
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        """The bytes as they are received."""
        with _remote_violations():
            yield from self._stream

    def close(self) -> None:
        """Release the connection, once."""
        if self._is_closed:
            return
        self._is_closed = True
        self._stream.close()  # type: ignore[attr-defined] # each stream of httpcore has it
        self._pool.release(self._used)
