"""Histories of approvals: their steps, and the reviews of each."""

import json

import pytest

from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.suite.approval import histories
from conformance.suite.approval.histories import OPENING, STEPS, apart, steps
from conformance.suite.approval.review import Review


def review(id: str, **shown: str) -> Review:
    """A review that shows these properties."""
    response = Response(200, (), json.dumps({"data": {"id": id, **shown}}).encode())
    read = Exchange(id, 1, Call("review_get"), "", None, None, Request("GET", "", ()), response)
    return Review(id, 1, read)


@pytest.mark.parametrize(
    ("reviews", "groups"),
    [
        ([("a", "1"), ("b", "2"), ("c", "3")], ["ab", "c"]),
        ([("a", "1"), ("b", "2"), ("c", "1"), ("d", "3"), ("e", "3")], ["abc", "de"]),
        ([("a", "1")], ["a"]),
        ([], []),
    ],
)
def test_reviews_of_one_subject_are_in_one_history(
    reviews: list[tuple[str, str]], groups: list[str]
) -> None:
    """The approval of one may revise the others."""
    made = apart(review(id, subjectId=subject) for id, subject in reviews)
    assert ["".join(each.id for each in group) for group in made] == groups


def test_reviews_that_show_no_subject_may_share_one() -> None:
    """What they belong to otherwise keeps them apart."""
    made = apart([review("a"), review("b"), review("c"), review("d", videoId="1")])
    assert [[each.id for each in group] for group in made] == [["a", "b", "c"], ["d"]]


def test_the_steps_depend_on_the_seed_and_the_number_alone() -> None:
    """The first history begins with the opening."""
    first, second = steps(1, 0), steps(1, 1)
    assert first[: len(OPENING)] == list(OPENING)
    assert {len(first), len(second)} == {STEPS}
    assert (steps(1, 1), steps(2, 1) != second) == (second, True)
    assert {step.review for step in second} == set(range(histories.REVIEWS))
