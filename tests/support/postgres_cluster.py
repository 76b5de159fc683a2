"""A PostgreSQL server of its own for tests, in a temporary folder; it can be killed and restarted.

The server refuses to run as root: there it runs as the user `postgres` of the Debian package.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

PACKAGED = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs of the server, by version."""
SETTINGS = ("listen_addresses=", "fsync=off", "max_connections=100", "log_min_messages=fatal")


class Cluster:
    """A running server; `url` names a database of it."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder, self._programs = folder, programs
        self._data = folder / "data"
        self._number = 0
        self._run("initdb", "--auth=trust", "--username=postgres", "--no-sync", "--locale=C.UTF-8")
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        settings = [f"-c {each}" for each in (*SETTINGS, f"unix_socket_directories={self._folder}")]
        log = str(self._folder / "log")
        self._run("pg_ctl", "start", "--wait", "--silent", f"--log={log}", "-o", " ".join(settings))

    def kill(self) -> None:
        """End the server and its connections at once, as a power failure would."""
        self._run("pg_ctl", "stop", "--wait", "--silent", "--mode=immediate")

    def stop(self) -> None:
        """Stop the server."""
        self._run("pg_ctl", "stop", "--wait", "--silent", "--mode=fast")

    def database(self) -> str:
        """The URL of a new database."""
        self._number += 1
        name = f"fleet_{self._number}"
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://postgres@/{name}?host={self._folder}"

    def _address(self, name: str) -> str:
        return f"host={self._folder} user=postgres dbname={name}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), f"--pgdata={self._data}", *arguments]
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        subprocess.run(
            [*(as_user if os.geteuid() == 0 else []), *command],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self._folder,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
        )


def programs() -> Path:
    """The folder of the newest server; without one, tests are skipped, or fail where CI has one."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).parent
    found = sorted(PACKAGED.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    message = "no PostgreSQL server: install the package postgresql (apt-get install postgresql)"
    if os.environ.get("CONFORMANCE_REQUIRE_POSTGRES"):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def running() -> Iterator[Cluster]:
    """A server until the end of the context."""
    folder_of_programs = programs()
    # The path of a socket is short, so the folders of pytest may be too deep.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    try:
        cluster = Cluster(folder, folder_of_programs)
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder)
