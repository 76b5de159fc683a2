"""A served reference, for the tests of all commands."""

import signal
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from process import COMMAND


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The profile of a reference served over loopback."""
    target = tmp_path_factory.mktemp("served") / "target.toml"
    with subprocess.Popen(
        [*COMMAND, "serve", "--target-out", str(target)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            assert tomllib.loads(target.read_text())["base-url"] == address
            yield target
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(10) == 0
