"""A process for what no loop of ours bounds: packages of others, on what a target wrote.

The system ends it once it has used its seconds of a processor, or its memory. It serves one call
after the other, since its start takes half a second, and ends with whoever has started it.
"""

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from typing import IO, Any

if sys.platform != "win32":
    import resource

MOST_WORK = 5.0
"""Seconds of a processor for one call: several times what an ordinary one takes."""

MOST_MEMORY = 300 * 1024 * 1024
"""Bytes of the data of the process."""


class Exceeded(RuntimeError):
    """A call has used up its time or its memory; str() says so."""

    def __init__(self, work: float) -> None:
        super().__init__(f"takes more than {work:g} s, or {MOST_MEMORY >> 20} MiB")


class Isolated:
    """The process; it is started by the first call, and again after a call that has ended it."""

    def __init__(self, work: float = MOST_WORK) -> None:
        self._work = work
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._calling = threading.Lock()
        atexit.register(self.close)

    def call(self, function: str, argument: Any) -> Any:
        """What a function, "module:name", returns for an argument; both are JSON values.

        Raises Exceeded, and RuntimeError for an exception of the function.
        """
        with self._calling:
            running = self._started()
            assert running.stdin is not None
            assert running.stdout is not None
            try:
                running.stdin.write(json.dumps([self._work, function, argument]).encode() + b"\n")
                running.stdin.flush()
                line = running.stdout.readline()
            except BrokenPipeError:
                line = b""
            if not line.endswith(b"\n"):
                self.close()
                raise Exceeded(self._work)
        result, problem = json.loads(line)
        if problem is not None:
            raise RuntimeError(problem)
        return result

    def close(self) -> None:
        """End the process."""
        running, self._process = self._process, None
        if running is not None and self._owner == os.getpid():
            running.kill()
            running.communicate()

    def _started(self) -> "subprocess.Popen[bytes]":
        # A process that was forked from this one must not talk to its child.
        if self._process is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process


def _serve(asked: IO[bytes], replies: IO[bytes]) -> None:
    """Answer one call after the other."""
    for line in asked:
        work, function, argument = json.loads(line)
        _allow(work)
        replies.write(json.dumps(_result(function, argument)).encode() + b"\n")
        replies.flush()
        _allow(0.0)


def _result(function: str, argument: Any) -> tuple[Any, str | None]:
    """What a function returns, and the exception that it raised instead."""
    module, _, name = function.partition(":")
    try:
        return getattr(importlib.import_module(module), name)(argument), None
    except MemoryError:
        raise
    except Exception as problem:  # noqa: BLE001 - whoever has called gets it
        return None, f"{type(problem).__name__}: {problem}"


def _allow(seconds: float) -> None:
    """Have the system end this process after so many seconds of a processor; 0: never."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)  # SIGPROF ends a process


def _bound() -> None:
    """Bound the memory of this process; Ctrl-C is for the one that has started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _bound()
    with os.fdopen(os.dup(1), "wb") as _replies:
        os.dup2(2, 1)  # whatever a package prints is no reply
        _serve(sys.stdin.buffer, _replies)
