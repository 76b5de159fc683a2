"""The reference behind a real socket: `conformance serve`."""

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from conformance.reference import target
from conformance.reference.app import PREFIX
from conformance.reference.instance import Reference


class Server(uvicorn.Server):
    """A uvicorn server that says when it listens."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, then announce it."""
        await super().startup(sockets)
        self._announce()


def serve(
    port: int = 0,
    host: str = "127.0.0.1",
    database: str = ":memory:",
    seed: int = 1,
    target_out: Path | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; print the base URL as the first line once requests are answered.

    Port 0 takes any free one. `target_out` receives the target profile, readable by its owner only.
    OSError where the port is taken, ValueError where the database belongs to another seed.
    """
    reference = Reference(seed, database)
    listener = listen(host, port)
    base_url = address(listener)
    if target_out is not None:
        write_private(target_out, target.toml(reference.profile(base_url)))
    running = server(reference, lambda: print(base_url, flush=True))  # noqa: T201 - scripts read this line
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(
            number, running.handle_exit
        )  # uvicorn raises a signal again once it has stopped: it ends here
    running.run(sockets=[listener])
    reference.close()


def listen(host: str, port: int) -> socket.socket:
    """A bound socket. Its protocol is named: asyncio switches Nagle's algorithm off for such ones only, which saves 44 ms a call."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    return listener


def address(listener: socket.socket) -> str:
    """The base URL of what is served on a bound socket."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PREFIX}"


def server(reference: Reference, announce: Callable[[], None]) -> Server:
    """A server of the reference that has not started; `run(sockets=[…])` blocks until its `should_exit` is set."""
    config = uvicorn.Config(
        reference.app,
        access_log=False,
        lifespan="off",
        log_level="warning",
        server_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=5,
    )
    return Server(config, announce)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first moment on."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
