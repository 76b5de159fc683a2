"""Linearization: whether events that overlap have an order in which a model explains each.

Each event takes effect at one moment between its beginning and its end. As in Knossos and
Porcupine, it gets its place when it ends, after whatever else is open by then has got its own.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nextafter
from typing import Generic, TypeVar

Event = TypeVar("Event")
State = TypeVar("State", bound=Hashable)
Step = Callable[[State, Event], Sequence[State]]
"""The states that may follow an event in a state; none where the event is not allowed there."""
Reached = tuple[State, frozenset[int]]
"""A state, and the open events that have taken effect by then, by their numbers."""


@dataclass(frozen=True)
class Timed(Generic[Event]):
    """An event, and when it began and ended, in seconds; what never ends may have no effect."""

    event: Event
    began: float
    ended: float


def unexplained(
    events: Sequence[Timed[Event]], initial: State, step: Step[State, Event]
) -> Iterator[Event]:
    """The events, as they end, that no order explains; each is then left out of the history."""
    open_events: dict[int, Event] = {}
    reached: set[Reached[State]] = {(initial, frozenset())}
    for _, begins, number in _moments(events):
        event = events[number].event
        if begins:
            open_events[number] = event
            continue
        after = set(_after(number, reached, open_events, step))
        del open_events[number]
        if after:
            reached = after
        else:
            yield event


def _moments(events: Iterable[Timed[Event]]) -> list[tuple[float, bool, int]]:
    """When each event begins and ends: of one moment, what ended comes first."""
    found = []
    for number, each in enumerate(events):
        ended = max(each.ended, nextafter(each.began, float("inf")))
        found += [(each.began, True, number), (ended, False, number)]
    return sorted(found)


def _after(
    wanted: int,
    reached: Collection[Reached[State]],
    open_events: Mapping[int, Event],
    step: Step[State, Event],
) -> Iterator[Reached[State]]:
    """What is reached once an event has taken effect, after any others that are open."""
    left, seen = [*reached], set[Reached[State]]()
    while left:
        current = left.pop()
        state, done = current
        if current in seen:
            continue
        seen.add(current)
        if wanted in done:
            yield state, done - {wanted}
            continue
        for number, event in open_events.items():
            if number not in done:
                left += [(each, done | {number}) for each in step(state, event)]
