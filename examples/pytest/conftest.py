"""The target of the conformance checks: the service of this project, started for the tests.

Here the sandbox of `conformance serve` stands for that service.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

SERVICE: pytest.StashKey[Any] = pytest.StashKey()


def pytest_conformance_target(config: pytest.Config) -> dict[str, Any]:
    """Start the service on a free port; its profile is made here, and stands in no file."""
    service = started()
    config.add_cleanup(lambda: service.__exit__(None, None, None))
    profile = service.__enter__()
    config.stash[SERVICE] = profile
    # What the approval needs comes from the hooks below.
    without_reviews = profile["fixtures"] | {"approvable-reviews": []}
    return profile | {"fixtures": without_reviews}


def pytest_conformance_credentials() -> dict[str, dict[str, str]]:
    """A credential that this project makes by itself: a key that no service has issued."""
    return {"revoked": {"api-key": "revoked-0123456789abcdef"}}


def pytest_conformance_approvable_review(config: pytest.Config) -> str | None:
    """One more review that may be approved; a real project would create it."""
    ids: list[str] = config.stash[SERVICE]["fixtures"]["approvable-reviews"]
    return ids.pop() if ids else None


@pytest.fixture(scope="session")
def base_url(request: pytest.FixtureRequest) -> str:
    """The address of the service, for this project's own tests."""
    url: str = request.config.stash[SERVICE]["base-url"]
    return url


@contextmanager
def started() -> Iterator[dict[str, Any]]:
    """The service in a process of its own; yields the profile that it writes."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "target.toml"
        command = [sys.executable, "-m", "conformance", "serve", "--target-out", str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()  # its first line says that it listens
                yield tomllib.loads(file.read_text(encoding="utf-8"))
            finally:
                process.terminate()
