"""References and files on loopback sockets, for clients of other projects."""

import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from conformance.reference import Reference, serve


@contextmanager
def by_command(folder: Path) -> Iterator[dict[str, Any]]:
    """The target profile of a reference in a process of `conformance serve`."""
    written = folder / "target.toml"
    command = [sys.executable, "-m", "conformance", "serve", "--target-out", str(written)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            running.stdout.readline()  # the base URL, printed once the server accepts requests
            yield tomllib.loads(written.read_text(encoding="utf-8"))
        finally:
            running.terminate()
            running.wait(10)


@contextmanager
def instance(reference: Reference, host: str = "127.0.0.1") -> Iterator[dict[str, Any]]:
    """The target profile of an instance served in a thread; the instance is closed afterwards."""
    ready, listener = threading.Event(), serve.listen(host, 0)
    server = serve.server(reference.app, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(10)
    try:
        profile: dict[str, Any] = reference.profile(serve.address(listener))
        yield profile
    finally:
        server.should_exit = True
        thread.join(10)
        reference.close()


@contextmanager
def files(directory: Path) -> Iterator[str]:
    """The base URL of the files in a directory."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(directory))) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Silent(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
