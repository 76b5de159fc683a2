"""A request that takes a review it must not take is reported, however few reviews are left."""

from collections.abc import Callable

import pytest
from altered_target import few, stage
from subjects import BY_ID

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_approval as approval
from conformance.suite import test_authorization as authorization

CHECKS: dict[str, Callable[..., None]] = {
    "stale-approves-all-the-same": approval.test_a_stale_revision_is_a_conflict,
    "role-unchecked": authorization.test_the_review_role_is_needed,
}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("mutant", CHECKS)
def test_an_approval_that_has_to_be_rejected_is_reported(mutant: str, number: int) -> None:
    """Also where it takes the last review, so that none is left to approve."""
    edits = BY_ID[mutant].edits
    with stage(few(number), edits=edits) as one, pytest.raises(Violation):
        one.perform(CHECKS[mutant], None, "api-key")


@pytest.mark.parametrize("number", [1, 2])
def test_other_checks_say_what_took_the_reviews(number: int) -> None:
    """They are inconclusive, and name the attempt."""
    edits = BY_ID["stale-approves-all-the-same"].edits
    with stage(few(number), edits=edits) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(approval.test_an_approval_succeeds, None, "api-key")
    assert str(undecided.value) == (
        "no approvable review is left: 1 attempt that had to be rejected approved one"
    )
    assert undecided.value.exchanges
