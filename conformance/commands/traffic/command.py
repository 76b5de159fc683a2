"""A client of somebody as a process, with its whole group of processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from conformance.commands.outcome import UsageError
from conformance.contract import import_path

PATIENCE = 5.0
"""Seconds between the signal that asks a client to end and the one that ends it."""

GRACE, LOOK = 0.5, 0.02
"""Seconds that what a client has left behind gets beyond its end, and between two looks at it."""

NOTHING = 0
"""A signal that only asks whether somebody is there."""


def ending(command: Sequence[str], environment: Mapping[str, str], seconds: float) -> str:
    """Run a command until it ends, or for so many seconds; how it ended, in a few words.

    What it prints goes to standard error. Raises UsageError where it cannot be started.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.__stderr__,
            env={**import_path.unprotected(os.environ), **environment},
            start_new_session=True,
        )
    except OSError as problem:
        raise UsageError(f"cannot start {command[0]!r}: {problem.strerror}") from None
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"was stopped after {seconds:g} s"
    finally:
        _stop(process)
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End the process, and those of its group that it has left behind, whatever they ignore."""
    _signalled(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    end = time.monotonic() + GRACE
    while _signalled(process.pid, NOTHING) and time.monotonic() < end:
        time.sleep(LOOK)
    _signalled(process.pid, signal.SIGKILL)
    process.wait()


def _signalled(group: int, number: int) -> bool:
    """Whether there was anybody in a group of processes who got the signal."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True
