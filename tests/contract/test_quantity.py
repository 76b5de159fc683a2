"""Numbers with their nouns."""

import pytest

from conformance.contract.quantity import per_second, quantity


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


@pytest.mark.parametrize(
    ("rate", "text"), [(0.333, "0.33"), (9.64, "9.6"), (10.4, "10"), (180.2, "180")]
)
def test_a_rate_has_two_digits_or_is_whole(rate: float, text: str) -> None:
    """It is an estimate."""
    assert per_second(rate) == f"about {text} requests per second"
