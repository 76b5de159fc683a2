"""Broken since when, and flapping, from the verdicts of one requirement over time."""

import pytest

from conformance.fleet.answers.series import Point, flapping, since
from conformance.report.share import Share

VERDICTS = {
    "p": "pass",
    "f": "fail",
    "i": "inconclusive",
    "e": "error",
    "n": "not-applicable",
}


def points(text: str, new_suite: int | None = None) -> list[Point]:
    """One run for each letter; from `new_suite` on with another suite."""
    return [
        Point(
            number,
            float(number),
            2 if new_suite is not None and number >= new_suite else 1,
            VERDICTS[letter],
        )
        for number, letter in enumerate(text)
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [("pff", 1), ("ppf", 2), ("fpf", 2), ("pfif", 1), ("pief", 3), ("nff", 1), ("pffi", 1)],
)
def test_a_requirement_fails_since_the_first_run_in_a_row(text: str, first: int) -> None:
    """A run that could not check it does not end the row."""
    found = since(points(text))

    assert found is not None
    assert (found.point.run, found.is_first, found.is_new_suite) == (first, False, False)


@pytest.mark.parametrize("text", ["", "p", "ffp", "i", "fpe"])
def test_what_passed_last_does_not_fail(text: str) -> None:
    """Nor does what has no verdict."""
    assert since(points(text)) is None


def test_a_failure_may_be_older_than_the_memory() -> None:
    """Its first run failed already."""
    found = since(points("iff"))

    assert found is not None
    assert (found.point.run, found.is_first) == (1, True)


def test_another_suite_may_be_why_it_fails() -> None:
    """The last run that passed was checked by another one."""
    changed, same = since(points("ppff", new_suite=2)), since(points("pfff", new_suite=2))

    assert changed is not None
    assert same is not None
    assert (changed.is_new_suite, same.is_new_suite) == (True, False)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("pfpf", Share(2, 4)),
        ("pifiepf", Share(2, 4)),
        ("ffpfppppp", Share(3, 9)),
        ("pfpfpppppppppp", None),
        ("ppff", None),
        ("pffp", None),
        ("fpf", None),
        ("", None),
    ],
)
def test_what_takes_turns_is_flapping(text: str, share: Share | None) -> None:
    """What broke, and what broke and was fixed, is not; and only the last verdicts count."""
    assert flapping(points(text)) == share


def test_a_share_is_written_in_words() -> None:
    """k of n."""
    assert str(Share(2, 10)) == "2 of 10"
