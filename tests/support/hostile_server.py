"""The reference at raw sockets, with one kind of response replaced by arbitrary bytes."""

import re
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from faulty_server import served

from conformance.http.in_process import InProcess
from conformance.reference import ManualClock, Reference

Bytes = bytes | Iterable[bytes]
Broken = Callable[["Answer"], Bytes]
"""The bytes that are sent instead of a response."""

FACES = {
    "http": r"/v1/(?!account|openapi)",
    "tools": "/mcp",
    "description": "/v1/openapi",
    "all": "/",
}
"""The paths that are broken: those of one interface. The account responds, or no run begins."""


@dataclass(frozen=True)
class Answer:
    """A response of the reference, and the JSON-RPC number of the request to a tool."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def but(self, body: bytes | None = None, status: str = "", *headers: str) -> bytes:
        """The same response with another body, status line or further headers."""
        content = self.body if body is None else body
        own = [f"{name}: {value}" for name, value in self.headers if name != "content-length"]
        lines = [
            f"HTTP/1.1 {status or f'{self.status} OK'}",
            *(line for line in own if not _is_replaced(line, headers)),
            *headers,
            f"content-length: {len(content)}",
            "connection: close",
        ]
        return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape") + content


def _is_replaced(line: str, headers: Iterable[str]) -> bool:
    name = line.partition(":")[0].lower()
    return any(header.partition(":")[0].lower() == name for header in headers)


@contextmanager
def broken(
    face: str, respond: Broken, note: Callable[[str], object] = str
) -> Iterator[dict[str, Any]]:
    """The profile of a reference whose responses of one interface are replaced.

    `note` gets the path of each request.
    """
    clock = ManualClock()
    reference = Reference(clock=clock)
    paths = re.compile(FACES[face])

    def behave(connection: socket.socket) -> None:
        inside = InProcess(reference.app, clock.advance)
        method, path, headers, body = _request(connection)
        note(path)
        url = f"http://reference.test{path}"
        found = inside.handle_request(httpx.Request(method, url, headers=headers, content=body))
        answer = Answer(found.status_code, tuple(found.headers.items()), found.read())
        inside.close()
        sent = respond(answer) if paths.match(path) else answer.but()
        for piece in [sent] if isinstance(sent, bytes) else sent:
            connection.sendall(piece)

    with served(behave) as url:
        yield reference.profile(url)
    reference.close()


def _request(connection: socket.socket) -> tuple[str, str, list[tuple[str, str]], bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65536)
        if not piece:
            raise OSError("no request")
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    headers = [
        (name.strip(), value.strip()) for name, _, value in (x.partition(":") for x in lines)
    ]
    stated = {name.lower(): value for name, value in headers}
    while len(body) < int(stated.get("content-length", "0")):
        body += connection.recv(65536)
    kept = [pair for pair in headers if pair[0].lower() not in ("transfer-encoding", "host")]
    return method, path, kept, body
