"""What the tests share: a reference, a browser, and tools from npm."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import direct
import httpx
import node
import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from conformance.reference import ManualClock, Reference

ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",  # what a page asks for on the network fails at once
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # as in the background of a shell; whom the tests start would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def clock() -> ManualClock:
    """The time of the reference; it stands still."""
    return ManualClock()


@pytest.fixture
def reference(clock: ManualClock) -> Iterator[Reference]:
    """An instance in memory."""
    made = Reference(clock=clock)
    yield made
    made.close()


@pytest.fixture
def profile(reference: Reference) -> dict[str, Any]:
    """The profile of the reference."""
    return reference.profile(direct.URL)


@pytest.fixture
def anonymous(reference: Reference) -> Iterator[httpx.Client]:
    """A client of the reference without a credential."""
    with direct.client(reference) as client:
        yield client


@pytest.fixture
def api(reference: Reference, profile: dict[str, Any]) -> Iterator[httpx.Client]:
    """A client of the reference that calls as primary."""
    with direct.client(
        reference, {"x-api-key": profile["credentials"]["primary"]["api-key"]}
    ) as client:
        yield client


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The npm packages that package.json names, installed once for all tests."""
    return node.install(tmp_path_factory.getbasetemp() / "npm")


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """The driver, for this module alone: as long as it runs, nothing else may run an event loop here."""
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Chromium, where there is one; where CONFORMANCE_REQUIRE_BROWSER is set, there has to be."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        told = "no Chromium on the PATH: install the package chromium (apt-get install chromium)"
        if os.environ.get("CONFORMANCE_REQUIRE_BROWSER"):
            pytest.fail(told)
        pytest.skip(told)
    driver: Playwright = request.getfixturevalue("playwright")
    running = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
    yield running
    running.close()
