"""The reference's access rules: credentials, permissions, grants, and the order in which refusals win."""

from typing import Any

import httpx
import pytest

from conformance.reference import ManualClock, Reference, catalogue
from conformance.reference.catalogue import Operation
from conformance.reference.timestamps import DAY

ABSENT = "3f0c1d52-7a94-4c1e-8f21-0b6d5a9e7c43"
REFUSED = ("expired", "revoked")


def headers(secrets: dict[str, str]) -> list[dict[str, str]]:
    """One credential as each of the two schemes sends it."""
    return [{"x-api-key": secrets["api-key"]}, {"authorization": f"Bearer {secrets['bearer']}"}]


def send(
    anonymous: httpx.Client,
    operation: Operation,
    review: dict[str, Any],
    credential: dict[str, str],
) -> httpx.Response:
    """A right request for an operation, about the given review and what it belongs to."""
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
    """A review that primary may approve."""
    path = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}"
    data: dict[str, Any] = anonymous.get(
        path, headers=headers(profile["credentials"]["primary"])[0]
    ).json()["data"]
    return data


@pytest.mark.parametrize("operation", catalogue.operations(), ids=lambda operation: operation.id)
def test_each_operation_takes_either_scheme_and_needs_its_own_permission_alone(
    anonymous: httpx.Client, profile: dict[str, Any], review: dict[str, Any], operation: Operation
) -> None:
    """Without its permission an operation answers 403; without any other one, 200 (or 409, once the review is approved)."""
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
def test_a_credential_that_is_not_valid_is_refused(
    anonymous: httpx.Client, profile: dict[str, Any], review: dict[str, Any], operation: Operation
) -> None:
    """Missing, made up, expired, revoked, sent in the other scheme, or empty: 401 with WWW-Authenticate."""
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
    invalid += [each for name in REFUSED for each in headers(profile["credentials"][name])]
    for credential in invalid:
        answer = send(anonymous, operation, review, credential)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_one_valid_credential_suffices(anonymous: httpx.Client, profile: dict[str, Any]) -> None:
    """An invalid one beside it does no harm, whichever scheme it has; the scheme's name may be in any case."""
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


def test_a_credential_expires_when_its_time_has_come(
    reference: Reference, anonymous: httpx.Client, profile: dict[str, Any], clock: ManualClock
) -> None:
    """It is valid to the last moment before."""
    reference.store.write("UPDATE credentials SET expires_at = :end", {"end": clock.now() + DAY})
    primary = headers(profile["credentials"]["primary"])[0]
    clock.advance(DAY - 1)
    assert anonymous.get("/account", headers=primary).status_code == 200
    clock.advance(1)
    assert anonymous.get("/account", headers=primary).status_code == 401


@pytest.mark.parametrize("place", ["foreign", "ungranted"])
def test_what_is_outside_the_grant_is_not_found(
    anonymous: httpx.Client, profile: dict[str, Any], place: str
) -> None:
    """By id, a record outside the grant is 404, as one that does not exist: in every operation that takes an id."""
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


def test_the_outsider_sees_its_own_company_alone(
    anonymous: httpx.Client, profile: dict[str, Any]
) -> None:
    """Its grant and primary's share nothing, and what is foreign to primary is the outsider's."""
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


def test_leaving_a_company_closes_it(
    reference: Reference, anonymous: httpx.Client, profile: dict[str, Any], review: dict[str, Any]
) -> None:
    """Access follows the current membership, whatever projects the grant still names."""
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


def test_refusals_win_in_a_fixed_order(anonymous: httpx.Client, profile: dict[str, Any]) -> None:
    """Credential, then permission, then body and arguments, then existence, then role."""
    path, broken = f"/reviews/{ABSENT}/approve", "{"
    right = {"expectedSubjectRevision": 1, "idempotencyKey": "one"}
    known = f"/reviews/{profile['fixtures']['approvable-reviews'][0]}/approve"
    lacking = headers(profile["credentials"]["lacking"]["reviews:approve"])[0]
    viewer = headers(profile["credentials"]["no-review-role"])[0]
    assert anonymous.post(path, content=broken).status_code == 401
    assert anonymous.post(path, headers=lacking, content=broken).status_code == 403
    assert anonymous.post(path, headers=viewer, content=broken).status_code == 400
    assert anonymous.post(path, headers=viewer, json={}).status_code == 422
    assert anonymous.post(path, headers=viewer, json=right).status_code == 404
    assert (
        anonymous.post(
            known, headers=viewer, json=right | {"expectedSubjectRevision": 99}
        ).status_code
        == 403
    )


def test_an_account_is_internal_or_external(
    anonymous: httpx.Client, profile: dict[str, Any]
) -> None:
    """The account has exactly the three specified members."""
    primary, outsider = (
        anonymous.get("/account", headers=headers(profile["credentials"][name])[1]).json()["data"]
        for name in ("primary", "outsider")
    )
    assert set(primary) == {"id", "displayName", "accountType"}
    assert (primary["accountType"], outsider["accountType"]) == ("external", "internal")
