"""A bounded cache: the oldest values are computed again."""

import pytest

from conformance.http import recent
from conformance.http.recent import Recent


class Holder:
    """An object with a value that may be forgotten."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.computed = 0

    @recent.recent(lambda holder: 10 * holder.number)
    def value(self) -> list[int]:
        """A value, whose size is ten times the number."""
        self.computed += 1
        return [self.number]


def test_the_oldest_value_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is computed again; what fits is computed once."""
    monkeypatch.setattr(recent, "RECENT", Recent(100))
    first, second, third = Holder(5), Holder(5), Holder(1)
    values = [holder.value for holder in (first, second, first, second, third, second, first)]
    assert values == [[5], [5], [5], [5], [1], [5], [5]]
    assert (first.computed, second.computed, third.computed) == (2, 1, 1)


def test_a_value_larger_than_all_is_computed_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A value larger than the cache is not cached."""
    monkeypatch.setattr(recent, "RECENT", Recent(10))
    holder = Holder(2)
    assert [holder.value, holder.value] == [[2], [2]]
    assert holder.computed == 2
