"""The HTTP server of the reference."""

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from conformance.reference.app import PREFIX
from conformance.reference.marker import SERVER


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


def server(app: ASGIApp, announce: Callable[[], None]) -> Server:
    """A server that is not started; `run(sockets=[…])` blocks until `should_exit` is set."""
    config = uvicorn.Config(
        app,
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
