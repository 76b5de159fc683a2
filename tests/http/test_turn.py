"""Whose turn it is to send."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.http import turn
from conformance.http.turn import Turn


def waiting(lock: Turn, number: int) -> None:
    """Wait until so many others wait for their turn."""
    ready = threading.Event()
    while len(lock._waiting) < number:
        ready.wait(0.001)


@pytest.mark.parametrize("ranks", [(3, 1, 2), (1, 1, 0), (0, 0, 0)])
def test_the_smallest_rank_is_next_and_of_equal_ones_the_first(ranks: tuple[int, ...]) -> None:
    """Also in threads that work for another one, as those that send requests side by side."""
    lock, order = Turn(), list[int]()

    def take(number: int) -> None:
        with lock:
            order.append(number)

    with ThreadPoolExecutor(len(ranks)) as pool, lock:
        for number, rank in enumerate(ranks):
            with turn.ranked(rank):
                pool.submit(turn.inherited(take), number)
            waiting(lock, number + 1)

    assert order == sorted(range(len(ranks)), key=lambda number: (ranks[number], number))


def test_an_exception_gives_the_turn_back() -> None:
    """Whoever comes next does not wait for ever."""
    lock = Turn()
    with pytest.raises(ValueError, match="own"), lock:
        raise ValueError("own")
    with lock:
        assert not lock._waiting
