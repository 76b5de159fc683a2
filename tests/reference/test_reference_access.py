"""Authentication and authorization of the reference, and the precedence of its errors."""

from typing import Any

import httpx
import pytest

from conformance.reference import ManualClock, Reference, catalogue
from conformance.reference.catalogue import Operation
from conformance.reference.timestamps import DAY

ABSENT = "3f0c1d52-7a94-4c1e-8f21-0b6d5a9e7c43"
INVALID = ("expired", "revoked")


def headers(secrets: dict[str, str]) -> list[dict[str, str]]:
    """The headers of a credential, for each of the two schemes."""
    return [{"x-api-key": secrets["api-key"]}, {"authorization": f"Bearer {secrets['bearer']}"}]


def send(
    anonymous: httpx.Client,
    operation: Operation,
    review: dict[str, Any],
    credential: dict[str, str],
) -> httpx.Response:
    """Send a valid request for an operation, with the ids of the review and of its parents."""
    path = operation.path.format(
        projectId=review["projectId"], videoId=review["videoId"], reviewId=review["id"]
    )
    body = {"expectedSubjectRevision": review["subjectRevision"], "idempotencyKey": f"{credential}"}
    return anonymous.request(
        operation.method,
        path,
        headers=credential,
        json=body if operation.method == "POST" else None,
    )


@pytest.fixture
def review(anonymous: httpx.Client, profile: dict[str, Any]) -> dict[str, Any]:
    """A review that primary can approve."""
    path = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}"
    data: dict[str, Any] = anonymous.get(
        path, headers=headers(profile["credentials"]["primary"])[0]
    ).json()["data"]
    return data


@pytest.mark.parametrize("operation", catalogue.operations(), ids=lambda operation: operation.id)
def test_each_operation_accepts_both_schemes_and_requires_one_permission(
    anonymous: httpx.Client, profile: dict[str, Any], review: dict[str, Any], operation: Operation
) -> None:
    """403 without the permission of the operation; 200 without another one, or 409."""
    for missing, secrets in profile["credentials"]["lacking"].items():
        statuses = [
            send(anonymous, operation, review, credential).status_code
            for credential in headers(secrets)
        ]
        if missing == operation.permission:
            assert statuses == [403, 403]
        else:
            assert set(statuses) <= ({200, 409} if operation.method == "POST" else {200})


@pytest.mark.parametrize("operation", catalogue.operations(), ids=lambda operation: operation.id)
def test_an_invalid_credential_is_rejected(
    anonymous: httpx.Client, profile: dict[str, Any], review: dict[str, Any], operation: Operation
) -> None:
    """Missing, unknown, expired, revoked, of the other scheme, empty: 401 with a challenge."""
    primary = profile["credentials"]["primary"]
    invalid = [
        {},
        {"x-api-key": "made-up"},
        {"x-api-key": ""},
        {"authorization": "Bearer "},
        {"authorization": "Basic YTpi"},
    ]
    invalid += [
        {"authorization": primary["bearer"]},
        {"x-api-key": primary["bearer"]},
        {"authorization": f"Bearer {primary['api-key']}"},
    ]
    invalid += [each for name in INVALID for each in headers(profile["credentials"][name])]
    for credential in invalid:
        response = send(anonymous, operation, review, credential)
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")


def test_one_valid_credential_suffices(anonymous: httpx.Client, profile: dict[str, Any]) -> None:
    """An invalid second credential is ignored; the name of the scheme is case-insensitive."""
    key, bearer = headers(profile["credentials"]["primary"])
    revoked_key, revoked_bearer = headers(profile["credentials"]["revoked"])
    both = [
        key | revoked_bearer,
        revoked_key | bearer,
        key | bearer,
        {"authorization": bearer["authorization"].replace("Bearer", "bEARER")},
    ]
    assert [anonymous.get("/account", headers=each).status_code for each in both] == [200] * 4
    assert anonymous.get("/account", headers=revoked_key | revoked_bearer).status_code == 401


def test_a_credential_is_rejected_from_its_expiry_on(
    reference: Reference, anonymous: httpx.Client, profile: dict[str, Any], clock: ManualClock
) -> None:
    """One second earlier it is valid."""
    reference.store.write("UPDATE credentials SET expires_at = :end", {"end": clock.now() + DAY})
    primary = headers(profile["credentials"]["primary"])[0]
    clock.advance(DAY - 1)
    assert anonymous.get("/account", headers=primary).status_code == 200
    clock.advance(1)
    assert anonymous.get("/account", headers=primary).status_code == 401


@pytest.mark.parametrize("place", ["foreign", "ungranted"])
def test_a_record_outside_the_grant_is_not_found(
    anonymous: httpx.Client, profile: dict[str, Any], place: str
) -> None:
    """Every operation with an id returns 404 for it, as for a record that does not exist."""
    primary = headers(profile["credentials"]["primary"])[0]
    outside = profile["fixtures"][place]
    for where in (outside, dict.fromkeys(("project", "video", "review"), ABSENT)):
        record = {
            "projectId": where["project"],
            "videoId": where["video"],
            "id": where["review"],
            "subjectRevision": 1,
        }
        for operation in catalogue.operations():
            if "{" in operation.path:
                assert send(anonymous, operation, record, primary).status_code == 404, operation


def test_the_outsider_reads_only_its_own_company(
    anonymous: httpx.Client, profile: dict[str, Any]
) -> None:
    """The grants of outsider and primary are disjoint; the outsider reads the foreign fixtures."""
    outsider, primary = (
        headers(profile["credentials"][name])[0] for name in ("outsider", "primary")
    )
    foreign = profile["fixtures"]["foreign"]
    assert anonymous.get(f"/reviews/{foreign['review']}", headers=outsider).status_code == 200
    for path in ("/projects", "/videos", "/reviews"):
        own, others = (
            {item["id"] for item in anonymous.get(path, headers=each).json()["data"]["items"]}
            for each in (outsider, primary)
        )
        assert own
        assert not own & others


def test_the_end_of_a_membership_ends_the_access(
    reference: Reference, anonymous: httpx.Client, profile: dict[str, Any], review: dict[str, Any]
) -> None:
    """Project grants in a company are effective only with a membership in it."""
    primary = headers(profile["credentials"]["primary"])[0]
    reference.store.write(
        "DELETE FROM memberships WHERE company_id = :company AND role = 'reviewer'",
        {"company": review["companyId"]},
    )
    for operation in catalogue.operations():
        if "{" in operation.path:
            assert send(anonymous, operation, review, primary).status_code == 404, operation
    for path in ("/projects", "/videos", "/reviews"):
        items = anonymous.get(path, params={"limit": 100}, headers=primary).json()["data"]["items"]
        assert review["companyId"] not in {item["companyId"] for item in items}


def test_errors_have_a_fixed_precedence(anonymous: httpx.Client, profile: dict[str, Any]) -> None:
    """Credential, permission, body and arguments, existence, role."""
    path, malformed = f"/reviews/{ABSENT}/approve", "{"
    right = {"expectedSubjectRevision": 1, "idempotencyKey": "one"}
    known = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    lacking = headers(profile["credentials"]["lacking"]["reviews:approve"])[0]
    viewer = headers(profile["credentials"]["no-review-role"])[0]
    assert anonymous.post(path, content=malformed).status_code == 401
    assert anonymous.post(path, headers=lacking, content=malformed).status_code == 403
    assert anonymous.post(path, headers=viewer, content=malformed).status_code == 400
    assert anonymous.post(path, headers=viewer, json={}).status_code == 422
    assert anonymous.post(path, headers=viewer, json=right).status_code == 404
    stale = right | {"expectedSubjectRevision": 99}
    assert anonymous.post(known, headers=viewer, json=stale).status_code == 403


def test_an_account_is_internal_or_external(
    anonymous: httpx.Client, profile: dict[str, Any]
) -> None:
    """The account has exactly the three specified properties."""
    primary, outsider = (
        anonymous.get("/account", headers=headers(profile["credentials"][name])[1]).json()["data"]
        for name in ("primary", "outsider")
    )
    assert set(primary) == {"id", "displayName", "accountType"}
    assert (primary["accountType"], outsider["accountType"]) == ("external", "internal")
