"""What a run observes where the specification is silent."""

from typing import Any

import pytest
from altered_target import stage
from intercepted import changed

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
