"""The connections to one origin, kept alive between requests."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import httpcore


class Pool(httpcore.ConnectionPool):
    """As many connections as there are requests under way; the one used last is used next.

    httpcore's own pool examines all connections before and after each request, and asks the system
    about each idle one, while every other thread waits for its lock. Here a thread looks at the
    connection that it takes, and at no other.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Changed by single operations, which need no lock.
        self._idle: deque[httpcore.ConnectionInterface] = deque()
        self._open: set[httpcore.ConnectionInterface] = set()

    def handle_request(self, request: httpcore.Request) -> httpcore.Response:
        """Send one request on a connection of its own, until the response is closed."""
        connection = self._taken() or self._opened(request.url.origin)
        try:
            response = connection.handle_request(request)
        except BaseException:
            self._discard(connection)
            raise
        assert isinstance(response.stream, Iterable)
        body = _Body(response.stream, connection, self)
        return httpcore.Response(
            response.status,
            headers=response.headers,
            content=body,
            extensions=response.extensions,
        )

    def release(self, connection: httpcore.ConnectionInterface) -> None:
        """Keep a connection whose response is complete, and close any other."""
        if connection.is_idle():
            self._idle.append(connection)
        else:
            self._discard(connection)

    def close(self) -> None:
        """Close every connection."""
        self._idle.clear()
        while self._open:
            self._open.pop().close()

    def _taken(self) -> httpcore.ConnectionInterface | None:
        """An idle connection that the server has not closed, if there is one."""
        with suppress(IndexError):  # there is none
            while (connection := self._idle.pop()).has_expired():
                self._discard(connection)
            return connection
        return None

    def _opened(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        connection = self.create_connection(origin)
        self._open.add(connection)
        return connection

    def _discard(self, connection: httpcore.ConnectionInterface) -> None:
        self._open.discard(connection)
        connection.close()


class _Body:
    """The body of a response; its connection is free as soon as it is closed."""

    def __init__(
        self, stream: Iterable[bytes], connection: httpcore.ConnectionInterface, pool: Pool
    ) -> None:
        self._stream = stream
        self._connection = connection
        self._pool = pool
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        """The bytes as they are received."""
        return iter(self._stream)

    def close(self) -> None:
        """Release the connection, once."""
        if self._is_closed:
            return
        self._is_closed = True
        self._stream.close()  # type: ignore[attr-defined] # each stream of httpcore has it
        self._pool.release(self._connection)
