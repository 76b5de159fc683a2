"""Whose turn it is to send, where a rate lets one request after the other leave."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from heapq import heappop, heappush
from itertools import count
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_RANK: ContextVar[int] = ContextVar("rank", default=0)
"""The place of the check that this thread works for; the smallest sends first."""


@contextmanager
def ranked(rank: int) -> Iterator[None]:
    """Let the requests of this thread, and of those that work for it, have a place."""
    token = _RANK.set(rank)
    try:
        yield
    finally:
        _RANK.reset(token)


def inherited(job: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A job for another thread, with the place of this one."""
    context = copy_context()

    def run(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        # One copy cannot be entered by two threads at once.
        return context.copy().run(job, *arguments, **named)

    return run


class Turn:
    """A lock that whoever has the smallest rank gets next, and of equal ones who came first.

    Otherwise a slow rate would be shared by all checks that are under way: none would end, and
    the most urgent would not be seen first.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: list[tuple[int, int, threading.Lock]] = []
        self._number = count()
        self._is_held = False

    def __enter__(self) -> None:
        ticket = threading.Lock()
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return
            ticket.acquire()
            heappush(self._waiting, (_RANK.get(), next(self._number), ticket))
        ticket.acquire()

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if not self._waiting:
                self._is_held = False
                return
            ticket = heappop(self._waiting)[-1]
        ticket.release()
