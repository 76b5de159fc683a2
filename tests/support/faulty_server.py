"""Servers that violate HTTP, or never complete a response, in one way each."""

import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Behaviour = Callable[[socket.socket], None]


@contextmanager
def served(behave: Behaviour) -> Iterator[str]:
    """The base URL of a server that calls `behave` for each connection, in its own thread."""
    listener = socket.create_server(("127.0.0.1", 0))
    opened: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                opened.append(connection)
                handler = threading.Thread(target=_handle, args=(behave, connection), daemon=True)
                threads.append(handler)
                handler.start()

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


def _handle(behave: Behaviour, connection: socket.socket) -> None:
    with connection, suppress(OSError):
        behave(connection)


def head(connection: socket.socket) -> bytes:
    """The bytes of a request up to the end of its headers, and those received with them."""
    received = b""
    while b"\r\n\r\n" not in received and (piece := connection.recv(65536)):
        received += piece
    return received


def responding(response: bytes, then: Behaviour = lambda _: None) -> Behaviour:
    """Reads the head of one request, sends these bytes, and calls `then` before it closes."""

    def behave(connection: socket.socket) -> None:
        head(connection)
        connection.sendall(response)
        then(connection)

    return behave


def repeating(piece: bytes, pause: float = 0.0) -> Behaviour:
    """Sends the same bytes until the client disconnects."""

    def behave(connection: socket.socket) -> None:
        while True:
            connection.sendall(piece)
            time.sleep(pause)

    return behave


def silence(connection: socket.socket) -> None:
    """Reads everything and sends nothing."""
    while connection.recv(65536):
        pass


def deafness(connection: socket.socket) -> None:
    """Reads nothing and sends nothing for two seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    time.sleep(2)


def reset(connection: socket.socket) -> None:
    """Resets the connection instead of closing it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def bomb(codings: int) -> bytes:
    """A small response that decompresses to 64 MiB, after so many content codings."""
    packed = b" " * (64 * 1024 * 1024)
    for _ in range(codings):
        packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
        packed = packer.compress(packed) + packer.flush()
    names = ", ".join(["gzip"] * codings).encode()
    template = b"HTTP/1.1 200 OK\r\ncontent-encoding: %b\r\ncontent-length: %d\r\n\r\n"
    return template % (names, len(packed)) + packed


OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"

WITHOUT_RESPONSE: dict[str, Behaviour] = {
    "closes at once": lambda _: None,
    "closes after the request": responding(b""),
    "resets the connection": responding(b"", reset),
    "stops within the head": responding(OK),
    "stops within the body": responding(OK + b"content-length: 100\r\n\r\n{"),
    "stops within a chunk": responding(OK + b"transfer-encoding: chunked\r\n\r\n40\r\n{"),
    "never responds": silence,
    "responds with something else": responding(b"\x00\x01\x02 this is no HTTP\r\n\r\n"),
    "has an invalid status": responding(b"HTTP/1.1 abc OK\r\n\r\n"),
    "has an invalid length": responding(OK + b"content-length: many\r\n\r\n{}"),
    "sends interim responses for ever": responding(
        b"", repeating(b"HTTP/1.1 100 Continue\r\n\r\n")
    ),
    "sends headers for ever": responding(OK, repeating(b"x-more: " + b"x" * 1000 + b"\r\n")),
    "sends its head slowly": responding(OK, repeating(b"x", 0.05)),
    "sends its body slowly": responding(
        OK + b"content-length: 1000000\r\n\r\n", repeating(b" ", 0.05)
    ),
    "sends a body compressed twice": responding(bomb(2)),
}
"""Behaviours of a server after which a client has no response."""

TOO_LONG: dict[str, Behaviour] = {
    "never ends its body": responding(
        OK + b"transfer-encoding: chunked\r\n\r\n", repeating(b"10000\r\n" + b" " * 65536 + b"\r\n")
    ),
    "sends a compressed body beyond the limit": responding(bomb(1)),
    "has too many values": responding(OK + b"connection: close\r\n\r\n[" + b"0," * 300_000 + b"0]"),
}
"""Behaviours after which only the beginning of the body is kept."""
