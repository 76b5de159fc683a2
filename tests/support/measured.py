"""A command as a process, with what it took."""

import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from process import COMMAND, surroundings

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
    """The exit code and the peak memory of a process, which is killed if it does not end."""
    handle = os.pidfd_open(child)
    has_ended, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
    os.close(handle)
    if not has_ended:
        os.kill(child, signal.SIGKILL)
    _, state, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(state), used.ru_maxrss / 1024
