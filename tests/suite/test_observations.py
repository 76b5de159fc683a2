"""What a run observes where the specification is silent."""

from dataclasses import replace
from typing import Any

import httpx
import pytest
from altered_target import Send, edited, stage
from intercepted import changed

from conformance.contract import requirements
from conformance.runner.depth import DEPTHS
from conformance.suite import test_approval_races as races
from conformance.suite import test_observations as observations


def test_what_approvals_at_once_returned_is_observed() -> None:
    """A conflict for each key that lost, or a success: both are allowed, and worth knowing."""
    with stage() as one:
        one.perform(races.test_many_approvals_at_once_leave_one_state)
        observed = [value for id, _, value in one.session.observations if id == "observe/races"]
    assert observed == ["1 × 200, 7 × 409 conflict"]


REASON = "approvalUnavailableReason"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [({}, "absent"), ({REASON: None}, "null"), ({REASON: ""}, "empty"), ({REASON: "x"}, "a text")],
)
def test_the_reason_of_an_approvable_review_is_observed(
    stated: dict[str, str | None], expected: str
) -> None:
    """The specification says nothing about it: it may be absent, empty or null."""

    def reasoned(review: dict[str, Any]) -> None:
        if review["approvable"]:
            del review[REASON]
            review.update(stated)

    with stage(spoil=changed("/v1/reviews", reasoned)) as one:
        one.perform(observations.test_formats_and_vocabularies, "review_list")
        observed = [value for _, subject, value in one.session.observations if REASON in subject]
    assert observed == [[expected]]


def test_data_that_cannot_show_a_defect_is_named() -> None:
    """A list of three records, created at three moments, with names in ASCII."""
    moments = iter(range(1000))

    def plain(record: dict[str, Any]) -> None:
        record["createdAt"] = f"2026-01-01T00:00:{next(moments):05}Z"
        record["name"] = "plain"

    def few(response: Any) -> None:
        response["data"]["items"] = response["data"]["items"][:3]
        response["data"]["nextCursor"] = None

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = changed("/v1/projects", plain)(request, send)
        return edited(response, few) if request.url.path == "/v1/projects" else response

    with stage(spoil=spoil) as one:
        one.perform(observations.test_what_the_data_does_not_exercise, "project_list")
        subjects = [subject for id, subject, _ in one.session.observations if id == "observe/data"]
    assert subjects == [
        "project_list: no two records share a createdAt",
        "project_list: no list that was read has more than 20 records",
        "project_list: no text has a letter beyond ASCII",
    ]


def test_approvals_far_from_the_beginning_of_the_list_are_named() -> None:
    """What clients read first is the same before and after them."""
    with stage() as one:
        listed = [each["id"] for each in one.things["live"].listing("review_list").records]
        last = tuple(listed[-2:])
        fixtures = replace(one.session.target.fixtures, approvable_reviews=last)
        one.session.target = replace(one.session.target, fixtures=fixtures)
        one.perform(observations.test_what_the_data_does_not_exercise, "review_list")
        subjects = [subject for id, subject, _ in one.session.observations if id == "observe/data"]
    assert subjects == ["review_list: no review that may be approved is on the first page"]


@pytest.mark.parametrize("operation", requirements.load()["observe/data"].operations)
def test_the_data_of_the_reference_can_show_every_defect(operation: str) -> None:
    """So that a mutant of it is caught for the right reason."""
    with stage() as one:
        one.session.session.depth = DEPTHS["standard"]
        one.perform(observations.test_what_the_data_does_not_exercise, operation)
        assert [each for each in one.session.observations if each[0] == "observe/data"] == []
