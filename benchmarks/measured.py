"""Figures of one measurement, and the cost of a process."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Figure = int | float | str | None


@dataclass(frozen=True)
class Row:
    """One line of the table of a part: its name, and its figures by the head of their column."""

    name: str
    figures: Mapping[str, Figure]


@dataclass(frozen=True)
class Cost:
    """What a process took, its children included.

    `began` is on the monotonic clock; `seconds` are those of a wall clock, `cpu` those of all
    processors; `peak` is the largest resident set of one process in MiB.
    """

    code: int
    began: float
    seconds: float
    cpu: float
    peak: float


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, with some more variables."""
    return {**os.environ, **more}


def python(*arguments: str | Path) -> Cost:
    """The cost of a Python process without output."""
    return process([sys.executable, *map(str, arguments)])


def process(command: Sequence[str], folder: Path | None = None) -> Cost:
    """The cost of a process without output; `folder` is its working directory."""
    began = time.monotonic()
    silence = subprocess.DEVNULL
    # Popen would also wait for the process, and without its resources.
    running = subprocess.Popen(command, stdout=silence, stderr=silence, cwd=folder)
    _, status, used = os.wait4(running.pid, 0)
    seconds = time.monotonic() - began
    running.returncode = code = os.waitstatus_to_exitcode(status)
    return Cost(code, began, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
