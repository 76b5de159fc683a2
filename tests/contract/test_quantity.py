"""Numbers with their nouns."""

import pytest

from conformance.contract.quantity import quantity


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 records"), (1, "1 record"), (2, "2 records"), (2412, "2,412 records")],
)
def test_a_noun_follows_its_number(number: int, text: str) -> None:
    """One is singular; thousands have a comma."""
    assert quantity(number, "record") == text


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    """Not every plural ends with s."""
    assert [quantity(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
