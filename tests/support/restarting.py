"""A reference on a loopback socket that goes away during a run, and comes back on request."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conformance.reference import Reference, serve


class Restarting(Reference):
    """A reference whose server stops after its request of a number, if any."""

    def __init__(self, last: int | None = None) -> None:
        super().__init__()
        self.last = last
        self.requests = 0
        self.port = 0
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        inner = self.app

        async def app(scope: Any, receive: Any, send: Any) -> None:
            self.requests += 1
            is_last = self.requests == self.last
            await inner(scope, receive, send)
            if is_last:
                self._server.should_exit = True

        self.app: Any = app

    def start(self) -> str:
        """Listen, at the same port as before; the base URL."""
        ready, listener = threading.Event(), serve.listen("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        self._server = serve.server(self.app, ready.set)
        options = {"sockets": [listener]}
        thread = threading.Thread(target=self._server.run, kwargs=options, daemon=True)
        thread.start()
        self._threads.append(thread)
        assert ready.wait(10)
        return serve.address(listener)

    def join(self) -> None:
        """Wait until the server has stopped."""
        self._threads[-1].join(10)

    def stop(self) -> None:
        """Stop, and wait for it."""
        self._server.should_exit = True
        self.join()


@contextmanager
def restarting(last: int | None = None) -> Iterator[tuple[Restarting, dict[str, Any]]]:
    """A running one, and its profile."""
    reference = Restarting(last)
    try:
        profile: dict[str, Any] = reference.profile(reference.start())
        yield reference, profile
    finally:
        reference.stop()
        reference.close()
