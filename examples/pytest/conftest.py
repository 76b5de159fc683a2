"""The target of the conformance checks: the service of this project, started for the tests.

Here the sandbox of `conformance serve` stands for that service.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

SERVICE: pytest.StashKey[Any] = pytest.StashKey()


def pytest_conformance_target(config: pytest.Config) -> dict[str, Any]:
    """The profile of the service, which is made when it starts, and stands in no file."""
    profile = service(config)
    # What the approval needs comes from the hooks below.
    without_reviews = profile["fixtures"] | {"approvable-reviews": []}
    return profile | {"fixtures": without_reviews}


def pytest_conformance_credentials() -> dict[str, dict[str, str]]:
    """A credential that this project makes by itself: a key that no service has issued."""
    return {"revoked": {"api-key": "revoked-0123456789abcdef"}}


def pytest_conformance_approvable_review(config: pytest.Config) -> str | None:
    """One more review that may be approved; a real project would create it."""
    ids: list[str] = service(config)["fixtures"]["approvable-reviews"]
    return ids.pop() if ids else None


@pytest.fixture(scope="session")
def base_url(request: pytest.FixtureRequest) -> str:
    """The address of the service, for this project's own tests."""
    url: str = service(request.config)["base-url"]
    return url


def service(config: pytest.Config) -> dict[str, Any]:
    """The profile of the service, which whoever asks first starts, on a free port."""
    if SERVICE not in config.stash:
        stack = ExitStack()
        config.add_cleanup(stack.close)
        config.stash[SERVICE] = stack.enter_context(started())
    profile: dict[str, Any] = config.stash[SERVICE]
    return profile


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
