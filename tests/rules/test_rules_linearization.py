"""Orders of events that overlap, in which a model explains each of them."""

import pytest

from conformance.rules.linearization import Timed, unexplained

Operation = tuple[str, int]
"""What is done to a register with a number: it is written, or read."""


def step(number: int, operation: Operation) -> list[int]:
    """A register: a read shows what was written last."""
    kind, value = operation
    if kind == "write":
        return [value]
    return [number] if value == number else []


def wrong(*events: tuple[str, int, float, float]) -> list[Operation]:
    """The operations that no order explains; the register begins with 0."""
    timed = [Timed((kind, value), began, ended) for kind, value, began, ended in events]
    return list(unexplained(timed, 0, step))


def test_what_follows_each_other_has_one_order() -> None:
    """A read after a write shows what it has written, and one that does not is wrong."""
    assert wrong(("write", 1, 0, 1), ("read", 1, 1, 2)) == []
    assert wrong(("write", 1, 0, 1), ("read", 0, 1, 2), ("read", 1, 3, 4)) == [("read", 0)]


@pytest.mark.parametrize("value", [0, 1])
def test_what_overlaps_has_either_order(value: int) -> None:
    """A read beside a write may come before it or after it, but no order shows a third number."""
    assert wrong(("write", 1, 0, 2), ("read", value, 1, 3)) == []
    assert wrong(("write", 1, 0, 2), ("read", 2, 1, 3)) == [("read", 2)]


def test_an_order_holds_for_all_that_follows() -> None:
    """Two reads beside a write may not show it, and then what was there before."""
    beside = ("write", 1, 0, 9)
    assert wrong(beside, ("read", 0, 1, 2), ("read", 1, 3, 4)) == []
    assert wrong(beside, ("read", 1, 1, 2), ("read", 0, 3, 4)) == [("read", 0)]


def test_what_takes_no_time_begins_before_it_ends() -> None:
    """A clock may not tell the two moments apart."""
    assert wrong(("write", 1, 1, 1), ("read", 1, 1, 1)) == []
    assert wrong(("write", 1, 1, 1), ("read", 0, 2, 2)) == [("read", 0)]


def test_sixteen_writes_at_once_are_no_puzzle() -> None:
    """What has the same effect in each order is one state, however many orders there are."""
    at_once = [("write", 1, 0.0, 1.0)] * 16
    assert wrong(*at_once, ("read", 1, 2, 3)) == []
    assert wrong(*at_once, ("read", 0, 2, 3)) == [("read", 0)]
