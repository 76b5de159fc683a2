"""Defects that show under one condition: by a scheme, in a text, on a last page, in upper case."""

from collections.abc import Callable
from pathlib import Path

import pytest
from altered_target import few, having, stage

from conformance.assurance.selftest import population
from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.suite import test_approval as approval
from conformance.suite import test_authentication as authentication
from conformance.suite import test_tools as tools
from conformance.suite import test_tools_access as tools_access
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite import test_tools_data as tools_data
from conformance.suite import test_unusual_ids as unusual_ids

Check = Callable[..., None]

POPULATION = Path(__file__).parent.parent / "population"
SUBJECTS = {
    subject.id: subject
    for subject in population.load(
        [POPULATION / f"{name}.toml" for name in ("mutants", "variants")]
    )
}
DATA = tools_data.test_a_tool_returns_the_data_of_its_operation
DECLARED = tools.test_a_tool_takes_the_arguments_of_its_operation
GRANTS = tools_access.test_a_tool_stays_within_the_grant
APPROVAL = tools_approval.test_an_approval_by_tool_is_one_over_http
APPROVED = unusual_ids.test_an_approval_by_an_id_in_the_other_case_takes_effect
REPLAYED = unusual_ids.test_a_replay_by_the_id_in_the_other_case_repeats_the_result


@pytest.mark.parametrize(
    ("mutant", "check", "operation"),
    [
        ("tool-of-comments-leads-back", DATA, "comment_list"),
        ("tools-have-null-for-no-items", DATA, "video_list"),
        ("tool-text-of-whoever-asked-first", DATA, "account_get"),
        ("tool-of-reviews-finds-none-in-capitals", DATA, "review_list"),
        ("tools-by-token-have-one-page", DATA, "video_list"),
        ("tool-of-the-account-by-token-is-cached", DATA, "account_get"),
        ("tool-of-projects-declares-ten", DECLARED, "project_list"),
        ("tool-of-the-account-asks-for-an-id", DECLARED, "account_get"),
        ("tool-of-comments-opens-with-a-cursor", GRANTS, "comment_list"),
        ("tool-approves-by-key-alone", APPROVAL, None),
        ("tool-of-a-review-is-cached", APPROVAL, None),
        ("approval-in-capitals-has-no-effect", APPROVED, None),
        ("replay-in-capitals-has-another-revision", REPLAYED, None),
    ],
)
def test_a_defect_under_one_condition_is_found(
    mutant: str, check: Check, operation: str | None
) -> None:
    """The check itself finds it, whatever else the run does."""
    with stage(edits=SUBJECTS[mutant].edits) as one, pytest.raises(Violation):
        one.perform(check, operation)


@pytest.mark.parametrize("check", [APPROVED, REPLAYED])
def test_an_approval_need_not_take_ids_in_the_other_case(check: Check) -> None:
    """The review is left to other checks."""
    edits = SUBJECTS["approval-of-ids-as-they-are-written"].edits
    with stage(edits=edits) as one, pytest.raises(NotApplicable):
        one.perform(check)


def test_the_last_reviews_are_not_approved_by_ids_in_the_other_case() -> None:
    """Other checks need them."""
    with stage(few(4)) as one, pytest.raises(NotApplicable):
        one.perform(APPROVED)


IN_CAPITALS = 'name in ("companyId", "projectId") and value != value.lower()'
NIL = "00000000-0000-0000-0000-000000000000"


def test_a_filter_in_capitals_may_select_nothing_by_either_interface() -> None:
    """HTTP and tool return an empty page."""
    new = f'return "{NIL}" if {IN_CAPITALS} else value.lower()'
    with stage(edits=[Edit("arguments", "return value.lower()", new)]) as one:
        one.perform(DATA, "review_list")


def test_a_page_by_tool_may_be_empty_once() -> None:
    """The next page under the same filters has the records."""
    new = """project = str(given.get("projectId", ""))
        if project != project.lower() and not globals().get("WAS_EMPTY"):
            globals()["WAS_EMPTY"] = True
            return responses.success({"items": [], "nextCursor": None})
        return responses.success(service.perform(tool.operation, caller, given))"""
    old = "return responses.success(service.perform(tool.operation, caller, given))"
    with stage(edits=[Edit("tools", old, new)]) as one:
        one.perform(DATA, "review_list")


def test_a_service_that_does_not_respond_without_a_credential_has_no_challenge() -> None:
    """Another check reports that there is no response."""
    edits = SUBJECTS["rejected-callers-get-no-response"].edits
    with stage(edits=edits) as one, pytest.raises(Inconclusive):
        one.perform(authentication.test_a_401_has_a_challenge, "account_get")


def test_a_page_by_tool_may_be_the_last_one_once() -> None:
    """The next time it has a cursor."""
    new = """data = service.perform(tool.operation, caller, given)
        if data.get("nextCursor") and given.get("limit") == 1 and not globals().get("WAS_LAST"):
            globals()["WAS_LAST"] = True
            data["nextCursor"] = None
        return responses.success(data)"""
    old = "return responses.success(service.perform(tool.operation, caller, given))"
    with stage(edits=[Edit("tools", old, new)]) as one:
        one.perform(DATA, "video_list")


def test_a_list_whose_cursor_has_no_known_name_has_one_page_to_compare() -> None:
    """Whether a further page exists is not compared."""
    with stage(having("parameters/video_list", {"cursor": False})) as one:
        one.perform(DATA, "video_list")


def test_the_last_review_may_be_taken_by_a_body_that_is_no_object() -> None:
    """It expects no revision which others could have made."""
    edits = SUBJECTS["body-in-an-array"].edits
    with (
        stage(few(1), edits=edits) as one,
        pytest.raises(Inconclusive, match="no approvable review"),
    ):
        one.perform(approval.test_a_stale_revision_is_a_conflict, scheme="api-key")
