"""Access in every way: who asks, for what, how, and beside whom (Authentication).

The other checks of access ask plainly and over HTTP, or by tool, one caller after the other. These
ask in a part of all combinations in which each pair of conditions occurs (`suite/access`).
"""

from conformance.suite.access.matrix import AccessMatrix
from conformance.suite.callers.requirement import requirement


@requirement("authentication/missing")
def test_nobody_is_served_in_any_way(access: AccessMatrix) -> None:
    """Requests without a credential are rejected, with arguments and beside others too."""
    access.check("authentication/missing")


@requirement("authentication/expired")
def test_an_expired_credential_opens_no_way(access: AccessMatrix) -> None:
    """Requests with an expired credential are rejected, in whatever way."""
    access.check("authentication/expired")


@requirement("authentication/revoked")
def test_a_revoked_credential_opens_no_way(access: AccessMatrix) -> None:
    """Requests with a revoked credential are rejected, in whatever way."""
    access.check("authentication/revoked")


@requirement("authentication/unknown")
def test_a_forged_credential_opens_no_way(access: AccessMatrix) -> None:
    """A made-up credential, and one made from a valid one, are rejected in whatever way."""
    access.check("authentication/unknown")


@requirement("authorization/permission")
def test_no_way_leads_around_a_permission(access: AccessMatrix) -> None:
    """Requests without the permission are rejected, in whatever way."""
    access.check("authorization/permission")


@requirement("authorization/no-more-than-permission")
def test_another_permission_is_needed_in_no_way(access: AccessMatrix) -> None:
    """A caller who lacks only another permission is served, in whatever way."""
    access.check("authorization/no-more-than-permission")


@requirement("authorization/company")
def test_no_way_leads_into_another_company(access: AccessMatrix) -> None:
    """Records of other companies are out of reach, in whatever way."""
    access.check("authorization/company")


@requirement("authorization/project")
def test_no_way_leads_into_an_ungranted_project(access: AccessMatrix) -> None:
    """Records of ungranted projects are out of reach, in whatever way."""
    access.check("authorization/project")


@requirement("authorization/lists")
def test_lists_show_the_outsider_nothing_of_primary(access: AccessMatrix) -> None:
    """No page shows the outsider a record of primary, whatever the arguments."""
    access.check("authorization/lists")


@requirement("authorization/cursor")
def test_no_cursor_leads_outside(access: AccessMatrix) -> None:
    """A cursor of primary shows the outsider nothing of primary, after and beside it."""
    access.check("authorization/cursor")


@requirement("authorization/filter")
def test_no_filter_leads_outside(access: AccessMatrix) -> None:
    """A filter by something outside shows nothing of it, also right after and beside others."""
    access.check("authorization/filter")


@requirement("authorization/review-role")
def test_no_way_leads_around_the_role(access: AccessMatrix) -> None:
    """An approval without the role is rejected, in whatever way."""
    access.check("authorization/review-role")


@requirement("read/success")
def test_who_may_is_served_in_every_way(access: AccessMatrix) -> None:
    """Primary and colleague are served in each way, also beside a caller who is rejected."""
    access.check("read/success")


@requirement("read/absent")
def test_what_does_not_exist_is_absent_in_every_way(access: AccessMatrix) -> None:
    """An id of no record is not found, in whatever way."""
    access.check("read/absent")


@requirement("approval/absent")
def test_what_does_not_exist_is_approved_in_no_way(access: AccessMatrix) -> None:
    """An approval of no review is rejected, in whatever way."""
    access.check("approval/absent")


@requirement("tools/authentication")
def test_no_tool_serves_whoever_has_no_valid_credential(access: AccessMatrix) -> None:
    """A tool rejects them with every argument, after and beside others."""
    access.check("tools/authentication")


@requirement("tools/permission")
def test_no_tool_leads_around_a_permission(access: AccessMatrix) -> None:
    """A tool rejects a caller without the permission, in whatever way."""
    access.check("tools/permission")


@requirement("tools/grants")
def test_no_tool_leads_outside_the_grant(access: AccessMatrix) -> None:
    """A tool shows nobody a record from outside the grant, in whatever way."""
    access.check("tools/grants")


@requirement("tools/data")
def test_who_may_is_served_by_every_tool(access: AccessMatrix) -> None:
    """A tool serves primary and colleague in each way in which HTTP does."""
    access.check("tools/data")


@requirement("tools/approval")
def test_no_tool_leads_around_the_role(access: AccessMatrix) -> None:
    """An approval by tool, without the role or of no review, is rejected in whatever way."""
    access.check("tools/approval")
