"""The oracle of approvals: the statuses that the contract allows, given the steps before."""

from typing import Any

import pytest

from conformance.suite.approval.oracle import Oracle, Step, Subject

ON_APPROVED = {200, 400, 403, 409, 422}


def after(*steps: tuple[Step, int, Any]) -> Oracle:
    """An oracle after these steps, each with its status and result."""
    oracle = Oracle()
    for step, status, result in steps:
        oracle.learn(step, status, result)
    return oracle


@pytest.fixture
def one() -> Subject:
    """A pending review."""
    return Subject("one", 7)


@pytest.fixture
def other() -> Subject:
    """Another pending review."""
    return Subject("other", 3)


def test_a_right_step_with_a_new_key_returns_200(one: Subject) -> None:
    """No other status is allowed."""
    assert Oracle().allowed(Step(one, "k")) == {200}
    assert Oracle().replayed(Step(one, "k")) is None


@pytest.mark.parametrize(
    ("revision", "difference", "allowed"),
    [(7, 1, {409}), (7, -1, {409}), (1, -1, {400, 409, 422}), (0, 1, {409})],
)
def test_a_stale_step_is_a_conflict(revision: int, difference: int, allowed: set[int]) -> None:
    """A revision of 0 may also count as malformed."""
    assert Oracle().allowed(Step(Subject("one", revision), "k", difference)) == allowed


def test_a_replay_repeats_the_success(one: Subject) -> None:
    """Steps with other keys in between make no difference."""
    oracle = after(
        (Step(one, "k"), 200, "result"),
        (Step(one, "l"), 409, None),
        (Step(one, "m"), 200, "another"),
    )

    assert oracle.allowed(Step(one, "k")) == {200}
    assert oracle.replayed(Step(one, "k")) == "result"
    assert one.approved


@pytest.mark.parametrize("difference", [1, -1])
def test_a_used_key_with_another_revision_is_a_conflict(one: Subject, difference: int) -> None:
    """The response does not repeat a result."""
    oracle = after((Step(one, "k"), 200, "result"))

    assert oracle.allowed(Step(one, "k", difference)) == {409}
    assert oracle.replayed(Step(one, "k", difference)) is None


@pytest.mark.parametrize("difference", [0, 1])
def test_a_new_key_on_an_approved_review_has_many_allowed_statuses(
    one: Subject, difference: int
) -> None:
    """This includes stale steps, and keys that were used for the review before."""
    oracle = after((Step(one, "k"), 200, "result"), (Step(one, "m"), 200, "again"))

    assert oracle.allowed(Step(one, "l", difference)) == ON_APPROVED
    assert oracle.allowed(Step(one, "m", difference)) == ON_APPROVED
    assert oracle.replayed(Step(one, "m", difference)) is None


def test_a_key_of_another_review_may_be_free_or_a_conflict(one: Subject, other: Subject) -> None:
    """It never repeats the result of the first review."""
    oracle = after((Step(one, "k"), 200, "result"))

    assert oracle.allowed(Step(other, "k")) == {200, 409}
    assert oracle.allowed(Step(other, "k", 1)) == {400, 409, 422}
    assert oracle.allowed(Step(other, "l", 1)) == {409}
    assert oracle.allowed(Step(other, "l")) == {200}
    assert oracle.replayed(Step(other, "k")) is None


def test_the_key_of_a_rejected_step_may_be_free_or_stuck(one: Subject, other: Subject) -> None:
    """This holds on any review, and for that key only."""
    oracle = after((Step(one, "k", 1), 409, None))

    assert not one.approved
    assert [oracle.allowed(Step(subject, "k")) for subject in (one, other)] == [
        {200, 409},
        {200, 409},
    ]
    assert oracle.allowed(Step(one, "l")) == {200}
    assert oracle.allowed(Step(one, "k", 1)) == {409}


def test_a_key_that_was_used_on_an_approved_review_may_belong_to_it(
    one: Subject, other: Subject
) -> None:
    """On another review the key is free or a conflict, for every status that it returned."""
    for status in (200, 409):
        oracle = after((Step(one, "k"), 200, "result"), (Step(one, "m"), status, "again"))
        assert oracle.allowed(Step(other, "m")) == {200, 409}
        assert oracle.allowed(Step(other, "l")) == {200}


def test_each_review_has_results_of_its_own(one: Subject, other: Subject) -> None:
    """One key may approve several reviews."""
    oracle = after((Step(one, "k"), 200, "of one"), (Step(other, "k"), 200, "of the other"))

    assert [oracle.replayed(Step(subject, "k")) for subject in (one, other)] == [
        "of one",
        "of the other",
    ]
    assert oracle.tried == set()


def test_a_second_success_on_an_approved_review_leaves_the_first_result(one: Subject) -> None:
    """A replay repeats the first result."""
    oracle = after((Step(one, "k"), 200, "first"), (Step(one, "k"), 200, "second"))

    assert oracle.replayed(Step(one, "k")) == "first"
