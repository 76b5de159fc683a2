"""Whether a change shows in every read from some moment on: reads may lag behind a write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_

from conformance.http.exchange import Exchange
from conformance.runner.context import Context


@dataclass(frozen=True)
class Settling:
    """The reads after a change: those that show the former state, and those that do not."""

    former: tuple[Exchange, ...]
    later: tuple[Exchange, ...]
    is_settled: bool


def settle(
    read: Callable[[int], Sequence[Exchange]],
    shows_former: Callable[[Exchange], bool],
    context: Context,
    number: int,
) -> Settling:
    """Read until so many reads at once do not show the former state, or they can no longer lag.

    One such read alone proves nothing: reads may take turns between two states. `read` gets their
    number.
    """
    former: list[Exchange] = []
    later: list[Exchange] = []
    for seconds in (*context.lag.pauses, 0.0):
        responses = read(number)
        showing = [shows_former(response) for response in responses]
        former += compress(responses, showing)
        later += compress(responses, map(not_, showing))
        if not any(showing):
            return Settling(tuple(former), tuple(later), is_settled=True)
        context.transport.wait(seconds)
    return Settling(tuple(former), tuple(later), is_settled=False)
