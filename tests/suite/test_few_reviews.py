"""A request that takes a review it must not take is reported, however few reviews are left."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from altered_target import few, stage
from subjects import BY_ID

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_approval as approval
from conformance.suite import test_approval_races as races
from conformance.suite import test_authorization as authorization

PROVISION = """
import json, pathlib, sys
file = pathlib.Path(sys.argv[1])
first, *others = file.read_text().split()
file.write_text(" ".join(others))
print(json.dumps({"id": first}))
"""

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


def test_two_reviews_at_once_may_be_those_that_a_command_makes(tmp_path: Path) -> None:
    """Where the profile names none, as where it names some; a mutant shows that they are tried."""
    ids = tmp_path / "ids"

    def made(profile: dict[str, Any]) -> None:
        fixtures = profile["fixtures"]
        ids.write_text(" ".join(fixtures.pop("approvable-reviews")))
        command = [sys.executable, "-c", PROVISION, str(ids)]
        fixtures["provision"] = {"approvable-review": command}

    check = races.test_one_key_for_two_reviews_at_once_is_a_conflict_or_an_approval
    with stage(made) as one:
        one.perform(check)
    edits = BY_ID["one-key-at-once-returns-the-first-review"].edits
    with stage(made, edits=edits) as one, pytest.raises(Violation):
        one.perform(check)
