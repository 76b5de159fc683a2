"""Tasks in processes of their own, several at once: that one ends its process, or never ends, disturbs no other one."""

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
from typing import TypeVar

from pebble import ProcessExpired, ProcessPool

Task = TypeVar("Task")
Result = TypeVar("Result")

PATIENCE_SECONDS = 300.0
TASKS = 4
"""Tasks of one process: a new one takes a while to get its own copy of what it inherits, an old one is full of what nobody collects."""


@dataclass(frozen=True)
class Failure:
    """Why a task has no result: what it raised, how its process ended, or that it took too long."""

    reason: str


def each(
    perform: Callable[[Task], Result],
    tasks: Iterable[Task],
    processes: int,
    patience: float = PATIENCE_SECONDS,
) -> Iterator[tuple[Task, Result | Failure]]:
    """Every task with its result, in the order in which they end; each may take `patience` seconds.

    Processes are forked where the system can, so that they inherit what is imported.
    """
    gc.freeze()  # what is inherited is nobody's garbage
    context = multiprocessing.get_context(
        "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    )
    pool = ProcessPool(processes, max_tasks=TASKS, initializer=_begin, context=context)
    try:
        futures: dict[Future[Result], Task] = {
            pool.schedule(perform, (task,), timeout=patience): task for task in tasks
        }
        for future in as_completed(futures):
            problem = future.exception()
            yield futures[future], future.result() if problem is None else Failure(_reason(problem))
    except BaseException:  # whoever listens has had enough
        pool.stop()
        raise
    finally:
        pool.close()
        pool.join()


def _begin() -> None:
    """Keep to this process whatever is said in it, and leave its garbage to its end."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()
    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    os.dup2(nowhere.fileno(), 1)
    os.dup2(nowhere.fileno(), 2)
    sys.stdout = sys.stderr = nowhere


def _reason(problem: BaseException) -> str:
    match problem:
        case TimeoutError(
            __cause__=None
        ):  # one that the task itself raised comes with what happened there
            return "it did not end in time"
        case ProcessExpired():
            return f"its process ended with {problem.exitcode}"
        case _:
            return "".join(traceback.format_exception_only(problem)).strip()
