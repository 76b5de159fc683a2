"""A process of its own for every task, several at once: what a task leaves behind, or that it never ends, disturbs no other one."""

import multiprocessing
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

PATIENCE_SECONDS = 300.0


@dataclass(frozen=True)
class Failure:
    """Why a task has no result: what it raised, how its process ended, or that it took too long."""

    reason: str


@dataclass(frozen=True)
class _Running(Generic[Task]):
    task: Task
    process: BaseProcess
    deadline: float


def each(
    perform: Callable[[Task], Result], tasks: Iterable[Task], processes: int, patience: float = PATIENCE_SECONDS
) -> Iterator[tuple[Task, Result | Failure]]:
    """Every task with its result, in the order in which they end; each may take `patience` seconds.

    Processes are forked where the system can, so that they inherit what is imported; elsewhere task and function are pickled.
    """
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)
    waiting, running = iter(tasks), dict[Connection, _Running[Task]]()
    try:
        while True:
            while len(running) < processes and (task := next(waiting, None)) is not None:
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(perform, task, sender), daemon=True)
                process.start()
                sender.close()
                running[receiver] = _Running(task, process, time.monotonic() + patience)
            if not running:
                return
            for receiver in _ended(running):
                one = running.pop(receiver)
                yield one.task, _result(receiver, one)
    finally:
        for one in running.values():
            one.process.kill()


def _ended(running: dict[Connection, _Running[Task]]) -> list[Connection]:
    """The connections of the tasks that have ended or whose time is over, one at least."""
    soonest = min(one.deadline for one in running.values())
    ready = [connection for connection in wait(list(running), max(0.0, soonest - time.monotonic())) if isinstance(connection, Connection)]
    return ready or [connection for connection, one in running.items() if one.deadline <= time.monotonic()]


def _result(receiver: Connection, one: _Running[Task]) -> Result | Failure:
    try:
        if not receiver.poll():
            one.process.kill()
            return Failure("it did not end in time")
        found: Result | Failure = receiver.recv()
    except EOFError:
        one.process.join()
        return Failure(f"its process ended with {one.process.exitcode}")
    finally:
        receiver.close()
    one.process.join()
    return found


def _work(perform: Callable[[Task], Result], task: Task, sender: Connection) -> None:
    """Perform one task in this process, which keeps whatever is said meanwhile to itself."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        sys.stdout = sys.stderr = nowhere
        try:
            sender.send(perform(task))
        except BaseException as problem:  # noqa: BLE001 - it crosses to the parent, whatever it is
            sender.send(Failure("".join(traceback.format_exception_only(problem)).strip()))
