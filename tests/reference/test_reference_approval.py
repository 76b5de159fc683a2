"""The reference's approval: state, revision, idempotency key, role and arguments."""

from typing import Any

import httpx
import pytest

from conformance.reference import Reference


@pytest.fixture
def reviews(api: httpx.Client, profile: dict[str, Any]) -> list[dict[str, Any]]:
    """Three reviews that can be approved."""
    return [read(api, identifier) for identifier in profile["fixtures"]["approvable-reviews"][:3]]


def read(api: httpx.Client, identifier: str) -> dict[str, Any]:
    """A review as it stands."""
    data: dict[str, Any] = api.get(f"/reviews/{identifier}").json()["data"]
    return data


def approve(
    api: httpx.Client, review: dict[str, Any], key: str, revision: object = None, **sent: Any
) -> httpx.Response:
    """Ask for the approval, at the revision that the review has unless another is given."""
    body = {
        "expectedSubjectRevision": review["subjectRevision"] if revision is None else revision,
        "idempotencyKey": key,
    }
    return api.post(f"/reviews/{review['id']}/approve", json=body, **sent)


def test_an_approval_moves_the_review_and_nothing_else(
    api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """The result has three members; the review is approved, cannot be approved again, and is otherwise what it was."""
    review = reviews[0]
    answer = approve(api, review, "a")
    assert answer.status_code == 200
    assert answer.json()["data"] == {
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


def test_the_same_request_gets_the_same_result_again(
    api: httpx.Client, profile: dict[str, Any], reviews: list[dict[str, Any]]
) -> None:
    """A replay is 200 with equal data, through either scheme, with the id in either case and the revision in any notation."""
    first = approve(api, reviews[0], "a").json()["data"]
    bearer = {"authorization": f"Bearer {profile['credentials']['primary']['bearer']}"}
    upper = reviews[0] | {"id": reviews[0]["id"].upper()}
    replays = [
        approve(api, reviews[0], "a"),
        approve(api, upper, "a"),
        approve(api, reviews[0], "a", float(first["subjectRevision"])),
    ]
    replays.append(approve(api, reviews[0], "a", headers=bearer))
    assert [(answer.status_code, answer.json()["data"]) for answer in replays] == [(200, first)] * 4


def test_a_key_stands_for_one_request(api: httpx.Client, reviews: list[dict[str, Any]]) -> None:
    """With another review or another revision it is a conflict, and approves nothing."""
    approve(api, reviews[0], "a")
    assert approve(api, reviews[1], "a").status_code == 409
    assert approve(api, reviews[0], "a", reviews[0]["subjectRevision"] + 1).status_code == 409
    assert read(api, reviews[1]["id"]) == reviews[1]


def test_a_key_belongs_to_its_caller(
    reference: Reference, api: httpx.Client, profile: dict[str, Any], reviews: list[dict[str, Any]]
) -> None:
    """Another account's same key is another key."""
    approve(api, reviews[0], "a")
    reference.store.write("UPDATE memberships SET role = 'owner' WHERE role = 'viewer'", {})
    other = {"x-api-key": profile["credentials"]["no-review-role"]["api-key"]}
    assert approve(api, reviews[1], "a", headers=other).status_code == 200


@pytest.mark.parametrize("offset", [-1, 1, 10**6, -(10**6), 10**30])
def test_a_stale_revision_is_a_conflict(
    api: httpx.Client, reviews: list[dict[str, Any]], offset: int
) -> None:
    """The review stays, and the key stays free for the right revision."""
    assert approve(api, reviews[0], "a", reviews[0]["subjectRevision"] + offset).status_code == 409
    assert read(api, reviews[0]["id"]) == reviews[0]
    assert approve(api, reviews[0], "a").status_code == 200


def test_an_approved_review_is_not_approved_again(
    api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """With a new key it is a conflict, and the first key still replays."""
    approve(api, reviews[0], "a")
    assert approve(api, reviews[0], "b").status_code == 409
    assert approve(api, reviews[0], "a").status_code == 200


def test_what_cannot_be_approved_stays(api: httpx.Client, profile: dict[str, Any]) -> None:
    """Each review that the profile lists as such has a reason, and answers 409 with it."""
    for identifier in profile["fixtures"]["unapprovable-reviews"]:
        review = read(api, identifier)
        answer = approve(api, review, "a")
        assert (answer.status_code, review["approvable"]) == (409, False)
        assert answer.json()["message"] == review["approvalUnavailableReason"] != ""
        assert read(api, identifier) == review


def test_the_role_decides_who_approves(
    api: httpx.Client, profile: dict[str, Any], reviews: list[dict[str, Any]]
) -> None:
    """Whoever sees the review without a role that approves gets 403, even for a replay of somebody else's request."""
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
def test_both_members_of_an_object_are_required(
    api: httpx.Client, reviews: list[dict[str, Any]], content: str
) -> None:
    """JSON that is no object, or lacks a member, is 422."""
    assert api.post(f"/reviews/{reviews[0]['id']}/approve", content=content).status_code == 422


@pytest.mark.parametrize("value", ["null", "1e400", "NaN"])
def test_a_revision_that_is_no_number_is_refused(
    api: httpx.Client, reviews: list[dict[str, Any]], value: str
) -> None:
    """Null is 422; what JSON cannot hold is malformed, or no integer."""
    content = f'{{"expectedSubjectRevision": {value}, "idempotencyKey": "a"}}'
    assert api.post(f"/reviews/{reviews[0]['id']}/approve", content=content).status_code in {
        400,
        422,
    }


@pytest.mark.parametrize("key", ["", "k" * 256, 7, None, True, ["a"]])
def test_a_key_is_a_text_of_1_to_255_characters(
    api: httpx.Client, reviews: list[dict[str, Any]], key: Any
) -> None:
    """Anything else is 422."""
    assert approve(api, reviews[0], key).status_code == 422


@pytest.mark.parametrize("key", ["k" * 255, "ключ 鍵 🔑", "a\u0000b", " "])
def test_any_such_text_is_a_key(api: httpx.Client, reviews: list[dict[str, Any]], key: str) -> None:
    """It approves, and replays."""
    assert [approve(api, reviews[0], key).status_code for _ in range(2)] == [200, 200]


@pytest.mark.parametrize(
    "content", ["", "{", "{'a': 1}", b"\xff\xfe", '{"idempotencyKey": "\\ud800"}', "[" * 10_000]
)
def test_a_body_that_is_no_json_is_an_invalid_request(
    api: httpx.Client, reviews: list[dict[str, Any]], content: str | bytes
) -> None:
    """Empty, broken, wrongly encoded or endlessly nested: 400."""
    assert api.post(f"/reviews/{reviews[0]['id']}/approve", content=content).status_code == 400


def test_arguments_come_from_where_they_belong(
    api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """A body cannot change which review is meant, and the query cannot stand in for the body."""
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


def test_what_fails_while_it_is_written_leaves_no_trace(
    reference: Reference, api: httpx.Client, reviews: list[dict[str, Any]]
) -> None:
    """Review and key are written together or not at all: here the second writing is made to fail."""
    reference.store.write(
        "CREATE TRIGGER broken BEFORE INSERT ON approvals BEGIN SELECT RAISE(ABORT, 'broken'); END",
        {},
    )
    assert approve(api, reviews[0], "a").status_code == 500
    assert read(api, reviews[0]["id"]) == reviews[0]
    reference.store.write("DROP TRIGGER broken", {})
    assert approve(api, reviews[0], "a").status_code == 200
