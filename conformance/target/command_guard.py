"""The process that performs one command, such as that of a profile, and ends it with its caller.

It is started by its path, without the package, in a session of its own: a group of processes that
it can kill as a whole, and that no signal of a terminal reaches. A pipe is its standard input,
which ends with the run, however that ends.

Arguments: the seconds that the command may take, the bytes that it may print, whether what it says
on standard error is a part of that (`both`) or left out (`output`), and the command.
Standard output: a line of JSON with its exit `code` and its `output`, as Latin-1; or with a
`problem`, why there is none.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

TICK = 0.1
"""Seconds between two looks whether the command has ended without closing its output."""

LOOK = 1.0
"""Seconds between two looks whether the run is there: its forks may hold the pipe open."""

NOBODY = "nobody waits for it"


class Unfinished(Exception):
    """The command has to be killed; str() says why."""


class Guarded:
    """A command that runs, and what it has printed so far."""

    def __init__(self, argv: Sequence[str], seconds: float, most: int, errors: int) -> None:
        self._parent = os.getppid()
        self._latest = time.monotonic() + seconds
        self._seconds, self._most = seconds, most
        self._output = b""
        self._command = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )

    def ended(self) -> dict[str, object]:
        """Its exit code and output, once it has ended. Raises Unfinished."""
        assert self._command.stdout is not None
        written = self._command.stdout.fileno()
        is_open, code = True, None
        while is_open or code is None:
            is_ready = self._is_ready(written if is_open else None)
            if is_ready:
                piece = os.read(written, 65_536)
                self._output += piece
                is_open = bool(piece)
            elif code is not None:
                break  # something that it has left behind holds its output
            if len(self._output) > self._most:
                raise Unfinished(f"printed more than {self._most:,} bytes")
            code = self._command.poll()
        return {"code": code, "output": self._output.decode("latin-1")}

    def _is_ready(self, written: int | None) -> bool:
        """Whether there is something to read. Raises Unfinished."""
        left = self._latest - time.monotonic()
        if left <= 0:
            raise Unfinished(f"did not end within {self._seconds:g} s")
        pause = min(left, LOOK if self._command.poll() is None and written is not None else TICK)
        waiting = [0] if written is None else [0, written]
        ready = select.select(waiting, [], [], pause)[0]
        if 0 in ready or os.getppid() != self._parent:
            raise Unfinished(NOBODY)
        return written in ready


def main() -> None:
    """Perform the command of the arguments."""
    seconds, most, streams, *argv = sys.argv[1:]
    errors = subprocess.STDOUT if streams == "both" else subprocess.DEVNULL
    try:
        _reply(Guarded(argv, float(seconds), int(most), errors).ended())
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or type(problem).__name__
        _reply({"problem": f"cannot be started: {reason}"})
    except Unfinished as problem:
        with suppress(BrokenPipeError):  # the run has ended
            _reply({"problem": str(problem)})
        os.killpg(0, signal.SIGKILL)  # this process is one of the group


def _reply(stated: dict[str, object]) -> None:
    with open(1, "w", encoding="ascii", closefd=False) as replies:
        replies.write(json.dumps(stated) + "\n")


if __name__ == "__main__":
    main()
