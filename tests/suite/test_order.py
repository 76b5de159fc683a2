"""The apparent order of a list."""

from typing import Any

import pytest

from conformance.suite.lists.order import order


@pytest.mark.parametrize(
    ("values", "direction"),
    [
        (["a", "b", "b"], "ascending"),
        ([3, 2, 1], "descending"),
        ([1, 3, 2], None),
        (["a", "a"], None),
        (["a", 7], None),
        ([None, None], None),
        ([[], {}], None),
        ([], None),
    ],
)
def test_the_order_of_values(values: list[Any], direction: str | None) -> None:
    """The order is None for values of several types and for equal values."""
    assert order(values) == direction
