"""The worker of xdist that a process is, if it is one.

The environment does not say that: a run inside of a worker's test is a run of its own.
"""

import ctypes
import signal
import sys

import pytest

WHEN_THE_PARENT_DIES = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def name(config: pytest.Config) -> str | None:
    """The id of the worker; None where it is the only process, or the controller."""
    stated: str | None = _stated(config).get("workerid")
    return stated


def count(config: pytest.Config) -> int:
    """The number of processes that perform the checks."""
    return int(_stated(config).get("workercount", 1))


def follow() -> None:
    """Have the system end this process with the one that has started it, where it is Linux.

    A worker that computes in C does not notice otherwise that its controller was killed.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(WHEN_THE_PARENT_DIES, signal.SIGKILL)


def _stated(config: pytest.Config) -> dict[str, str]:
    stated: dict[str, str] = getattr(config, "workerinput", {})
    return stated
