"""What distinguishes the records of a list."""

import pytest

from conformance.suite.lists.covering import covering
from conformance.suite.lists.features import MOST_NAMES, Record, features, ties

PLAIN = [{"name": f"n{number}", "status": "open", "startUs": 7} for number in range(30)]


def test_records_with_names_of_their_own_have_few_features() -> None:
    """A target decides neither on the memory nor on the time that describing its records takes."""
    records = [{f"own{number}-{n}": 1 for n in range(40)} for number in range(500)]

    assert max(map(len, features(records))) <= 4 * MOST_NAMES


@pytest.mark.parametrize(
    "odd",
    [
        {"name": "n40", "status": None, "startUs": 7},
        {"name": "n40", "startUs": 7},
        {"name": "n40", "status": "closed", "startUs": 7},
        {"name": "東京", "status": "open", "startUs": 7},
        {"name": "", "status": "open", "startUs": 7},
        {"name": "a longer name", "status": "open", "startUs": 7},
        {"name": "n40", "status": "open", "startUs": "7"},
        {"name": "n40", "status": "open", "startUs": 7, "replies": []},
    ],
    ids=["null", "absent", "another value", "beyond ASCII", "empty", "longest", "type", "more"],
)
def test_a_record_that_is_unlike_the_others_is_chosen(odd: Record) -> None:
    """A covering part of the records has it, wherever it is."""
    records = [*PLAIN[:20], odd, *PLAIN[20:]]

    chosen = covering(range(len(records)), features(records).__getitem__)

    assert 20 in chosen
    assert len(chosen) < 10


def test_a_page_may_end_between_records_of_one_moment() -> None:
    """By any of the fields that lists are sorted by; what is not a text is no moment."""
    created = ["a", "b", "b", "c", None, None]
    updated = ["u", "v", "w", "x", "y", "y"]
    records = [
        {"createdAt": one, "updatedAt": other} for one, other in zip(created, updated, strict=True)
    ]

    assert ties(records) == [2, 5]
