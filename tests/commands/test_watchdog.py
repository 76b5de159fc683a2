"""The process that ends a run which heeds no signal, with programs in place of runs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from process import COMMAND, surroundings

from conformance.commands import watchdog
from conformance.commands.watchdog import END

LONG = 60
SLEEP = (sys.executable, "-c", f"import time; time.sleep({LONG})")
"""A program that ends at SIGTERM."""
DEAF = (
    sys.executable,
    "-c",
    f"import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True);time.sleep({LONG})",
)


@contextmanager
def program(*command: str) -> Iterator["subprocess.Popen[str]"]:
    """A running program, which is killed afterwards if it did not end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        yield running
        running.kill()


class Watched:
    """A watchdog of a process; `completion` leaves a file."""

    def __init__(self, process: int, completed: Path) -> None:
        signals, self.signals = os.pipe()
        self.dog = subprocess.Popen(
            [sys.executable, "-I", "-S", watchdog.__file__, str(signals)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(signals,),
            bufsize=0,
        )
        os.close(signals)
        completion = [sys.executable, "-c", f"open({str(completed)!r}, 'w')"]
        self.tell({"process": process, "work": 5.0, "longest": 0.3, "completion": completion})

    def tell(self, line: object) -> None:
        """Write a line to it."""
        assert self.dog.stdin is not None
        self.dog.stdin.write(json.dumps(line).encode() + b"\n")

    def ended(self) -> bytes:
        """What it has said, once it has ended."""
        said, _ = self.dog.communicate(timeout=LONG)
        os.close(self.signals)
        assert self.dog.returncode == 0
        return said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_heeds_no_signal_is_killed_after_its_report(number: int, tmp_path: Path) -> None:
    """It gets the signal first, and then the end of the run."""
    with program(*DEAF) as running:
        assert running.stdout is not None
        running.stdout.readline()
        watched = Watched(running.pid, tmp_path / "completed")
        os.write(watched.signals, bytes([number]))
        assert running.wait(LONG) == -signal.SIGKILL
        assert watched.ended() == bytes([number]) + END
    assert (tmp_path / "completed").exists()


def test_another_signal_ends_nothing(tmp_path: Path) -> None:
    """Such as that of a window that has changed its size."""
    with program(*SLEEP) as running:
        watched = Watched(running.pid, tmp_path / "completed")
        os.write(watched.signals, bytes([signal.SIGWINCH]))
        assert watched.ended() == b""
        assert running.poll() is None
    assert not (tmp_path / "completed").exists()


def test_a_run_that_goes_on_after_its_time_is_stopped(tmp_path: Path) -> None:
    """By a signal, as a user would."""
    with program(*SLEEP) as running:
        watched = Watched(running.pid, tmp_path / "completed")
        watched.tell(0.1)
        assert running.wait(LONG) == -signal.SIGTERM
        assert watched.ended() == b""


def test_a_run_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    """The watchdog notices the end of its pipe, at whatever moment."""
    with subprocess.Popen(
        [*COMMAND, "run", "--depth", "deep", "--class", "read"],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        log = tmp_path / "reports/latest/exchanges-main.jsonl"
        while not log.exists() and running.poll() is None:
            signal.sigtimedwait([], 0.02)
        others = _processes(running.pid) - {running.pid}
        running.kill()
    assert others
    while _processes(running.pid) - {running.pid}:
        signal.sigtimedwait([], 0.02)


def _processes(session: int) -> set[int]:
    """The processes of a session that have not ended."""
    found = set()
    for path in Path("/proc").iterdir():
        try:
            stated = (path / "stat").read_text().rpartition(")")[2] if path.name.isdecimal() else ""
        except OSError:  # it has just ended
            continue
        state, *fields = stated.split() or ["Z"]
        if state != "Z" and int(fields[2]) == session:
            found.add(int(path.name))
    return found
