"""Servers that break HTTP, or a caller's patience, in one way each; and an application that answers by a script."""

import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Behaviour = Callable[[socket.socket], None]


@contextmanager
def served(behave: Behaviour) -> Iterator[str]:
    """The base URL of a server that leaves each of its connections to `behave`, in a thread of its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    opened: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                opened.append(connection)
                threads.append(
                    threading.Thread(
                        target=_until_it_breaks, args=(behave, connection), daemon=True
                    )
                )
                threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join(5)
        for connection in opened:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(5)


def _until_it_breaks(behave: Behaviour, connection: socket.socket) -> None:
    with connection, suppress(OSError):
        behave(connection)


def head(connection: socket.socket) -> bytes:
    """What a client sends up to the end of its headers, and what came with it of the body."""
    received = b""
    while b"\r\n\r\n" not in received and (piece := connection.recv(65536)):
        received += piece
    return received


def answering(response: bytes, then: Behaviour = lambda _: None) -> Behaviour:
    """Reads the head of one request, sends these bytes, and does something else before it closes."""

    def behave(connection: socket.socket) -> None:
        head(connection)
        connection.sendall(response)
        then(connection)

    return behave


def repeating(piece: bytes, pause: float = 0.0) -> Behaviour:
    """Sends the same bytes until the client is gone."""

    def behave(connection: socket.socket) -> None:
        while True:
            connection.sendall(piece)
            time.sleep(pause)

    return behave


def silence(connection: socket.socket) -> None:
    """Reads, and never says anything."""
    while connection.recv(65536):
        pass


def deafness(connection: socket.socket) -> None:
    """Reads nothing and says nothing for a while."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    time.sleep(2)


def reset(connection: socket.socket) -> None:
    """Ends the connection without the usual farewell."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def bomb(codings: int) -> bytes:
    """A small response that unpacks to 64 MiB of blanks, packed once or several times over."""
    packed = b" " * (64 * 1024 * 1024)
    for _ in range(codings):
        packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
        packed = packer.compress(packed) + packer.flush()
    names = ", ".join(["gzip"] * codings).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-encoding: %b\r\ncontent-length: %d\r\n\r\n%b" % (
        names,
        len(packed),
        packed,
    )


OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"

UNANSWERED: dict[str, Behaviour] = {
    "hangs up at once": lambda _: None,
    "hangs up after the request": answering(b""),
    "resets the connection": answering(b"", reset),
    "stops within the head": answering(OK),
    "stops within the body": answering(OK + b"content-length: 100\r\n\r\n{"),
    "stops within a chunk": answering(OK + b"transfer-encoding: chunked\r\n\r\n40\r\n{"),
    "never answers": silence,
    "answers something else": answering(b"\x00\x01\x02 this is no HTTP\r\n\r\n"),
    "has a status that is none": answering(b"HTTP/1.1 abc OK\r\n\r\n"),
    "has a length that is none": answering(OK + b"content-length: many\r\n\r\n{}"),
    "never ends its body": answering(
        OK + b"transfer-encoding: chunked\r\n\r\n", repeating(b"10000\r\n" + b" " * 65536 + b"\r\n")
    ),
    "announces an answer for ever": answering(b"", repeating(b"HTTP/1.1 100 Continue\r\n\r\n")),
    "sends headers for ever": answering(OK, repeating(b"x-more: " + b"x" * 1000 + b"\r\n")),
    "drips its head": answering(OK, repeating(b"x", 0.05)),
    "drips its body": answering(OK + b"content-length: 1000000\r\n\r\n", repeating(b" ", 0.05)),
    "sends a packed body that bursts": answering(bomb(1)),
    "sends a body packed twice over": answering(bomb(2)),
}
"""What a server may do that leaves a client without an answer."""


@dataclass
class Script:
    """An application that gives its answers in turn, the last one again and again: (status, headers, body), or what to raise."""

    answers: list[Any]
    requests: list[tuple[dict[str, Any], bytes]] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, and keep it."""
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        self.requests.append((scope, body))
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        status, headers, content = answer
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    @property
    def headers(self) -> list[dict[str, str]]:
        """The headers of each request."""
        return [
            {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
            for scope, _ in self.requests
        ]


Answer = tuple[int, list[tuple[bytes, bytes]], bytes]


def answer(
    status: int = 200, body: bytes = b'{"data": {}, "requestId": "r"}', **headers: str
) -> Answer:
    """One answer of a script; names of headers have underscores for hyphens."""
    stated = {"content_type": "application/json", **headers}
    return (
        status,
        [
            (name.replace("_", "-").encode(), value.encode("latin-1"))
            for name, value in stated.items()
        ],
        body,
    )
