"""Checks with an incomplete profile of the reference name the missing prerequisites."""

import sys
from collections.abc import Callable

import pytest
from altered_target import Change, Profile, few, having, stage, without
from intercepted import NOBODY

from conformance.contract.verdict import Inconclusive, NotApplicable
from conformance.suite import test_approval as approval
from conformance.suite import test_arguments as arguments
from conformance.suite import test_grants as grants
from conformance.suite import test_limits as limits
from conformance.suite import test_list_grants as list_grants
from conformance.suite import test_observations as observations
from conformance.suite import test_pagination as pagination
from conformance.suite import test_read as read
from conformance.suite import test_tools_access as tools_access
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite import test_unapprovable as unapprovable

Asked = tuple[Callable[..., None], str | None, str | None]
"""A check, the operation and the scheme that it is run for."""
PROVISION = "fixtures.provision.approvable-review"
LISTED = "fixtures.approvable-reviews"
OUTSIDE = ("fixtures/foreign", "fixtures/ungranted", "credentials/outsider")
SILENT = having("parameters/review_list/cursor", False)  # noqa: FBT003 - as the profile has it


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(profile: Profile) -> None:
        for each in changes:
            each(profile)

    return change


@pytest.mark.parametrize(
    ("check", "change", "needs"),
    [
        (
            (limits.test_too_many_requests_are_rejected, None, None),
            without("limits/rate-limit"),
            ("limits.rate-limit",),
        ),
        (
            (limits.test_a_429_says_how_long_to_wait, None, None),
            without("limits/rate-limit"),
            ("limits.rate-limit",),
        ),
        (
            (tools_access.test_a_tool_stays_within_the_grant, "project_get", None),
            without(*OUTSIDE),
            ("fixtures.foreign", "fixtures.ungranted", "credentials.outsider"),
        ),
        (
            (tools_access.test_a_tool_stays_within_the_grant, "project_list", None),
            without(*OUTSIDE),
            ("fixtures.foreign", "fixtures.ungranted"),
        ),
        (
            (unapprovable.test_what_cannot_be_approved_is_not, None, "api-key"),
            having("fixtures/unapprovable-reviews", [NOBODY]),
            ("fixtures.unapprovable-reviews",),
        ),
        (
            (approval.test_an_approval_succeeds, None, "api-key"),
            both(
                few(0),
                having(
                    "fixtures/provision/approvable-review",
                    [sys.executable, "-c", "print('{\"id\": 7}')"],
                ),
            ),
            (LISTED, PROVISION),
        ),
        (
            (approval.test_an_approval_succeeds, None, "api-key"),
            both(
                few(0),
                having(
                    "fixtures/provision/approvable-review",
                    [sys.executable, "-c", "raise SystemExit(1)"],
                ),
            ),
            (LISTED, PROVISION),
        ),
        (
            (approval.test_an_approval_succeeds, None, "api-key"),
            both(
                few(0),
                having(
                    "fixtures/provision/approvable-review",
                    [sys.executable, "-c", f'print(\'{{"id": "{NOBODY}"}}\')'],
                ),
            ),
            (PROVISION,),
        ),
    ],
)
def test_a_missing_prerequisite_is_named(
    check: Asked, change: Change, needs: tuple[str, ...]
) -> None:
    """The prerequisite is a key of the profile."""
    with stage(change) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(*check)
    assert undecided.value.needs == needs


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ((pagination.test_following_cursors_returns_no_record_twice, "review_list", None), SILENT),
        (
            (list_grants.test_the_cursor_of_another_caller_opens_nothing, "review_list", None),
            SILENT,
        ),
        (
            (arguments.test_a_filter_that_is_not_a_uuid_is_rejected, "review_list", None),
            having("parameters/review_list/project", False),  # noqa: FBT003
        ),
        ((tools_access.test_a_tool_rejects_invalid_arguments, "account_get", None), without()),
        (
            (read.test_the_requested_record_is_returned, "account_get", None),
            without("credentials/outsider", "credentials/no-review-role"),
        ),
    ],
)
def test_checks_of_absent_features_are_not_applicable(check: Asked, change: Change) -> None:
    """The target lacks a cursor, a filter, an argument of a tool, or another account."""
    with stage(change) as one, pytest.raises(NotApplicable):
        one.perform(*check)


def test_a_list_without_a_cursor_gets_no_request_with_one() -> None:
    """There are no observations."""
    with stage(SILENT) as one:
        one.perform(observations.test_a_cursor_that_was_never_issued, "review_list")
        assert (one.session.observations, one.transport.sent) == ([], [])


@pytest.mark.parametrize("absent", ["no-review-role", "outsider"])
def test_an_absent_caller_is_left_out(absent: str) -> None:
    """The other callers are checked."""
    with stage(without(f"credentials/{absent}")) as one:
        one.perform(approval.test_an_approval_succeeds, scheme="bearer")
        one.perform(approval.test_an_approval_succeeds, scheme="api-key")
        one.perform(list_grants.test_lists_stay_within_the_grant, "project_list", "api-key")
        one.perform(grants.test_another_company_is_out_of_reach, "project_get", "api-key")
        one.perform(tools_access.test_a_tool_stays_within_the_grant, "project_get")
        one.perform(tools_approval.test_an_approval_by_tool_is_one_over_http)
        contexts = (one.session, *(fact.context for fact in one.session.facts()))
        callers = {each.credential for one in contexts for each in one._exchanges.values()}
    assert absent not in callers
