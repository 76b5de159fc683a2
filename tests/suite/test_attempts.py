"""Attempts that must be rejected: each differs from a valid approval in one part."""

import json

import pytest

from conformance.http.exchange import Call
from conformance.rules import arguments
from conformance.rules.arguments import Fitness
from conformance.suite.approval.attempts import (
    LARGEST,
    MALFORMED,
    MISSPELT,
    NEXT,
    STALE,
    ahead,
    ahead_in_capitals,
    changed,
    conflict,
    unaltered,
)

ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
RIGHT = Call("review_approve", {"reviewId": ID}, (("x", "1"),)).carrying(
    {"expectedSubjectRevision": 7, "idempotencyKey": "k"}
)


@pytest.mark.parametrize(
    ("revision", "alone"),
    [(-1, False), (0, False), (1, True), (2, True), (2**31 - 1, True), (2**31, False)],
)
def test_a_wrong_revision_is_a_conflict(revision: int, alone: bool) -> None:
    """A revision below 1 or beyond 32 bits may also count as malformed."""
    assert conflict(revision) == ({409} if alone else {400, 409, 422})


@pytest.mark.parametrize(
    ("right", "made"),
    [
        (7, [8, 6, 5, 9, 1007, LARGEST, 7 + 2**32, 0, 1, -1, -7, 10, 71, 1008]),
        (2, [3, 1, 0, 4, 1002, LARGEST, 2 + 2**32, 0, 1, -1, -2, 10, 21, 1003]),
        (1, [2, 0, -1, 3, 1001, LARGEST, 1 + 2**32, 0, 4, -1, -1, 10, 11, 1002]),
        (0, [1, -1, -2, 2, 1000, LARGEST, 2**32, -1, 3, -1, -1, 10, 1, 1001]),
        (-1, [0, -2, -3, 1, 999, LARGEST, 2**32 - 1, 0, 2, -3, 1, 10, -9, 2000]),
        (345, [346, 344, 343, 347, 1345, LARGEST, 345 + 2**32, 0, 1, -1, -345, 3, 3451, 1346]),
    ],
)
def test_a_stale_revision_is_derived_from_the_right_one(right: int, made: list[int]) -> None:
    """It differs from every possible right revision."""
    assert [make(right) for make in STALE.values()] == made
    assert right not in made


def test_the_largest_revision_is_not_the_right_one() -> None:
    """Where the right one is the largest, it is the one below."""
    assert STALE["the largest"](LARGEST) == LARGEST - 1


def test_adjacent_revisions_differ_by_one() -> None:
    """One is above and one is below the right revision."""
    assert [STALE[name](7) for name in NEXT] == [ahead(7), 6] == [8, 6]


def test_a_stale_revision_is_sent_to_the_id_in_capitals() -> None:
    """Neither the id in upper case nor the key is wrong: only the revision is."""
    call = ahead_in_capitals(RIGHT, 7, "k")
    assert call.path == {"reviewId": ID.upper()}
    assert json.loads(call.body or b"") == {"expectedSubjectRevision": 8, "idempotencyKey": "k"}


def test_each_attempt_changes_one_part_of_an_approval() -> None:
    """The other parts of the call stay valid."""
    made = [
        changed()(RIGHT, 7, "k"),
        changed(revision=ahead)(RIGHT, 7, "k"),
        changed(key="other")(RIGHT, 7, "k"),
    ]
    assert [json.loads(call.body or b"") for call in made] == [
        {"expectedSubjectRevision": 7, "idempotencyKey": "k"},
        {"expectedSubjectRevision": 8, "idempotencyKey": "k"},
        {"expectedSubjectRevision": 7, "idempotencyKey": "other"},
    ]
    assert {(call.operation, call.path["reviewId"], call.query) for call in made} == {
        ("review_approve", ID, (("x", "1"),))
    }
    assert unaltered(RIGHT, 7, "k") is RIGHT


@pytest.mark.parametrize("name", MALFORMED)
def test_the_rules_classify_each_malformed_body_as_invalid(name: str) -> None:
    """This holds for every revision of the review."""
    for revision in (0, 1, 7, 2**53 - 1):
        made = MALFORMED[name](RIGHT, revision, "k")
        assert arguments.body(made) is Fitness.INVALID
        assert (made.operation, made.path, made.query, made.content_type) == (
            RIGHT.operation,
            RIGHT.path,
            RIGHT.query,
            RIGHT.content_type,
        )


def test_literal_malformed_bodies_are_sent_unchanged() -> None:
    """Their bytes are not encoded again."""
    names = ("a body that is a number", "a body that breaks off")
    assert [MALFORMED[name](RIGHT, 7, "k").body for name in names] == [
        b"1",
        b'{"expectedSubjectRevision": 1,',
    ]


def test_a_right_body_is_inside_of_an_array_and_a_string() -> None:
    """A parser that takes it out would approve the review."""
    array, string = (
        json.loads(MALFORMED[f"a body that is {name}"](RIGHT, 7, "k").body or b"")
        for name in ("an array", "a string")
    )
    right = json.loads(RIGHT.body or b"")
    assert (array, json.loads(string)) == ([right], right)


def test_a_misspelt_id_is_derived_from_the_right_one() -> None:
    """The body stays valid."""
    made = [spell(RIGHT, 7, "k") for spell in MISSPELT.values()]
    assert [call.path for call in made] == [
        {"reviewId": "0b6d5a9e7c434c1e8f213f0c1d527a94"},
        {"reviewId": f"{{{ID}}}"},
        {"reviewId": f"{ID}0"},
        {"reviewId": f"٠{ID[1:]}"},
        {"reviewId": ID.replace("b", "ｂ", 1)},
        {"reviewId": "not-a-uuid"},
        {"reviewId": "not-a-uuid"},
    ]
    *plain, beside = made
    assert {call.body for call in plain} == {RIGHT.body}
    assert json.loads(beside.body or b"") == {
        "reviewId": ID,
        "expectedSubjectRevision": 7,
        "idempotencyKey": "k",
    }
