"""A pool of processes: a task that crashes its process or never ends affects no other task."""

import gc
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

Task = TypeVar("Task")
Result = TypeVar("Result")

INHERIT = "fork" in multiprocessing.get_all_start_methods()
"""Whether worker processes inherit what this one has in memory."""

TIMEOUT_SECONDS = 300.0
TASKS = 4
"""Tasks of one process: a new one has to copy inherited memory, an old one is full of garbage."""


@dataclass(frozen=True)
class Failure:
    """A task without a result; `reason` is its exception, its exit code, or the timeout."""

    reason: str


def each(
    perform: Callable[[Task], Result],
    tasks: Iterable[Task],
    processes: int,
    timeout: float = TIMEOUT_SECONDS,
) -> Iterator[tuple[Task, Result | Failure]]:
    """Every task with its result, in the order of completion; `timeout` is in seconds a task.

    Processes are forked where the system supports it, so that they inherit the imported modules,
    and what `perform` refers to. Tasks and results are pickled.
    """
    gc.freeze()  # a collection in a worker would copy the memory that it inherits
    context = multiprocessing.get_context("fork" if INHERIT else None)
    pool = ProcessPool(
        processes, max_tasks=TASKS, initializer=_begin, initargs=(perform,), context=context
    )
    try:
        futures: dict[Future[Result], Task] = {
            pool.schedule(_perform, (task,), timeout=timeout): task for task in tasks
        }
        for future in as_completed(futures):
            problem = future.exception()
            yield futures[future], future.result() if problem is None else Failure(_reason(problem))
    except BaseException:  # the caller stops early
        pool.stop()
        raise
    finally:
        pool.close()
        pool.join()


class _Worker:
    """This process, where it is a worker."""

    perform: Callable[[Any], Any]


def _perform(task: Any) -> Any:
    return _Worker.perform(task)


def _begin(perform: Callable[[Any], Any]) -> None:
    """Discard the output of this process, and do not collect garbage in its short life."""
    _Worker.perform = staticmethod(perform)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()
    discarded = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the exit
    os.dup2(discarded.fileno(), 1)
    os.dup2(discarded.fileno(), 2)
    sys.stdout = sys.stderr = discarded


def _reason(problem: BaseException) -> str:
    match problem:
        case TimeoutError(__cause__=None):  # a task's own TimeoutError has a cause
            return "timed out"
        case ProcessExpired():
            return f"its process ended with exit code {problem.exitcode}"
        case _:
            return "".join(traceback.format_exception_only(problem)).strip()
