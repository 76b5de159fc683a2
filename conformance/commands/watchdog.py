"""The process that ends a run which heeds no signal: it needs no lock of the run's interpreter.

It is started by its path, without the package, and learns of signals from the handler of the C
library: a run that computes in C, and lets no other thread on, cannot keep that to itself. It ends
as soon as the run does, however that ends.

Standard input: a line of JSON with `process`, `work`, `longest` and `completion`, a command that
writes the report of what the run has found; then lines with the seconds until the run is stopped as
by a signal; at last `null`. The other descriptor, the only argument, has a byte for each signal of
the run. Standard output: the number of the signal that stops the run, as one byte, and END once it
has to end.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

END = b"\0"

STOPPING = tuple(bytes([number]) for number in (signal.SIGINT, signal.SIGTERM))

TICK = 0.1
"""Seconds between two looks at a run that was stopped."""

LOOK = 1.0
"""Seconds between two looks whether the run is there: it may be killed, and its forks live on."""

LONGEST_COMPLETION = 20.0
"""Seconds for the report of what the run has found."""

LAST = 0.5
"""Seconds that a run has to end by itself, once its report is there."""


@dataclass(frozen=True)
class Run:
    """A run: its process, and what it may use after a signal.

    `work` are seconds of a processor, `longest` those of the clock in which it could have had one.
    """

    process: int
    work: float
    longest: float
    completion: list[str]

    def used(self) -> tuple[float, float]:
        """The seconds of a processor that it has used, and that it has waited for one."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
            waited = Path(f"/proc/{self.process}/schedstat").read_text().split()[1]
        except OSError:  # another system, or it has ended
            return 0.0, 0.0
        ticks = int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK"), int(waited) / 1e9


class Watchdog:
    """Waits for signals and for the end of a run."""

    def __init__(self, run: Run, signals: int) -> None:
        self._run, self._signals = run, signals
        self._parent = os.getppid()
        self._deadline = float("inf")

    def watch(self) -> None:
        """Watch the run until it ends, or has to be ended."""
        while True:
            seconds = min(LOOK, max(0.0, self._deadline - time.monotonic()))
            ready = select.select([0, self._signals], [], [], seconds)[0]
            if self._has_ended(0.0):
                return
            if self._signals in ready and self._is_stopped():
                self._see_to_its_end()
                return
            if time.monotonic() >= self._deadline:
                self._deadline = float("inf")
                self._send(signal.SIGTERM)

    def _is_stopped(self) -> bool:
        """Take a signal, and hand it on where it ends the run."""
        number = os.read(self._signals, 1)
        is_stopped = number in STOPPING
        if is_stopped:
            self._tell(number)
        return is_stopped

    def _tell(self, word: bytes) -> None:
        with suppress(BrokenPipeError):  # it has just ended
            os.write(1, word)

    def _see_to_its_end(self) -> None:
        """Give the run its time, then complete its report, and kill it."""
        work, waited = self._run.used()
        began = time.monotonic()
        while not self._has_ended(TICK):
            works, waits = self._run.used()
            passed = time.monotonic() - began - (waits - waited)
            if works - work > self._run.work or passed > self._run.longest:
                break
        else:
            return
        self._complete()
        if self._has_ended(0.0):
            return
        self._tell(END)
        if not self._has_ended(LAST):
            self._send(signal.SIGKILL)

    def _send(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has just ended
            os.kill(self._run.process, number)

    def _complete(self) -> None:
        """Write the report in another process, unless the run ends meanwhile."""
        # It must not write to the pipe of the run, and needs nothing from it.
        completing = subprocess.Popen(
            self._run.completion, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        latest = time.monotonic() + LONGEST_COMPLETION
        while completing.poll() is None:
            if time.monotonic() > latest or self._has_ended(TICK):
                completing.kill()
                completing.wait()

    def _has_ended(self, seconds: float) -> bool:
        """Whether the run ends within some seconds; takes a new deadline meanwhile."""
        if 0 in select.select([0], [], [], seconds)[0]:
            stated = json.loads(_line() or b"null")
            if stated is None:
                return True
            self._deadline = time.monotonic() + stated
        return os.getppid() != self._parent


def _line() -> bytes:
    """One line of standard input, and no more: `select` knows nothing of a buffer."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return line


def main() -> None:
    """Watch the run that standard input describes."""
    described = _line()
    if described:
        Watchdog(Run(**json.loads(described)), int(sys.argv[1])).watch()


if __name__ == "__main__":
    main()
