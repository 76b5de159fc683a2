"""A command as a process, with what it took."""

import os
import select
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from process import COMMAND, surroundings

LOOK = 0.05
"""Seconds between two looks at the memory of a command."""

PATIENCE = 180.0
"""Seconds after which a command is killed."""


@dataclass(frozen=True)
class Measured:
    """How a command ended, what it wrote, and what it took: `memory` is its peak in MiB."""

    code: int
    output: str
    problems: str
    seconds: float
    memory: float


def measured(directory: Path, *arguments: object, **environment: str) -> Measured:
    """One process of the command in a directory, and what it took."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as problems:
        began = time.monotonic()
        running = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=directory,
            env=surroundings(NO_PROXY="127.0.0.1", **environment),
            stdout=output,
            stderr=problems,
        )
        code, memory = ended(running.pid, began + PATIENCE)
        running.returncode = code
        seconds = time.monotonic() - began
        return Measured(code, _text(output), _text(problems), seconds, memory)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def ended(child: int, deadline: float) -> tuple[int, float]:
    """The exit code and the peak memory of a process, which is killed if it does not end.

    What the system counts for a child includes the memory that its parent had when it was started,
    so that its own is read now and then.
    """
    handle, memory = os.pidfd_open(child), 0.0
    while not select.select([handle], [], [], LOOK)[0]:
        memory = max(memory, _peak(child))
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
    os.close(handle)
    _, state = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(state), memory


def _peak(process: int) -> float:
    """The peak memory of a process in MiB; 0.0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
