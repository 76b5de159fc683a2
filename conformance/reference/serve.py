"""The HTTP server of the reference."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from conformance.reference.app import PREFIX
from conformance.reference.marker import SERVER

TRANSPORT: Final = "transport"
"""The name of the transport in the state of a scope."""


class Server(uvicorn.Server):
    """A uvicorn server with a callback for the moment at which it listens."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then call the callback."""
        await super().startup(sockets)
        self._announce()


def serve(running: Server, listener: socket.socket) -> None:
    """Serve on a bound socket until SIGINT or SIGTERM."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # uvicorn raises a received signal again after it has stopped; this handler ends it here.
        signal.signal(number, running.handle_exit)
    running.run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio disables Nagle's algorithm only if the protocol is explicit: 44 ms for each request.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    return listener


def address(listener: socket.socket, name: str | None = None) -> str:
    """The base URL of a server on a bound socket; by another name, where it has one."""
    bound, port = listener.getsockname()[:2]
    host = name or bound
    authority = f"[{host}]" if ":" in host else host
    return f"http://{authority}:{port}{PREFIX}"


class Severable(H11Protocol):
    """A connection that an application can close, by the transport in the state of its scope."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Keep the transport."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, TRANSPORT: transport}


def server(app: ASGIApp, announce: Callable[[], None], *, severable: bool = False) -> Server:
    """A server that is not started; `run(sockets=[…])` blocks until `should_exit` is set.

    The application of a `severable` one can close connections.
    """
    config = uvicorn.Config(
        app,
        http=Severable if severable else "auto",
        access_log=False,
        lifespan="off",
        log_level="warning",
        server_header=False,
        headers=[("server", SERVER)],
        timeout_keep_alive=60,
        timeout_graceful_shutdown=5,
    )
    return Server(config, announce)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read; its mode is set when it is created."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
