"""The pool of processes: results, failures, timeouts, and an early end."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Generator
from pathlib import Path

from conformance.assurance.selftest import workers
from conformance.assurance.selftest.workers import Failure


def _double(number: int) -> int:
    if number == 1:
        raise ValueError("one is too few")
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 3:
        time.sleep(60)
    if number == 8:
        raise TimeoutError("eight took too long")
    return number * 2


def _others_running(marker: Path) -> int:
    """Create a file while the task runs; the number of files of other tasks."""
    others = list(marker.parent.iterdir())
    marker.touch()
    time.sleep(0.1)
    marker.unlink()
    return len(others)


def test_every_task_has_a_result() -> None:
    """Results come with their tasks."""
    assert dict(workers.each(_double, [4, 5, 6, 7], 2)) == {4: 8, 5: 10, 6: 12, 7: 14}


def test_what_performs_the_tasks_is_inherited() -> None:
    """It may refer to what cannot be pickled."""
    numbers = {"lock": threading.Lock(), "factor": 3}

    def multiplied(number: int) -> object:
        with numbers["lock"]:  # type: ignore[attr-defined]
            return number * numbers["factor"]  # type: ignore[operator]

    assert dict(workers.each(multiplied, [4, 5], 1)) == {4: 12, 5: 15}


def test_a_task_that_raises_fails() -> None:
    """The reason is the exception."""
    assert list(workers.each(_double, [1], 1)) == [(1, Failure("ValueError: one is too few"))]


def test_a_task_whose_process_is_killed_fails() -> None:
    """The reason has the exit code."""
    assert list(workers.each(_double, [2], 1)) == [
        (2, Failure("its process ended with exit code -9"))
    ]


def test_a_task_that_takes_too_long_fails() -> None:
    """Its process is killed, and the other tasks run on."""
    assert dict(workers.each(_double, [3, 4], 2, timeout=1.5)) == {
        3: Failure("timed out"),
        4: 8,
    }


def test_a_timeout_error_of_the_task_itself_is_its_exception() -> None:
    """The reason is the exception, not the timeout of the pool."""
    assert list(workers.each(_double, [8], 1)) == [
        (8, Failure("TimeoutError: eight took too long"))
    ]


def test_no_more_processes_run_than_allowed(tmp_path: Path) -> None:
    """With one process, no task starts before the previous one has ended."""
    tasks = [tmp_path / str(number) for number in range(3)]

    others_running = dict(workers.each(_others_running, tasks, 1))

    assert others_running == dict.fromkeys(tasks, 0)


def test_an_early_end_kills_the_running_processes() -> None:
    """Closing the iterator does not wait for the sleeping task."""
    results = workers.each(_double, [4, 3], 2)
    next(results)
    assert isinstance(results, Generator)

    results.close()

    assert multiprocessing.active_children() == []
