"""The order of values."""

from typing import Any


def order(values: list[Any]) -> str | None:
    """The direction in which strings or integers are sorted.

    None where they are not, where all are equal, or where their types differ.
    """
    if {type(value) for value in values} not in ({str}, {int}) or len(set(values)) < 2:
        return None
    if values == sorted(values):
        return "ascending"
    return "descending" if values == sorted(values, reverse=True) else None
