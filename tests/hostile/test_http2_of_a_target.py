"""Targets that violate HTTP/2, in frames that they write themselves."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

import httpx
import pytest
from faulty_server import served

from conformance.http import content_coding
from conformance.http.connection_pool import Pool

DATA, HEADERS, SETTINGS, PING, CONTINUATION = 0, 1, 4, 6, 9
END_STREAM, END_HEADERS, ACKNOWLEDGED = 1, 4, 1
STREAM = 1


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One frame (RFC 9113, 4.1)."""
    length = len(payload).to_bytes(3, "big")
    return length + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def head(status: bytes, flags: int = END_HEADERS) -> bytes:
    """The headers of a response: a status alone, in the simplest form of HPACK."""
    return frame(HEADERS, flags, STREAM, b"\x08" + bytes([len(status)]) + status)


WHOLE = END_HEADERS | END_STREAM
BEGUN = head(b"200") + frame(DATA, 0, STREAM, b"{")
PIECES: dict[str, list[bytes]] = {
    "a frame of no stream within a body": [BEGUN, frame(DATA, 0, 0, b"x")],
    "a ping that is too short within a body": [BEGUN, frame(PING, 0, 0, b"x")],
    "a frame that is too long within a body": [BEGUN, frame(DATA, 0, STREAM, b"x" * 20_000)],
    "a status that is no number": [head(b"abc", WHOLE)],
    "a status beyond all": [head(b"999999", WHOLE)],
    "a status below all": [head(b"-5", WHOLE)],
    "no status": [frame(HEADERS, WHOLE, STREAM)],
    "a line end in a header": [frame(HEADERS, WHOLE, STREAM, b"\x88\x00\x01a\x03b\r\n")],
    "headers without an end": [head(b"200", 0) + frame(CONTINUATION, 0, STREAM) * 100],
}


def behaving(pieces: list[bytes], has_head: threading.Event) -> Callable[[socket.socket], None]:
    """Responds to the first request by the first piece; by the others once its head was read."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(frame(SETTINGS, 0, 0))
        received = b""
        while bytes([HEADERS]) + bytes([WHOLE]) not in received:
            received += connection.recv(65536)
        connection.sendall(pieces[0])
        for piece in pieces[1:]:
            assert has_head.wait(10)
            connection.sendall(piece)
        with suppress(ConnectionError):  # the client may end it with frames that it has not read
            while connection.recv(65536):
                pass

    return behave


def read(transport: httpx.HTTPTransport, request: httpx.Request, has_head: threading.Event) -> None:
    """Send a request, and read the whole response."""
    received = transport.handle_request(request)
    has_head.set()
    try:
        content_coding.read(received)
    finally:
        received.close()


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES)
def test_a_violation_of_http2_is_a_failed_connection(pieces: list[bytes]) -> None:
    """So it is no internal error, whichever library finds it, and the connection is not kept."""
    transport = httpx.HTTPTransport()
    transport._pool = pool = Pool(http1=False, http2=True)
    has_head = threading.Event()
    with transport, served(behaving(pieces, has_head)) as url:
        request = httpx.Request("GET", url, extensions={"timeout": {"read": 5, "connect": 5}})
        with pytest.raises(httpx.TransportError):
            read(transport, request, has_head)
        assert not pool._idle
