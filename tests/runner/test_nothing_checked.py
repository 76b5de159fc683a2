"""A run that could check nothing, or not enough, never passes: each cause is served once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import live_server
import pytest
from altered_target import Send, json_response
from process import conformance_here

from conformance import reference
from conformance.contract.exit_codes import CONFORMANT, INCOMPLETE, USAGE_ERROR
from conformance.http.in_process import InProcess
from conformance.runner import pytest_run
from conformance.runner.examination import Subject, Substitute
from conformance.target.profile import parse

URL = "http://target.test/v1"
Spoil = Callable[[int, httpx.Request, Send], httpx.Response]


class Served(InProcess):
    """A reference whose responses pass through `spoil`, which also gets the number so far."""

    def __init__(self, application: Any, advance: Callable[[float], None], spoil: Spoil) -> None:
        super().__init__(application, advance)
        self.spoil = spoil
        self.number = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Count a request, and spoil its response."""
        self.number += 1
        return self.spoil(self.number, request, super().handle_request)


def served(number: int, request: httpx.Request, send: Send) -> httpx.Response:
    """The response of the reference."""
    return send(request)


def for_ever(status: int) -> Spoil:
    """Every request gets this status."""

    def spoil(number: int, request: httpx.Request, send: Send) -> httpx.Response:
        return json_response(status, retry_after="1")

    return spoil


def dying(number: int, request: httpx.Request, send: Send) -> httpx.Response:
    """The target is gone after 150 requests."""
    if number > 150:
        raise httpx.ConnectError("Connection refused")
    return send(request)


class Screen:
    """A pytest plugin that takes what ended the run before its first check."""

    def __init__(self) -> None:
        self.message = ""

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """The one line for the user."""
        self.message = str(getattr(excinfo.value, "msg", excinfo.value))


def run(
    folder: Path, key: Callable[[Any], str] | None, spoil: Spoil = served
) -> tuple[int, str, Any]:
    """Exit code, message and gate of a run of the classes that the default gate requires."""
    clock = reference.ManualClock()
    made = reference.Reference(clock=clock)
    stated = made.profile(URL)
    own = {"primary": {"api-key": key(stated["credentials"])}} if key else {}
    target = parse({"base-url": URL, "credentials": own}, environ={})
    subject = Subject(target, Served(made.app, clock.advance, spoil))
    screen = Screen()
    options = pytest_run.options(folder, "standard", 1, ("read", "authentication"))
    code = pytest_run.execute([*options, "--report=badge"], [Substitute(lambda: subject), screen])
    made.close()
    report = folder / "report.json"
    gate = json.loads(report.read_bytes()) if report.exists() else None
    return code, screen.message, gate


def primary(credentials: Any) -> str:
    """The key that works."""
    return str(credentials["primary"]["api-key"])


@pytest.mark.parametrize(
    ("key", "spoil", "message"),
    [
        (
            lambda _: "nobody-has-this-key",
            served,
            "the API key in credentials.primary.api-key was rejected with 401 by every operation: "
            "nothing can be checked",
        ),
        (primary, for_ever(429), f"every request to {URL} returned 429 spoiled"),
        (primary, for_ever(503), f"every request to {URL} returned 503 spoiled"),
    ],
    ids=["a wrong key", "429 for ever", "503 for ever"],
)
def test_where_nothing_can_be_checked_a_run_does_not_begin(
    key: Any, spoil: Any, message: str, tmp_path: Path
) -> None:
    """Exit code 4, one line, and no report."""
    assert run(tmp_path, key, spoil) == (USAGE_ERROR, message, None)


@pytest.mark.parametrize(
    ("key", "spoil", "reason"),
    [
        (None, served, ""),
        (lambda known: known["lacking"]["reviews:read"]["api-key"], served,
         "primary was rejected with 403 on review_list"),
        (primary, dying, "the target did not respond on "),
    ],
    ids=["no key", "without reviews:read", "gone after 150 requests"],
)  # fmt: skip
def test_what_the_gate_requires_has_to_be_checked(
    key: Any, spoil: Any, reason: str, tmp_path: Path
) -> None:
    """Exit code 5, and the report begins with the reason."""
    code, _, report = run(tmp_path, key, spoil)
    reasons = [each["message"] for each in report["unchecked"]["rejections"]]

    assert (code, report["verdict"]) == (INCOMPLETE, "inconclusive")
    assert report["gate"]["gaps"]
    assert any(each.startswith(reason) for each in reasons) is bool(reason)


def test_without_a_profile_the_secrets_of_the_environment_are_used(tmp_path: Path) -> None:
    """With --base-url alone: the gate, which requires the class read, passes by them."""
    with live_server.instance(reference.Reference()) as profile:
        url, key = profile["base-url"], profile["credentials"]["primary"]["api-key"]
        command = ("run", "--base-url", url, "--class", "read", "--depth", "standard")
        accepted = conformance_here(tmp_path, *command, LOCALIZATION_API_KEY=key)
        wrong = conformance_here(tmp_path, *command, LOCALIZATION_API_KEY="nobody-has-this-key")

    assert accepted.returncode == CONFORMANT
    assert wrong.returncode == USAGE_ERROR
    assert "the API key in LOCALIZATION_API_KEY was rejected with 401" in wrong.stderr
