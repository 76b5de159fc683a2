"""Checks of authentication, authorization and grants on targets with unusual callers."""

import httpx
import pytest
import subjects
from altered_target import Send, having, json_response, stage, without
from intercepted import is_of

from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_authentication as authentication
from conformance.suite import test_authorization as authorization
from conformance.suite import test_grants as grants
from conformance.suite.callers.forged_credentials import near_misses

SHORT = Edit(
    "identities",
    'return f"{SECRET_PREFIXES[scheme]}_',
    'return "lk_1" if (name, scheme) == ("primary", API_KEY) else f"{SECRET_PREFIXES[scheme]}_',
)


def test_a_caller_without_any_success_is_inconclusive() -> None:
    """The secret of the caller may be wrong."""
    wrong = having("credentials/lacking/account:read/api-key", "lk_of-nobody-at-all")
    with stage(wrong) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(authorization.test_the_permission_is_needed, "account_get", "api-key")
    assert undecided.value.needs == ("credentials.lacking.account:read",)


@pytest.mark.parametrize("operation", ["account_get", "review_approve"])
def test_a_caller_that_always_gets_403_is_left_out(operation: str) -> None:
    """The grant of the caller may be empty."""

    def forbidding(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            json_response(403)
            if is_of(request, one.session.target, "lacking.videos:read")
            else send(request)
        )

    with stage(spoil=forbidding) as one:
        one.perform(authorization.test_no_other_permission_is_needed, operation, "api-key")
        tried = [
            request
            for request in one.transport.sent
            if is_of(request, one.session.target, "lacking.videos:read")
        ]
    assert tried != []


def test_a_scheme_that_works_for_other_callers_is_accepted() -> None:
    """The secret of primary may be wrong."""
    wrong = having("credentials/primary/api-key", "lk_of-nobody-at-all")
    with stage(wrong) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(authentication.test_an_api_key_suffices, "account_get")
    assert undecided.value.needs == ("credentials.primary.api-key",)


@pytest.mark.parametrize(
    ("is_rejected_everywhere", "expected"), [(False, Violation), (True, Inconclusive)]
)
def test_a_403_is_a_violation_if_another_operation_serves_the_caller(
    is_rejected_everywhere: bool, expected: type[Exception]
) -> None:
    """A project returns 403 while the list of projects returns 200."""
    closed: list[str] = []

    def rejecting(request: httpx.Request, send: Send) -> httpx.Response:
        own = closed != [] and is_of(request, one.session.target, "primary")
        one_project = request.url.path.startswith("/v1/projects/")
        return (
            json_response(403) if own and (one_project or is_rejected_everywhere) else send(request)
        )

    with stage(without("credentials/primary/bearer", "credentials/lacking"), rejecting) as one:
        one.things["live"].records("project_list")
        closed.append("from here on")
        with pytest.raises(expected):
            one.perform(authentication.test_an_api_key_suffices, "project_get")


def test_primary_has_every_permission() -> None:
    """The profile has a separate caller without the permission."""

    def rejecting(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            json_response(403)
            if request.url.path == "/v1/account" and is_of(request, one.session.target, "primary")
            else send(request)
        )

    with (
        stage(spoil=rejecting) as one,
        pytest.raises(Violation, match="primary has every permission and is forbidden: 403"),
    ):
        one.perform(authorization.test_no_other_permission_is_needed, "account_get", "api-key")


def test_a_caller_that_cannot_read_the_review_is_inconclusive() -> None:
    """The review may be outside its grant."""

    def elsewhere(request: httpx.Request, send: Send) -> httpx.Response:
        return (
            json_response(404)
            if is_of(request, one.session.target, "no-review-role")
            else send(request)
        )

    with stage(spoil=elsewhere) as one, pytest.raises(Inconclusive) as undecided:
        one.perform(authorization.test_the_review_role_is_needed, scheme="api-key")
    assert undecided.value.needs == ("credentials.no-review-role",)


def test_the_outsider_is_enough_to_check_companies() -> None:
    """The profile has no foreign records."""
    edits = subjects.BY_ID["project-company-unchecked"].edits
    with (
        stage(without("fixtures/foreign"), edits=edits) as one,
        pytest.raises(Violation, match="as the outsider: 200"),
    ):
        one.perform(grants.test_another_company_is_out_of_reach, "project_get", "api-key")


def test_a_permission_without_a_credential_of_the_scheme_is_left_out() -> None:
    """The other permissions are checked."""
    with stage(without("credentials/lacking/account:read/bearer")) as one:
        one.perform(authorization.test_no_other_permission_is_needed, "review_approve", "bearer")
        labels = one.things["trials"].first().attempts
    assert "stale, lacking.account:read by bearer" not in labels
    assert "stale, lacking.videos:read by bearer" in labels


@pytest.mark.parametrize(
    ("secret", "resembling"),
    [
        ("short", []),
        (
            "0123456789abcdef",
            ["0123456789abcde0", "01234567", "0123456789abcdef" * 2, "89abcdef01234567"],
        ),
        (
            "one_two_six",
            [
                "one_two_siA",
                "one_t",
                "ONE_TWO_SIX",
                "one_two_sixone_two_six",
                "two_six",
                "one_two",
                "six_two_one",
                "one_two_six_six",
            ],
        ),
        ("0123456789ABCDEFGH====", ["0123456789ABCDEFGw====", "0123456789A"]),
        ("========", ["===="]),
        ("Zq-" + "x" * 1000, ["Zq-" + "x" * 999 + "A", "Zq-" + "x" * 498, "zQ-" + "x" * 1000]),
    ],
)
def test_a_forged_secret_is_not_another_spelling_of_the_valid_one(
    secret: str, resembling: list[str]
) -> None:
    """Base 16 and base 32 ignore case, and base 64 ends with its padding."""
    with stage(having("credentials/primary/api-key", secret)) as one:
        primary = one.session.target.credentials["primary"]
        assert [
            each.secret("api-key") for each in near_misses(one.session, primary, "api-key")
        ] == resembling


def test_a_short_secret_has_no_near_miss() -> None:
    """Only a made-up credential is sent."""
    with stage(edits=[SHORT]) as one:
        one.perform(
            authentication.test_an_unknown_credential_is_rejected, "review_approve", "api-key"
        )
        labels = one.things["trials"].first().attempts
    assert ("unknown by api-key" in labels, "near-miss by api-key" in labels) == (True, False)


def test_a_list_that_rejects_the_only_secret_is_reported() -> None:
    """The list below a record too, though none of its pages shows what is below."""
    edits = subjects.BY_ID["no-api-keys-on-activity"].edits
    with (
        stage(without("credentials/primary/bearer"), edits=edits) as one,
        pytest.raises(Violation, match="a valid credential is rejected"),
    ):
        one.perform(authentication.test_an_api_key_suffices, "activity_list")
