"""Checks on the reference where its profile says less, or other things: what is missing is named, and nobody is blamed for it."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import subjects
from staged import Change, Profile, Send, few, having, stage, without

from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Inconclusive, NotApplicable, Violation
from conformance.suite import test_approval as approval
from conformance.suite import test_approval_model as model
from conformance.suite import test_arguments as arguments
from conformance.suite import test_authentication as authentication
from conformance.suite import test_authorization as authorization
from conformance.suite import test_grants as grants
from conformance.suite import test_limits as limits
from conformance.suite import test_limits_body as limits_body
from conformance.suite import test_observations as observations
from conformance.suite import test_pagination as pagination
from conformance.suite import test_read as read
from conformance.suite import test_tools_access as tools_access
from conformance.suite import test_tools_approval as tools_approval
from conformance.suite import test_unapprovable as unapprovable
from conformance.suite.approval.approvals import Approvals
from conformance.suite.callers.forged_credentials import near_misses

Asked = tuple[Callable[..., None], str | None, str | None]
"""A check, the operation and the scheme that it is run for."""

NOBODY = "00000000-0000-4000-8000-000000000000"
PROVISION = "fixtures.provision.approvable-review"
LISTED = "fixtures.approvable-reviews"


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(profile: Profile) -> None:
        for each in changes:
            each(profile)

    return change


SHORT = Edit(
    "identities",
    'return f"{SECRET_PREFIXES[scheme]}_',
    'return "lk_1" if (name, scheme) == ("primary", API_KEY) else f"{SECRET_PREFIXES[scheme]}_',
)
OUTSIDE = ("fixtures/foreign", "fixtures/ungranted", "credentials/outsider")
SILENT = having("parameters/review_list/cursor", False)  # noqa: FBT003 - as the profile has it


@pytest.mark.parametrize(
    ("check", "change", "needs"),
    [
        (
            (limits.test_too_many_requests_are_refused, None, None),
            without("limits/rate-limit"),
            ("limits.rate-limit",),
        ),
        (
            (limits.test_a_refusal_says_how_long_to_wait, None, None),
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
def test_what_is_missing_is_named(check: Asked, change: Change, needs: tuple[str, ...]) -> None:
    """By its key in the profile."""
    with stage(change) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(*check)
    assert undecided.value.needs == needs


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ((pagination.test_a_walk_yields_no_record_twice, "review_list", None), SILENT),
        ((grants.test_another_callers_cursor_opens_nothing, "review_list", None), SILENT),
        (
            (arguments.test_a_filter_that_is_no_uuid_is_refused, "review_list", None),
            having("parameters/review_list/project", False),  # noqa: FBT003
        ),
        ((tools_access.test_a_tool_refuses_invalid_arguments, "account_get", None), without()),
        (
            (read.test_the_record_is_the_one_asked_for, "account_get", None),
            without("credentials/outsider", "credentials/no-review-role"),
        ),
    ],
)
def test_what_a_target_has_nothing_of_is_not_applicable(check: Asked, change: Change) -> None:
    """A list without a cursor or a filter, a tool that takes no argument, or an account beside which there is no other one."""
    with stage(change) as one, pytest.raises(NotApplicable):
        one.perform(*check)


def test_a_list_without_a_cursor_is_asked_for_none() -> None:
    """Nothing is observed."""
    with stage(SILENT) as one:
        one.perform(observations.test_a_cursor_that_was_never_issued, "review_list")
        assert (one.session.observations, one.transport.sent) == ([], [])


def test_a_review_may_be_made_by_a_command(tmp_path: Path) -> None:
    """One at a time, each of them once; the ledger tells which."""

    def change(profile: Profile) -> None:
        made = profile["fixtures"]["approvable-reviews"][:2]
        (tmp_path / "ids").write_text("".join(f"{id}\n" for id in made))
        code = "import json, pathlib; f = pathlib.Path('{}'); a, *b = f.read_text().split(); f.write_text(' '.join(b)); "
        command = [
            sys.executable,
            "-c",
            code.format(tmp_path / "ids") + "print(json.dumps({'id': a}))",
        ]
        profile["fixtures"] = {
            "approvable-reviews": [],
            "provision": {"approvable-review": command},
        }

    with stage(change) as one:
        approvals: Approvals = one.things["approvals"]
        made = [approvals.take().id for _ in range(2)]
        with pytest.raises(Inconclusive, match="the provision command failed: CalledProcessError"):
            approvals.take()
        told = [entry for entry in one.session.observations if entry[0] == "provisioned"]

    assert told == [("provisioned", id, id) for id in made]
    assert len(set(made)) == 2


def test_a_run_that_is_repeated_makes_no_review() -> None:
    """It takes what was made then, and no more."""
    with stage() as one:
        one.session.provisioned = one.session.target.fixtures.approvable_reviews[:1]
        one.session.target = replace(
            one.session.target, fixtures=replace(one.session.target.fixtures, approvable_reviews=())
        )
        approvals = Approvals(one.session, one.things["live"])

        assert approvals.take().id == one.session.provisioned[0]
        with pytest.raises(Inconclusive, match="no approvable review is left"):
            approvals.take()


def test_the_body_limit_is_found_where_it_is_not_declared() -> None:
    """By bodies that grow."""
    with stage(without("limits/max-body-bytes")) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        sizes = [len(request.content) for request in one.transport.sent if request.method == "POST"]
    assert sizes[-1] == limits_body.FIRST_PROBE


def test_without_consent_to_approve_no_review_is_sent_too_large_a_body() -> None:
    """An id of nothing stands in, and nothing is approved."""
    with stage(having("consent/approve-reviews", value=False)) as one:
        one.perform(limits_body.test_a_body_past_the_limit_is_too_large)
        one.perform(limits.test_a_refusal_says_how_long_to_wait)
        approvable = one.session.target.fixtures.approvable_reviews
        written = [str(request.url) for request in one.transport.sent if request.method == "POST"]

    assert written != []
    assert [url for url in written for id in approvable if id in url] == []


def test_a_caller_in_its_rate_limit_may_be_another_one_of_the_profile() -> None:
    """Then it may have no limit of its own."""

    def shared(profile: Profile) -> None:
        profile["credentials"]["throttled"] = profile["credentials"]["primary"]

    with stage(shared) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(limits.test_too_many_requests_are_refused)
    assert undecided.value.needs == ("credentials.throttled",)


@pytest.mark.parametrize("absent", ["no-review-role", "outsider"])
def test_who_is_not_there_is_left_out(absent: str) -> None:
    """What the others show is judged all the same."""
    with stage(without(f"credentials/{absent}")) as one:
        one.perform(approval.test_an_approval_succeeds, scheme="bearer")
        one.perform(approval.test_an_approval_succeeds, scheme="api-key")
        one.perform(grants.test_lists_stay_within_the_grant, "project_list", "api-key")
        one.perform(grants.test_another_company_is_out_of_reach, "project_get", "api-key")
        one.perform(tools_access.test_a_tool_stays_within_the_grant, "project_get")
        one.perform(tools_approval.test_an_approval_is_one_over_both_faces)
        callers = {exchange.credential for exchange in one.session._remembered.values()}
    assert absent not in callers


def test_the_outsider_alone_shows_what_is_out_of_reach() -> None:
    """Where the profile names nothing foreign."""
    edits = subjects.BY_ID["project-company-unchecked"].edits
    with (
        stage(without("fixtures/foreign"), edits=edits) as one,
        pytest.raises(Violation, match="as the outsider: 200"),
    ):
        one.perform(grants.test_another_company_is_out_of_reach, "project_get", "api-key")


def test_another_permission_by_a_scheme_that_its_caller_has_not_is_left_out() -> None:
    """The other callers show that approving needs none but its own."""
    with stage(without("credentials/lacking/account:read/bearer")) as one:
        one.perform(authorization.test_no_other_permission_is_needed, "review_approve", "bearer")
        labels = one.things["approvals"].first().attempts
    assert "stale, lacking.account:read by bearer" not in labels
    assert "stale, lacking.videos:read by bearer" in labels


def test_the_model_goes_on_with_the_reviews_that_there_are() -> None:
    """Where the pool is empty in the middle, and not where it is empty from the start."""
    with stage(few(3)) as one:
        one.perform(model.test_histories_agree_with_the_model)
        assert one.things["approvals"]._listed == []
    with stage(few(2)) as one, pytest.raises(Inconclusive, match="no approvable review is left"):
        one.perform(model.test_histories_agree_with_the_model)


@pytest.mark.parametrize(
    ("secret", "resembling"),
    [
        ("short", []),
        ("0123456789abcdef", ["0123456789abcde0", "01234567", "0123456789abcdef" * 2]),
        ("0123456789ABCDEFGH====", ["0123456789ABCDEFGw====", "0123456789A"]),
        ("========", ["===="]),
        ("Zq-" + "x" * 1000, ["Zq-" + "x" * 999 + "A", "Zq-" + "x" * 498, "zQ-" + "x" * 1000]),
    ],
)
def test_what_resembles_a_secret_can_be_no_spelling_of_it(
    secret: str, resembling: list[str]
) -> None:
    """One in base 16 or 32 is the same in either case, one in base 64 ends where its padding begins."""
    with stage(having("credentials/primary/api-key", secret)) as one:
        primary = one.session.target.credentials["primary"]
        assert [
            each.secret("api-key") for each in near_misses(one.session, primary, "api-key")
        ] == resembling


def test_a_short_secret_is_resembled_by_none() -> None:
    """A made-up one is all that is tried beside it."""
    with stage(edits=[SHORT]) as one:
        one.perform(
            authentication.test_a_made_up_credential_opens_nothing, "review_approve", "api-key"
        )
        labels = one.things["approvals"].first().attempts
    assert ("unknown by api-key" in labels, "near-miss by api-key" in labels) == (True, False)


def test_where_nobody_was_refused_a_replay_by_them_tells_nothing() -> None:
    """As where whoever knows an id may approve, and the profile knows of nobody who may not."""

    def let_in(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method == "POST" and not {"x-api-key", "authorization"} & set(request.headers):
            request.headers["x-api-key"] = one.session.target.credentials["primary"].secret(
                "api-key"
            )
        return send(request)

    absent = without(
        *(
            f"credentials/{name}"
            for name in ("expired", "revoked", "lacking", "outsider", "no-review-role")
        )
    )
    with stage(absent, let_in) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(approval.test_a_replay_is_guarded_like_the_approval)
    assert undecided.value.needs == tuple(f"credentials.{name}" for name in approval.GUARDED)
