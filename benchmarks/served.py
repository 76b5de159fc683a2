"""References in processes of their own: delayed, counted, with edited sources."""

import asyncio
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks import enlarged
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.reference import serve, target
from conformance.target.profile import load
from conformance.target.target import Target

PADDING = 30_000_000
"""Bytes of spaces."""

# A fork would inherit the sockets and threads of earlier measurements.
CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Setting:
    """A reference: seconds before each response, concurrent requests in its profile, its edits.

    With `projects` it has so many, and as many more videos and reviews, in a SQLite file. With
    `padded`, every so-many-th response is longer by 30 MB of spaces. With `rate`, what exceeds so
    many requests a second is rejected.
    """

    latency: float = 0.0
    connections: int | None = None
    edits: tuple[Edit, ...] = ()
    projects: int | None = None
    padded: int | None = None
    rate: float | None = None


@dataclass(frozen=True)
class Served:
    """A reference that is served: its profile, and what it has seen so far."""

    profile: Path
    _requests: Any
    _first: Any

    @property
    def target(self) -> Target:
        """The profile, read."""
        return load(self.profile)

    @property
    def requests(self) -> int:
        """The number of requests so far."""
        return int(self._requests.value)

    @property
    def first(self) -> float:
        """The moment of the first request, on the monotonic clock."""
        return float(self._first.value)


@contextmanager
def reference(folder: Path, setting: Setting = Setting()) -> Iterator[Served]:
    """A reference in another process; `folder` gets its profile."""
    profile = folder / "target.toml"
    requests, first = CONTEXT.Value("q", 0), CONTEXT.Value("d", 0.0)
    ready, announced = CONTEXT.Pipe(duplex=False)
    server = CONTEXT.Process(
        target=_serve, args=(setting, profile, announced, (requests, first)), daemon=True
    )
    server.start()
    announced.close()  # otherwise a server that fails would be waited for
    ready.recv()
    try:
        yield Served(profile, requests, first)
    finally:
        server.terminate()
        server.join()


def _serve(setting: Setting, profile: Path, announced: Connection, seen: Sequence[Any]) -> None:
    package = altered.load(setting.edits)
    database = ":memory:" if setting.projects is None else str(profile.with_name("data.db"))
    times = enlarged.copies(setting.projects or 0)
    made = package.Reference(database=database, projects=(setting.projects or 0) // times or None)
    if times > 1:
        enlarged.enlarge(Path(database), times)
    listener = serve.listen("127.0.0.1", 0)
    table = made.profile(serve.address(listener))
    if setting.connections is not None:
        table["limits"]["connections"] = setting.connections
    if setting.padded is not None:
        table["limits"]["max-response-bytes"] = 2 * PADDING
    profile.write_text(target.toml(table), encoding="utf-8")
    application, (requests, first) = made.app, seen
    if setting.rate is not None:
        application = _limited(application, setting.rate)

    async def counted(scope: Any, receive: Any, send: Any) -> None:
        if not requests.value:
            first.value = time.monotonic()
        requests.value += 1
        if setting.latency:
            await asyncio.sleep(setting.latency)
        is_padded = setting.padded is not None and requests.value % setting.padded == 0
        await application(scope, receive, _padding(send) if is_padded else send)

    serve.server(counted, lambda: announced.send(None)).run(sockets=[listener])


def _limited(application: Any, rate: float) -> Any:
    """Responds 429 where a second's requests are used up; they come back evenly."""
    left, last = rate, time.monotonic()
    headers = [(b"content-type", b"application/json"), (b"retry-after", b"1")]
    body = b'{"code": "rate_limited", "requestId": "of the gateway"}'

    async def limited(scope: Any, receive: Any, send: Any) -> None:
        nonlocal left, last
        now = time.monotonic()
        left, last = min(rate, left + (now - last) * rate), now
        if scope["type"] != "http" or left >= 1:
            left -= scope["type"] == "http"
            await application(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 429, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return limited


def _padding(send: Any) -> Any:
    """Sends a response with spaces at its end, which JSON allows."""

    async def padded(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": list(map(_longer, message["headers"]))}
        elif not message.get("more_body"):
            message = {**message, "body": message.get("body", b"") + b" " * PADDING}
        await send(message)

    return padded


def _longer(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, value = header
    return (name, b"%d" % (int(value) + PADDING)) if name == b"content-length" else header
