"""The HTTP server of the second implementation, on the standard library."""

import gzip
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from second_implementation import api, errors
from second_implementation.api import Response
from second_implementation.choices import Choices
from second_implementation.world import Record, World

PREFIX = "/v1/"
INTERIM = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"


class Server(ThreadingHTTPServer):
    """Serves one world; requests are handled one at a time, since dicts have no transactions."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, world: World, choices: Choices) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.world = world
        self.choices = choices
        self.lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """The base URL of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}{PREFIX.rstrip('/')}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect early."""

    def respond(self, request: Record) -> Response | None:
        """The response to a request, or None to close the connection."""
        wire = self.choices.wire
        with self.lock:
            number = self.world["requests"] = self.world["requests"] + 1
            if wire.drop and number % wire.drop == 0:
                return None
            if wire.hiccup and number % wire.hiccup == 0:
                return 503, errors.SOON, errors.body(self.choices, 503, "in a moment")
            return api.handle(self.world, self.choices, request)


@contextmanager
def served(world: World, choices: Choices) -> Iterator[Server]:
    """A running server."""
    with Server(world, choices) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536
    timeout = 30

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        """Handle a GET."""
        self._handle(b"")

    def do_POST(self) -> None:
        """Handle an approval."""
        wire = self.server.choices.wire
        if "chunked" in self.headers.get("transfer-encoding", ""):
            if not wire.chunked_requests:
                self._reject(411)
                return
            body = self._chunks()
        else:
            length = int(self.headers.get("content-length", 0))
            if length > wire.maximum and wire.abrupt:
                self._reject(413)
                return
            body = self.rfile.read(length)
        self._handle(body)

    def _chunks(self) -> bytes:
        body = bytearray()
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return bytes(body)

    def _reject(self, status: int) -> None:
        """Respond without reading the body, and close the connection."""
        self.close_connection = True
        body = errors.body(self.server.choices, status, "not read")
        self._write((status, {"Connection": "close"}, body))

    def _handle(self, body: bytes) -> None:
        choices = self.server.choices
        if choices.wire.latency:  # a sleep of no time would let every other thread go first
            time.sleep(choices.wire.latency)
        if len(body) > choices.wire.maximum:
            self._write((413, {}, errors.body(choices, 413, "too large")))
            return
        url = urlsplit(self.path)
        path = [unquote(segment) for segment in url.path.removeprefix(PREFIX).split("/")]
        query = parse_qsl(url.query, keep_blank_values=True)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = {"method": self.command, "path": path, "query": query, "headers": headers}
        response = self.server.respond(request | {"body": body})
        if response is None:
            self.close_connection = True
            return
        self._write(response)

    def _write(self, response: Response) -> None:
        status, extra, document = response
        wire = self.server.choices.wire
        content = json.dumps(document, ensure_ascii=wire.framing == "chunked").encode()
        headers = {"Content-Type": wire.content_type, "Date": formatdate(usegmt=True), **extra}
        if wire.gzip and "gzip" in self.headers.get("accept-encoding", ""):
            content = gzip.compress(content, 1)
            headers["Content-Encoding"] = "gzip"
        version, ending, content = _framed(content, wire.framing)
        if ending == "close":
            self.close_connection = True
            headers["Connection"] = "close"
        else:
            name, _, value = ending.partition(": ")
            headers[name] = value
        interim = INTERIM if wire.interim else ""
        lines = [f"{_in_case(name, wire.letters)}: {value}" for name, value in headers.items()]
        head = f"{interim}{version} {status} \r\n" + "\r\n".join(lines) + "\r\n\r\n"
        self.wfile.write(head.encode("latin-1") + content)
        self.wfile.flush()


def _framed(content: bytes, framing: str) -> tuple[str, str, bytes]:
    """The version, the header for the end of the body (or `close`), and the encoded body."""
    if framing == "chunked":
        pieces = [content[start : start + 700] for start in range(0, len(content), 700)]
        chunks = b"".join(b"%x;ext=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        return "HTTP/1.1", "Transfer-Encoding: chunked", chunks + b"0\r\nX-Trailer: 1\r\n\r\n"
    if framing in ("close", "http10"):
        return "HTTP/1.0" if framing == "http10" else "HTTP/1.1", "close", content
    return "HTTP/1.1", f"Content-Length: {len(content)}", content


def _in_case(name: str, letters: str) -> str:
    return {"lower": name.lower(), "upper": name.upper()}.get(letters, name)
