"""A command as a process, with what it took."""

import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
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
    """How a command ended, what it wrote, and what it took: `memory` is its peak in MiB.

    `seconds` are those in which it could have had a processor.
    """

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
        end = ended(running.pid, began + PATIENCE)
        running.returncode = end.code
        seconds = time.monotonic() - began - end.queued
        return Measured(end.code, _text(output), _text(problems), seconds, end.memory)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@dataclass(frozen=True)
class End:
    """The exit code of a process, its peak memory in MiB, and for how long it was `queued`.

    That are the seconds that it and its children were ready and had no processor, which is the
    fault of the machine.
    """

    code: int
    memory: float
    queued: float


def ended(child: int, deadline: float) -> End:
    """The end of a process, which is killed if it does not end.

    What the system counts for a child includes the memory that its parent had when it was started,
    so that its own is read now and then.
    """
    handle, memory, queued = os.pidfd_open(child), 0.0, dict[int, float]()
    while not select.select([handle], [], [], LOOK)[0]:
        memory = max(memory, peak(child))
        queued |= {each: _queued(each) for each in (child, *_children(child))}
        if time.monotonic() > deadline + sum(queued.values()):
            os.kill(child, signal.SIGKILL)
    os.close(handle)
    _, state = os.waitpid(child, 0)
    return End(os.waitstatus_to_exitcode(state), memory, sum(queued.values()))


def _children(process: int) -> Iterator[int]:
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, listed.read_text(encoding="ascii").split())


def _queued(process: int) -> float:
    """The seconds of the first thread of a process; 0.0 if nobody can say."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return 0.0


def peak(process: int | str) -> float:
    """The peak memory of a process in MiB, also of `self`; 0.0 if nobody can say."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0
