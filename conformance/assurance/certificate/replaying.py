"""How a recording is replayed: who watches it, and the bounds of the process that does it.

A recording is of whoever signed it, and a replay runs the whole suite on it: what it costs is
known when it is over. So it runs in a process of its own, which ends where it takes too much.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

from conformance.contract.verdict import Inconclusive
from conformance.runner import worker

Result = TypeVar("Result")

MIB = 1024 * 1024
MOST_MEMORY = 1024 * MIB
"""Bytes that a replay may take up beside what it inherits; the largest recording needs half."""

LOOK = 0.25
"""Seconds between two looks at what a replay uses."""


@dataclass(frozen=True)
class Replaying:
    """The plugins of pytest that are `watching`, and the seconds of a replay."""

    watching: Sequence[object] = ()
    seconds: float = 600.0

    def apart(self, perform: Callable[[], Result]) -> Result:
        """What `perform` returns, which has to be picklable, or raises, from a process of its own.

        Raises Inconclusive where that takes too long, or too much memory, or dies.
        """
        if not _can_fork():
            return perform()
        context = multiprocessing.get_context("fork")  # it inherits the recording
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_perform, args=(perform, sender), name="replay")
        process.start()
        sender.close()
        try:
            self._wait(receiver, process)
            result: Result
            result, problem = _received(receiver)
        finally:
            process.kill()
            process.join()
            receiver.close()
        if problem is not None:
            raise problem
        return result

    def _wait(self, receiver: Connection, process: BaseProcess) -> None:
        """Wait for a result, or for the end of the process."""
        latest, most = time.monotonic() + self.seconds, _memory(os.getpid()) + MOST_MEMORY
        while not receiver.poll(LOOK):
            if time.monotonic() > latest:
                raise _excess(f"{self.seconds:g} s")
            if _memory(process.pid) > most:
                raise _excess(f"{MOST_MEMORY // MIB} MiB")


UNWATCHED = Replaying()


def _excess(most: str) -> Inconclusive:
    return Inconclusive(f"the replay of the recording takes more than {most}")


def _can_fork() -> bool:
    """Whether this process may have a child; whoever has started a daemon bounds that already."""
    has_fork = "fork" in multiprocessing.get_all_start_methods()
    return has_fork and not multiprocessing.current_process().daemon


def _perform(perform: Callable[[], Result], sender: Connection) -> None:
    """Send the result, or the exception."""
    worker.follow()
    try:
        sender.send((perform(), None))
    except Exception as problem:  # noqa: BLE001 - whoever waits for the result raises it
        sender.send((None, problem))


def _received(receiver: Connection) -> tuple[Any, Exception | None]:
    try:
        result, problem = receiver.recv()
    except EOFError:
        raise Inconclusive("the replay of the recording crashed") from None
    return result, problem


def _memory(process: int | None) -> int:
    """Bytes of a process that are in memory; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
