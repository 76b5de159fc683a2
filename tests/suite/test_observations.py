"""What is observed of lists."""

from typing import Any

import pytest

from conformance.suite.test_observations import order


@pytest.mark.parametrize(
    ("values", "found"),
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
def test_the_order_of_values(values: list[Any], found: str | None) -> None:
    """Values that cannot be compared are in none."""
    assert order(values) == found
