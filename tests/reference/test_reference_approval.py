"""Approvals of the reference: state, revision, idempotency key, role, arguments."""

from typing import Any

import httpx
import pytest

from conformance.reference import Reference


@pytest.fixture
def reviews(api: httpx.Client, profile: dict[str, Any]) -> list[dict[str, Any]]:
    """Three reviews that can be approved."""
    return [read(api, identifier) for identifier in profile["fixtures"]["approvable-reviews"][:3]]


def read(api: httpx.Client, identifier: str) -> dict[str, Any]:
    """The current state of a review."""
    data: dict[str, Any] = api.get(f"/reviews/{identifier}").json()["data"]
    return data


def approve(
    api: httpx.Client, review: dict[str, Any], key: str, revision: object = None, **options: Any
) -> httpx.Response:
    """Send an approval; the default revision is that of the review."""
    body = {
        "expectedSubjectRevision": review["subjectRevision"] if revision is None else revision,
        "idempotencyKey": key,
    }
    return api.post(f"/reviews/{review['id']}/approve", json=body, **options)


def test_an_approval_changes_the_review_and_nothing_else(
    api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """The result has three properties; only the status and approvability of the review change."""
    review = reviews[0]
    response = approve(api, review, "a")
    assert response.status_code == 200
    assert response.json()["data"] == {
        "id": review["id"],
        "status": "approved",
        "subjectRevision": review["subjectRevision"],
    }
    reason = "The review is approved already."
    assert read(api, review["id"]) == review | {
        "status": "approved",
        "approvable": False,
        "approvalUnavailableReason": reason,
    }
    assert [read(api, other["id"]) for other in reviews[1:]] == reviews[1:]


def test_a_repeated_request_returns_the_same_result(
    api: httpx.Client, profile: dict[str, Any], reviews: list[dict[str, Any]]
) -> None:
    """A replay returns equal data, in either scheme, case of the id, notation of the revision."""
    first = approve(api, reviews[0], "a").json()["data"]
    bearer = {"authorization": f"Bearer {profile['credentials']['primary']['bearer']}"}
    upper = reviews[0] | {"id": reviews[0]["id"].upper()}
    replays = [
        approve(api, reviews[0], "a"),
        approve(api, upper, "a"),
        approve(api, reviews[0], "a", float(first["subjectRevision"])),
    ]
    replays.append(approve(api, reviews[0], "a", headers=bearer))
    assert [(response.status_code, response.json()["data"]) for response in replays] == [
        (200, first)
    ] * 4


def test_a_key_is_bound_to_one_request(api: httpx.Client, reviews: list[dict[str, Any]]) -> None:
    """Another review or another revision is a conflict, and approves nothing."""
    approve(api, reviews[0], "a")
    assert approve(api, reviews[1], "a").status_code == 409
    assert approve(api, reviews[0], "a", reviews[0]["subjectRevision"] + 1).status_code == 409
    assert read(api, reviews[1]["id"]) == reviews[1]


def test_a_key_is_bound_to_its_account(
    reference: Reference, api: httpx.Client, profile: dict[str, Any], reviews: list[dict[str, Any]]
) -> None:
    """The same key of another account is another key."""
    approve(api, reviews[0], "a")
    reference.store.write("UPDATE memberships SET role = 'owner' WHERE role = 'viewer'", {})
    other = {"x-api-key": profile["credentials"]["no-review-role"]["api-key"]}
    assert approve(api, reviews[1], "a", headers=other).status_code == 200


@pytest.mark.parametrize("offset", [-1, 1, 10**6, -(10**6), 10**30])
def test_a_stale_revision_is_a_conflict(
    api: httpx.Client, reviews: list[dict[str, Any]], offset: int
) -> None:
    """The review does not change, and the key can be used with the right revision."""
    assert approve(api, reviews[0], "a", reviews[0]["subjectRevision"] + offset).status_code == 409
    assert read(api, reviews[0]["id"]) == reviews[0]
    assert approve(api, reviews[0], "a").status_code == 200


def test_an_approved_review_is_not_approved_again(
    api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """A new key is a conflict; the first key still returns its result."""
    approve(api, reviews[0], "a")
    assert approve(api, reviews[0], "b").status_code == 409
    assert approve(api, reviews[0], "a").status_code == 200


def test_an_unapprovable_review_does_not_change(api: httpx.Client, profile: dict[str, Any]) -> None:
    """Each unapprovable review of the profile has a reason, which is the message of the 409."""
    for identifier in profile["fixtures"]["unapprovable-reviews"]:
        review = read(api, identifier)
        response = approve(api, review, "a")
        assert (response.status_code, review["approvable"]) == (409, False)
        assert response.json()["message"] == review["approvalUnavailableReason"] != ""
        assert read(api, identifier) == review


def test_an_approval_requires_the_role(
    api: httpx.Client, profile: dict[str, Any], reviews: list[dict[str, Any]]
) -> None:
    """A role that may not approve gets 403, also for a replay of another account's request."""
    viewer = {"x-api-key": profile["credentials"]["no-review-role"]["api-key"]}
    assert api.get(f"/reviews/{reviews[0]['id']}", headers=viewer).status_code == 200
    assert approve(api, reviews[0], "a", headers=viewer).status_code == 403
    approve(api, reviews[0], "a")
    assert approve(api, reviews[0], "a", headers=viewer).status_code == 403


@pytest.mark.parametrize("revision", ["1", 1.5, True, False, [1], {"value": 1}])
def test_a_revision_is_an_integer(
    api: httpx.Client, reviews: list[dict[str, Any]], revision: object
) -> None:
    """Anything else is 422."""
    assert approve(api, reviews[0], "a", revision).status_code == 422


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        '{"expectedSubjectRevision": 1}',
        '{"idempotencyKey": "a"}',
        "[]",
        "null",
        "7",
        '"text"',
    ],
)
def test_both_properties_are_required(
    api: httpx.Client, reviews: list[dict[str, Any]], content: str
) -> None:
    """JSON that is not an object, or lacks a property, is 422."""
    assert api.post(f"/reviews/{reviews[0]['id']}/approve", content=content).status_code == 422


@pytest.mark.parametrize("value", ["null", "1e400", "NaN"])
def test_a_revision_that_is_not_a_number_is_rejected(
    api: httpx.Client, reviews: list[dict[str, Any]], value: str
) -> None:
    """Null is 422; NaN and infinity are 400 or 422."""
    content = f'{{"expectedSubjectRevision": {value}, "idempotencyKey": "a"}}'
    assert api.post(f"/reviews/{reviews[0]['id']}/approve", content=content).status_code in {
        400,
        422,
    }


@pytest.mark.parametrize("key", ["", "k" * 256, 7, None, True, ["a"]])
def test_a_key_is_a_string_of_1_to_255_characters(
    api: httpx.Client, reviews: list[dict[str, Any]], key: Any
) -> None:
    """Anything else is 422."""
    assert approve(api, reviews[0], key).status_code == 422


@pytest.mark.parametrize("key", ["k" * 255, "ключ 鍵 🔑", "a\u0000b", " "])
def test_any_string_of_that_length_is_a_key(
    api: httpx.Client, reviews: list[dict[str, Any]], key: str
) -> None:
    """The approval and its replay succeed."""
    assert [approve(api, reviews[0], key).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(
    "content", ["", "{", "{'a': 1}", b"\xff\xfe", '{"idempotencyKey": "\\ud800"}', "[" * 10_000]
)
def test_a_body_that_is_not_json_is_an_invalid_request(
    api: httpx.Client, reviews: list[dict[str, Any]], content: str | bytes
) -> None:
    """Empty, malformed, not UTF-8, or nested too deeply: 400."""
    assert api.post(f"/reviews/{reviews[0]['id']}/approve", content=content).status_code == 400


def test_arguments_are_read_from_their_location_only(
    api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """The body does not override the review of the path; the query does not replace the body."""
    body = {
        "expectedSubjectRevision": reviews[0]["subjectRevision"],
        "idempotencyKey": "a",
        "reviewId": reviews[1]["id"],
    }
    query = {"expectedSubjectRevision": reviews[1]["subjectRevision"], "idempotencyKey": "b"}
    assert (
        api.post(f"/reviews/{reviews[1]['id']}/approve", params=query, json={}).status_code == 422
    )
    assert (
        api.post(f"/reviews/{reviews[0]['id']}/approve", json=body).json()["data"]["id"]
        == reviews[0]["id"]
    )


def test_a_failed_write_changes_nothing(
    reference: Reference, api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """Review and key are written in one transaction; here the second write fails."""
    reference.store.write(
        "CREATE TRIGGER broken BEFORE INSERT ON approvals BEGIN SELECT RAISE(ABORT, 'broken'); END",
        {},
    )
    assert approve(api, reviews[0], "a").status_code == 500
    assert read(api, reviews[0]["id"]) == reviews[0]
    reference.store.write("DROP TRIGGER broken", {})
    assert approve(api, reviews[0], "a").status_code == 200
