"""Runs that are stopped by a signal, wherever they are: they end soon, with a valid report.

The situations that a target can cause are tried in `all_behaviours.py`, some of them here.
"""

import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from faulty_server import served, silence
from hostile_stops import SITUATIONS, stopped_in
from stopped_run import READY, Ended, stopped, trapped

from conformance.commands.outcome import STOPPED_EARLY, STOPPED_LATE
from conformance.contract.exit_codes import INTERRUPTED

PROGRAM = (sys.executable, str(Path(__file__).parents[1] / "support" / "hanging.py"))
QUICK = ["a million items", "an endless event stream", "a description of many schemas"]
STOPPED = (STOPPED_EARLY, STOPPED_LATE)
SEARCHED = ["7 MB of escapes", "7 MB of escapes within escapes"]
PLACES = ["socket:getaddrinfo", "conformance.report.run:Run.finish"]
TARGET = 'base-url = "{}"\n[credentials.primary]\napi-key = "lk_an-invented-key"\n'


def profile(directory: Path, base_url: str) -> tuple[str, ...]:
    """The options of a run of this target."""
    path = directory / "target.toml"
    path.write_text(TARGET.format(base_url))
    return ("--target", str(path), "--class", "read", "--depth", "standard")


def marked(directory: Path) -> Callable[[], None]:
    """Waits until the process hangs: it leaves a file then."""

    def ready() -> None:
        for _ in range(READY * 50):
            if (directory / "hangs").exists():
                return
            signal.sigtimedwait([], 0.02)
        raise AssertionError("the process does not hang")

    return ready


@pytest.mark.parametrize("name", QUICK)
def test_a_run_is_stopped_by_a_signal(name: str, tmp_path: Path) -> None:
    """Within three seconds of a processor, and with a valid report."""
    assert stopped_in(name, tmp_path).flaws == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("name", SEARCHED)
def test_a_run_is_stopped_while_it_searches_for_secrets(
    name: str, number: signal.Signals, tmp_path: Path
) -> None:
    """Several long texts at once, each of which takes seconds: it leaves them out by itself."""
    ended = stopped_in(name, tmp_path, number)
    assert ended.flaws == []
    assert not any(note in ended.problems for note in STOPPED)


def test_many_signals_stop_a_run_once(tmp_path: Path) -> None:
    """All of them while the first one is handled."""
    found = SITUATIONS["a response that does not come"]
    signals = [signal.SIGTERM, signal.SIGINT] * 6
    with trapped(tmp_path, found.face, found.respond, "read") as trap:
        ended = stopped(tmp_path, trap.options, lambda: trap.ready(found.requests), signals)
    assert ended.flaws == []
    assert ended.problems.count("stopped") <= 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_connection_that_is_never_ready_does_not_hold_a_run(scheme: str, tmp_path: Path) -> None:
    """Neither a handshake of TLS without an end, nor a first response that does not come."""
    asked = threading.Semaphore(0)

    def behave(connection: socket.socket) -> None:
        asked.release()
        silence(connection)

    def ready() -> None:
        assert asked.acquire(timeout=READY)

    with served(behave) as url:
        options = profile(tmp_path, url.replace("http:", f"{scheme}:"))
        ended = stopped(tmp_path, options, ready)
    assert ended.flaws == []
    assert ended.report["exchanges"]["count"] == 0


@pytest.mark.parametrize("place", PLACES)
def test_what_no_signal_interrupts_does_not_hold_a_run(place: str, tmp_path: Path) -> None:
    """A lookup of a name, or a report that takes too long."""
    ended = hanging(tmp_path, "free", place)
    assert ended.flaws == []


@pytest.mark.parametrize("how", ["held", "regex"])
@pytest.mark.parametrize("place", PLACES)
def test_what_holds_the_interpreter_does_not_hold_a_run(
    how: str, place: str, tmp_path: Path
) -> None:
    """Another process kills it, and has its report completed: that takes a processor as well."""
    ended = hanging(tmp_path, how, place)
    assert ended.code == -signal.SIGKILL
    assert replace(ended, code=INTERRUPTED, seconds=ended.seconds / 6, work=0.0).flaws == []
    # The signal may come before the lock is taken: then the run has begun to end.
    assert ended.problems in {f"conformance run: {note}\n" for note in STOPPED}


def hanging(directory: Path, how: str, place: str) -> Ended:
    """A run that is stopped while a function hangs within the C library."""
    options = (
        profile(directory, "http://api.test/v1")
        if place.startswith("socket")
        else ("--class", "limits", "--depth", "standard")
    )
    return stopped(directory, options, marked(directory), program=(*PROGRAM, how, place))
