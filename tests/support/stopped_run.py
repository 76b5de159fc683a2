"""Runs that are stopped by a signal, as real processes, and what that took."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs
from hostile_server import Answer, Bytes, broken
from process import COMMAND, surroundings

from conformance.contract import files
from conformance.contract.exit_codes import INTERRUPTED
from conformance.reference import target

MOST_WORK = 3.0
"""Seconds of a processor after a signal, with the start of the thread that notices it.

Two, and one for what the clock of the system counts in another place.
"""

LONGEST = 10.0
"""Seconds of the clock after a signal on a busy machine; without other work they are two."""

READY = 60
"""Seconds until a run is where it is to be stopped."""

_SCHEMA = jsonschema_rs.validator_for(json.loads(files.text("report.schema.json")))


@dataclass(frozen=True)
class Ended:
    """How a run that was stopped has ended: `seconds` and `work` count from the signal."""

    code: int
    seconds: float
    work: float
    output: str
    problems: str
    report: Any

    @property
    def flaws(self) -> list[str]:
        """What is wrong with it."""
        if self.report is None:
            return [f"no report, and exit code {self.code}: {self.problems}"]
        entries = self.report["requirements"]
        found = {
            f"exit code {self.code}": self.code != INTERRUPTED,
            "an invalid report": not _SCHEMA.is_valid(self.report),
            "not a partial report": not self.report["interrupted"],
            "internal errors": any(entry["verdict"] == "error" for entry in entries),
            f"{self.seconds:.1f} s": self.seconds > LONGEST,
            f"{self.work:.1f} s of a processor": self.work > MOST_WORK,
            "a traceback": "Traceback" in self.output + self.problems,
        }
        return [flaw for flaw, holds in found.items() if holds]


def stopped(
    directory: Path,
    options: Sequence[str],
    ready: Callable[[], object],
    signals: Sequence[signal.Signals] = (signal.SIGTERM,),
    program: Sequence[str] = COMMAND,
    **environment: str,
) -> Ended:
    """A run that receives signals, one every 50 ms, as soon as `ready` returns."""
    with subprocess.Popen(
        [*program, "run", *options, "--report-dir", "reports"],
        cwd=directory,
        env=surroundings(NO_PROXY="127.0.0.1", **environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        ready()
        before, started = _work(running.pid), time.monotonic()
        for number in signals:
            running.send_signal(number)
            signal.sigtimedwait([], 0.05)
        work = before
        while running.poll() is None and time.monotonic() < started + READY:
            work = _work(running.pid) or work
            signal.sigtimedwait([], 0.02)
        seconds = time.monotonic() - started
        running.kill()
        output, problems = running.communicate()
    written = directory / "reports/report.json"
    report = json.loads(written.read_bytes()) if written.exists() else None
    return Ended(running.returncode, seconds, work - before, output, problems, report)


def _work(process: int) -> float:
    """The seconds of a processor that a process has used; 0.0 if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Trap:
    """A target that a run is stopped at: the options, and the moment for the signal."""

    options: tuple[str, ...]
    reached: threading.Semaphore

    def ready(self, requests: int = 1, after: float = 0.0) -> None:
        """Wait until the target was asked so many times, and some seconds more."""
        assert all(self.reached.acquire(timeout=READY) for _ in range(requests))
        signal.sigtimedwait([], after)


@contextmanager
def trapped(
    directory: Path, face: str, respond: Callable[[Answer, threading.Event], Bytes], name: str
) -> Iterator[Trap]:
    """A target that responds so on one interface, and the options of a run of a class."""
    reached, end = threading.Semaphore(0), threading.Event()

    def behave(answer: Answer) -> Bytes:
        reached.release()
        return respond(answer, end)

    with broken(face, behave) as profile:
        path = directory / "target.toml"
        path.write_text(target.toml(profile))
        options = ("--target", str(path), "--class", name, "--depth", "standard")
        yield Trap(options, reached)
        end.set()
