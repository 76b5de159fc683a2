"""The model of approvals: what the contract allows an attempt to be answered, after all that was attempted before."""

from typing import Any

import pytest

from conformance.suite.approval.oracle import Attempt, Model, Subject

ON_APPROVED = {200, 400, 403, 409, 422}


def after(*attempts: tuple[Attempt, int, Any]) -> Model:
    """A model that has seen these attempts, with the status and the result of each."""
    model = Model()
    for attempt, status, result in attempts:
        model.learn(attempt, status, result)
    return model


@pytest.fixture
def one() -> Subject:
    """A pending review."""
    return Subject("one", 7)


@pytest.fixture
def other() -> Subject:
    """Another pending review."""
    return Subject("other", 3)


def test_a_right_attempt_with_a_new_key_succeeds(one: Subject) -> None:
    """And nothing else is allowed."""
    assert Model().allowed(Attempt(one, "k")) == {200}
    assert Model().replays(Attempt(one, "k")) is None


@pytest.mark.parametrize(
    ("revision", "difference", "allowed"),
    [(7, 1, {409}), (7, -1, {409}), (1, -1, {400, 409, 422}), (0, 1, {409})],
)
def test_a_stale_attempt_is_a_conflict(revision: int, difference: int, allowed: set[int]) -> None:
    """By the revision that it expects: one of 0 is malformed too."""
    assert Model().allowed(Attempt(Subject("one", revision), "k", difference)) == allowed


def test_a_replay_repeats_the_success(one: Subject) -> None:
    """Whatever was attempted with other keys meanwhile."""
    model = after(
        (Attempt(one, "k"), 200, "result"),
        (Attempt(one, "l"), 409, None),
        (Attempt(one, "m"), 200, "another"),
    )

    assert model.allowed(Attempt(one, "k")) == {200}
    assert model.replays(Attempt(one, "k")) == "result"
    assert one.approved


@pytest.mark.parametrize("difference", [1, -1])
def test_a_used_key_with_another_revision_is_a_conflict(one: Subject, difference: int) -> None:
    """And repeats nothing."""
    model = after((Attempt(one, "k"), 200, "result"))

    assert model.allowed(Attempt(one, "k", difference)) == {409}
    assert model.replays(Attempt(one, "k", difference)) is None


@pytest.mark.parametrize("difference", [0, 1])
def test_a_new_key_on_an_approved_review_is_answered_in_many_ways(
    one: Subject, difference: int
) -> None:
    """Also a stale one, and one that such an answer was given to before."""
    model = after((Attempt(one, "k"), 200, "result"), (Attempt(one, "m"), 200, "again"))

    assert model.allowed(Attempt(one, "l", difference)) == ON_APPROVED
    assert model.allowed(Attempt(one, "m", difference)) == ON_APPROVED
    assert model.replays(Attempt(one, "m", difference)) is None


def test_a_key_of_another_review_may_be_free_or_a_conflict(one: Subject, other: Subject) -> None:
    """Nothing of the first review's result may come back."""
    model = after((Attempt(one, "k"), 200, "result"))

    assert model.allowed(Attempt(other, "k")) == {200, 409}
    assert model.allowed(Attempt(other, "k", 1)) == {400, 409, 422}
    assert model.allowed(Attempt(other, "l", 1)) == {409}
    assert model.allowed(Attempt(other, "l")) == {200}
    assert model.replays(Attempt(other, "k")) is None


def test_a_key_of_an_attempt_that_was_refused_may_be_free_or_stuck(
    one: Subject, other: Subject
) -> None:
    """On any review, and for that key alone."""
    model = after((Attempt(one, "k", 1), 409, None))

    assert not one.approved
    assert [model.allowed(Attempt(subject, "k")) for subject in (one, other)] == [
        {200, 409},
        {200, 409},
    ]
    assert model.allowed(Attempt(one, "l")) == {200}
    assert model.allowed(Attempt(one, "k", 1)) == {409}


def test_a_key_that_came_with_an_approved_review_may_belong_to_it(
    one: Subject, other: Subject
) -> None:
    """Whichever way it was answered: on another review it is free, or a conflict."""
    for status in (200, 409):
        model = after((Attempt(one, "k"), 200, "result"), (Attempt(one, "m"), status, "again"))
        assert model.allowed(Attempt(other, "m")) == {200, 409}
        assert model.allowed(Attempt(other, "l")) == {200}


def test_each_review_has_results_of_its_own(one: Subject, other: Subject) -> None:
    """Also by the same key."""
    model = after((Attempt(one, "k"), 200, "of one"), (Attempt(other, "k"), 200, "of the other"))

    assert [model.replays(Attempt(subject, "k")) for subject in (one, other)] == [
        "of one",
        "of the other",
    ]
    assert model.tried == set()


def test_a_second_success_on_an_approved_review_leaves_the_first_result(one: Subject) -> None:
    """It is the first one that a replay repeats."""
    model = after((Attempt(one, "k"), 200, "first"), (Attempt(one, "k"), 200, "second"))

    assert model.replays(Attempt(one, "k")) == "first"
