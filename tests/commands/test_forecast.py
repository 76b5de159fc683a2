"""What a run says after ten seconds: how long it will take, and why."""

import threading
from dataclasses import replace
from pathlib import Path

import live_server
import pytest

from conformance.commands import forecast
from conformance.commands.forecast import Forecast, Measured
from conformance.reference import Reference
from conformance.runner import pytest_run

SLOW = Measured(
    exchanges=100,
    expected=5_000,
    seconds=10.0,
    responding=140.0,
    waited=0.0,
    rate=None,
    at_once=32,
    left=590.0,
)


def test_a_slow_target_is_named_with_the_time_that_is_left() -> None:
    """At the pace of the first ten seconds."""
    assert forecast.line(SLOW) == (
        "this run takes up to 8 minutes more, at 10.0 requests per second;"
        " a response takes 1.4 s, with up to 32 requests at once"
    )


def test_a_run_that_is_too_long_says_when_it_ends() -> None:
    """With the option that allows more."""
    assert forecast.line(replace(SLOW, expected=50_000)).endswith(
        "; it ends in 10 minutes (--max-time)"
    )


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (replace(SLOW, waited=8.0), "the target asked it to wait for 8 s (Retry-After)"),
        (replace(SLOW, rate=12.0), "limits.requests-per-second of the profile is 12"),
        (replace(SLOW, responding=1.0), "this machine is busy"),
    ],
)
def test_what_makes_a_run_long_is_named(changed: Measured, reason: str) -> None:
    """A wait, a request rate, or nothing of the target."""
    assert reason in forecast.line(changed)


def test_nothing_is_said_where_nothing_was_measured() -> None:
    """As against a target that has not responded yet."""
    assert forecast.line(replace(SLOW, exchanges=0)) == ""
    assert forecast.line(replace(SLOW, exchanges=SLOW.expected)) == ""


class Heard:
    """Collects lines; a run ends once there is one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._said = threading.Event()

    def say(self, text: str) -> None:
        """Tell whoever waits for it."""
        self.lines.append(text)
        self._said.set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Wait for the line."""
        assert self._said.wait(30)


def test_a_run_over_a_network_prints_it_once(tmp_path: Path) -> None:
    """From what it has measured; the checks of other classes do not count."""
    heard = Heard()
    with live_server.instance(Reference()) as profile:
        target = tmp_path / "target.toml"
        target.write_text(f'base-url = "{profile["base-url"]}"\n')
        options = pytest_run.options(tmp_path / "reports", "standard", 1, ["authentication"])
        chosen = [*options, f"--conformance-target={target}", "--conformance-report=badge"]
        plugins = [heard, Forecast("deep", heard.say, after=0.5)]
        pytest_run.execute(chosen, plugins)

    (found,) = heard.lines
    assert found.startswith("this run takes up to ")
