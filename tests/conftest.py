"""Fixtures for all tests: a reference, a finished run, a browser, tools from npm."""

import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import finished_run
import httpx
import node
import pytest
import reference_client
from playwright.sync_api import Browser, Playwright, sync_playwright
from shared_folder import shared

from conformance.reference import ManualClock, Reference
from conformance.runner import pytest_run

ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    # Requests of a page to other hosts fail immediately.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
ROOT = Path(__file__).parent
LONGEST = (
    "assurance/test_fairness.py",
    "runner/test_plugin.py",
    "assurance/test_certificate.py",
    "assurance/test_tamperings.py",
    "commands/test_run.py",
    "commands/test_installation.py",
    "report/test_formats.py",
    "assurance/test_selftest_command.py",
    "assurance/test_trial.py",
    "runner/test_killed.py",
    "assurance/test_example_registry.py",
    "runner/test_scheduling.py",
    "report/test_allure.py",
    "runner/test_engine.py",
    "hostile/test_behaviours.py",
    "hostile/test_strangers_edits.py",
    "hostile/test_trust.py",
    "hostile/test_stopped_anywhere.py",
    "commands/test_stop.py",
    "report/test_causes.py",
    "suite/test_new_filter.py",
    "commands/test_ci_files.py",
    "assurance/test_contributing.py",
)
"""The files that take longest, the longest first; they begin before all others."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# A shell ignores SIGINT in background jobs, and processes that the tests start would inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What tests allow is not remembered in the state folder of whoever runs them.
STATE = TemporaryDirectory(prefix="conformance-state-")
os.environ["XDG_STATE_HOME"] = STATE.name

# Without compiled files, each of the processes that tests start would compile its modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure(config: pytest.Config) -> None:
    """Distribute files in the order of collection; xdist would begin with those of most tests."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that no worker is alone with one in the end."""
    ranks = {ROOT / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


def pytest_collection_finish() -> None:
    """Collect garbage less often, and never among what lives as long as the tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*pytest_run.RARELY)


@pytest.fixture
def clock() -> ManualClock:
    """The clock of the reference; only `advance` changes it."""
    return ManualClock()


@pytest.fixture
def reference(clock: ManualClock) -> Iterator[Reference]:
    """A reference in memory."""
    instance = Reference(clock=clock)
    yield instance
    instance.close()


@pytest.fixture
def profile(reference: Reference) -> dict[str, Any]:
    """The target profile of the reference."""
    return reference.profile(reference_client.URL)


@pytest.fixture
def anonymous(reference: Reference) -> Iterator[httpx.Client]:
    """A client of the reference without a credential."""
    with reference_client.client(reference) as client:
        yield client


@pytest.fixture
def api(reference: Reference, profile: dict[str, Any]) -> Iterator[httpx.Client]:
    """A client of the reference with the credential `primary`."""
    headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    with reference_client.client(reference, headers) as client:
        yield client


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The npm packages of package.json, installed once for all tests."""
    return shared(tmp_path_factory, "npm", node.install) / "node_modules"


@pytest.fixture(scope="session")
def finished(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A quick run on the bundled reference: its directory and its process."""
    return finished_run.finished(tmp_path_factory)


@pytest.fixture(scope="session")
def over_loopback(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a quick run on a served reference."""
    return finished_run.over_loopback(tmp_path_factory)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """The driver, for one module: no other event loop may run in this process meanwhile."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Chromium; without it the test is skipped, or fails if CONFORMANCE_REQUIRE_BROWSER is set."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        message = "no Chromium on the PATH: install the package chromium (apt-get install chromium)"
        if os.environ.get("CONFORMANCE_REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    driver: Playwright = request.getfixturevalue("playwright")
    running = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
    yield running
    running.close()
