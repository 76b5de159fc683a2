"""Whether a change shows in every read from some moment on: reads may lag behind a write."""

from collections.abc import Callable
from dataclasses import dataclass

from conformance.http.exchange import Exchange

INTERVALS = (0.25, 0.25, 0.5, 0.5, 0.5, 1.0, 2.0, 3.0)
"""Seconds between the reads that wait for a change to show."""


@dataclass(frozen=True)
class Settling:
    """The reads after a change: those that show the former state, and those that do not."""

    former: tuple[Exchange, ...]
    later: tuple[Exchange, ...]
    is_settled: bool


def settle(
    read: Callable[[], Exchange],
    shows_former: Callable[[Exchange], bool],
    wait: Callable[[float], None],
    in_a_row: int,
) -> Settling:
    """Read until so many reads in a row do not show the former state, or they can no longer lag.

    One such read alone proves nothing: reads may take turns between two states.
    """
    former: list[Exchange] = []
    later: list[Exchange] = []
    for seconds in (*INTERVALS, 0.0):
        for _ in range(in_a_row):
            response = read()
            if shows_former(response):
                former.append(response)
                break
            later.append(response)
        else:
            return Settling(tuple(former), tuple(later), is_settled=True)
        wait(seconds)
    return Settling(tuple(former), tuple(later), is_settled=False)
