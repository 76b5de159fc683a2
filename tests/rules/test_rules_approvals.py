"""Approvals as a model explains them, wherever they are among the requests of a run."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from conformance.contract import api, openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import answer as answers
from conformance.rules import attempt as attempts
from conformance.rules.approvals import Approvals
from conformance.rules.attempt import Attempt
from conformance.rules.circumstances import Circumstances
from conformance.rules.sighting import Sighting, sightings

ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
OTHER = "1c7e6b0f-7c43-4c1e-8f21-3f0c1d527a94"
APPROVAL = api.load().approval
RESULT = {"id": ID, "status": "approved", "subjectRevision": 1}
JSON = (("content-type", "application/json"),)


def attempt(
    started: float, status: int | None = 200, data: Any = None, review: str = ID, **how: Any
) -> Attempt:
    """An approval that took a second."""
    key = how.pop("key", "k")
    sent = {"expectedSubjectRevision": how.pop("revision", 1), "idempotencyKey": key}
    body = (json.dumps(sent | how.pop("more", {})) + how.pop("spelling", "")).encode()
    success = {"data": RESULT if data is None else data, "requestId": str(started)}
    response = Response(
        status or 0, JSON, json.dumps(success if status == 200 else {"code": "c"}).encode()
    )
    exchange = Exchange(
        item="item",
        number=int(started * 10),
        call=Call("review_approve", {"reviewId": review}, body=body),
        purpose="approve",
        credential=how.pop("credential", "primary"),
        scheme=how.pop("scheme", "api-key"),
        request=Request("POST", f"https://x/v1/reviews/{review}/approve", JSON, body),
        response=response if status else None,
        failure=None if status else "no response",
        started=started,
        elapsed=how.pop("elapsed", 1.0),
        **how,
    )
    known = api.load()
    found = attempts.read(exchange, known.approval, known.approved_id)
    assert found is not None
    return found


def wrong(*attempts: Attempt, reads: Sequence[Sighting] = ()) -> list[str]:
    """What is wrong with these attempts."""
    found = Approvals(Circumstances(attempts, reads)).examine()
    return [each.defect.sentence for each in found if each.defect is not None]


def failed(*attempts: Attempt, reads: Sequence[Sighting] = ()) -> list[str]:
    """The requirements that they violate."""
    found = Approvals(Circumstances(attempts, reads)).examine()
    return [each.requirement for each in found if each.defect is not None]


def passed(*attempts: Attempt, reads: Sequence[Sighting] = ()) -> list[str]:
    """The requirements that they exercise, and keep."""
    found = Approvals(Circumstances(attempts, reads)).examine()
    return [each.requirement for each in found if each.defect is None]


def read(started: float, revision: int = 1, status: str = "pending", **also: Any) -> Sighting:
    """The review as it was read, in a second."""
    shown = {"id": ID, "subjectRevision": revision, "status": status, "approvable": True, **also}
    body = json.dumps({"data": shown, "requestId": "r"}).encode()
    exchange = Exchange(
        *("item", int(started * 10) + 1, Call("review_get", {"reviewId": ID}), "read"),
        *("primary", "api-key", Request("GET", f"https://x/v1/reviews/{ID}", JSON, b"")),
        Response(200, JSON, body),
        started=started,
        elapsed=1.0,
    )
    answer = answers.of(exchange, openapi.load())
    assert answer is not None
    return next(sightings(answer))


FIRST = attempt(0)
CONFLICT = "the replay of an approval that had succeeded returned 409 c"


def test_a_replay_that_conflicts_is_wrong_whoever_sent_it() -> None:
    """Also where later ones are right, and where the id has other letters both times."""
    assert wrong(FIRST, attempt(2, 409), attempt(4)) == [CONFLICT]
    capitals = attempt(0, review=ID.upper()), attempt(2, 409, review=ID.upper())
    assert wrong(*capitals) == [CONFLICT]


def test_a_replay_a_minute_later_says_nothing() -> None:
    """The specification does not say how long a target stores a key; FIRST ends after a second."""
    assert wrong(FIRST, attempt(61, 409)) == [CONFLICT]
    assert wrong(FIRST, attempt(61.1, 409)) == []


def test_a_body_with_other_bytes_may_be_rejected() -> None:
    """Blanks can make it too large, and then it gets 413; what is served has the same data."""
    assert wrong(FIRST, attempt(2, 413, spelling=" " * 9)) == []
    (sentence,) = wrong(FIRST, attempt(2, data={**RESULT, "subjectRevision": 2}, spelling=" "))
    assert sentence.startswith("the replay of an approval returned another result")


def test_a_replay_with_another_result_is_wrong() -> None:
    """The case of the letters in an id is none of its data, and neither is the envelope."""
    assert wrong(FIRST, attempt(2, data={**RESULT, "id": ID.upper()})) == []
    (sentence,) = wrong(FIRST, attempt(2, data={**RESULT, "subjectRevision": 2}))
    assert sentence.startswith("the replay of an approval returned another result")


@pytest.mark.parametrize(
    "later",
    [
        attempt(2, 409, revision=2),
        attempt(2, 409, review=OTHER),
        attempt(2, 409, credential="colleague"),
        attempt(2, 409, scheme="bearer"),
        attempt(2, 409, more={"note": "x"}),
        attempt(2, 409, in_contract=False),
        attempt(2, 409, judge_arguments=False),
        attempt(2, 409, at_once=True),
        attempt(2, 409, superseded=True),
        attempt(0.5, 409),
        *(attempt(2, status) for status in (None, 401, 403, 404, 429, 500, 502, 503, 504)),
    ],
)
def test_what_is_no_replay_or_has_another_reason_is_left_alone(later: Attempt) -> None:
    """Another request, another caller, at the same time, a transient error, no access any more."""
    assert wrong(FIRST, later) == []


@pytest.mark.parametrize(
    "beside",
    [
        attempt(2.5, 409, revision=9),
        attempt(1.5, None),
        attempt(1.2, 504, elapsed=0.1),
        attempt(1.8, 200, credential="colleague"),
    ],
)
def test_a_replay_beside_another_attempt_on_the_review_may_conflict(beside: Attempt) -> None:
    """Whatever comes of that one; where the target has not responded, it may still go on."""
    assert wrong(FIRST, attempt(2, 409), beside) == []
    assert wrong(FIRST, attempt(2, 409), attempt(2.5, 409, review=OTHER)) == [CONFLICT]


def test_an_id_in_other_letters_may_be_another_request() -> None:
    """Unless the target has shown that it is not."""
    later = attempt(4, 409, review=ID.upper())
    assert wrong(FIRST, later) == []
    assert wrong(FIRST, attempt(2, review=ID.upper()), later) == [CONFLICT]
    of_other = {**RESULT, "id": OTHER}
    other = (
        attempt(6, data=of_other, review=OTHER, key="other"),
        attempt(8, data=of_other, review=OTHER.upper(), key="other"),
    )
    assert wrong(FIRST, later, *other) == [CONFLICT]
    assert wrong(FIRST, attempt(4, 400, review=ID.upper()), *other) == []


def test_each_replay_that_is_right_exercises_its_requirement() -> None:
    """The first of them is an approval."""
    assert passed(FIRST, attempt(2), attempt(4)) == [
        "approval/success",
        "approval/replay",
        "approval/replay",
    ]


# --- attempts that overlap ------------------------------------------------------------------------

BUMPED = {**RESULT, "subjectRevision": 2}


def test_one_approval_at_once_has_one_result() -> None:
    """In whatever order: two results are explained by none, and a conflict always is."""
    beside = attempt(0.5), attempt(0.6, 409), attempt(0.7)
    assert wrong(FIRST, *beside) == []
    assert failed(FIRST, *beside, attempt(0.8, data=BUMPED)) == ["approval/one-key-at-once"]


def test_a_lost_response_may_have_been_any() -> None:
    """Nobody knows whether it took effect, and with which result."""
    lost = attempt(0, None)
    assert wrong(lost, attempt(2, 409), attempt(4, 409)) == []
    assert failed(lost, attempt(2), attempt(4, data=BUMPED)) == ["approval/replay"]


@pytest.mark.parametrize("started", [0.5, 2])
def test_a_key_has_one_revision(started: float) -> None:
    """At once, and later: one of two that succeed is explained by no order."""
    assert failed(FIRST, attempt(started, revision=2)) == ["approval/key-other-revision"]
    assert wrong(FIRST, attempt(started, 409, revision=2)) == []


def test_a_key_with_another_revision_is_no_replay_of_the_like() -> None:
    """Where several are served, each of them contradicts the first revision."""
    later = attempt(2, revision=2), attempt(4, revision=2)
    assert failed(FIRST, *later) == ["approval/key-other-revision"] * 2


@pytest.mark.parametrize("started", [0.5, 2])
def test_a_key_for_another_review_has_not_the_result_of_the_first(started: float) -> None:
    """It conflicts, or approves the other review."""
    of_other = {**RESULT, "id": OTHER}
    assert wrong(FIRST, attempt(started, data=of_other, review=OTHER)) == []
    assert wrong(FIRST, attempt(started, 409, review=OTHER)) == []
    assert failed(FIRST, attempt(started, review=OTHER)) == ["approval/key-other-review"]
    later = attempt(started, review=OTHER), attempt(started + 2, revision=2, review=OTHER)
    assert failed(FIRST, *later) == ["approval/key-other-review"] * 2


# --- attempts beside what was read ----------------------------------------------------------------

CONFLICTS = (attempt(0, 409), attempt(2, 409, key="another"))
BESIDE = (read(-5), read(20))
"""A review that stays as it is; the later read is so late that it no longer lags."""


def test_conflicts_that_nothing_justifies_are_none() -> None:
    """The review could be approved before and after, at the revision that was sent, by two keys.

    One key alone may have been used before anything was recorded.
    """
    assert failed(*CONFLICTS, reads=BESIDE) == ["approval/success"] * 2
    assert failed(CONFLICTS[0], reads=BESIDE) == []
    assert passed(attempt(0), reads=(read(-5), read(20, status="approved"))) == ["approval/success"]


@pytest.mark.parametrize(
    "reads",
    [
        (read(-5),),
        (read(-5), read(4)),
        (read(-5), read(20, 2)),
        (read(-5, approvable=False), read(20, approvable=False)),
        (read(-5), read(20, status="approved")),
        (read(-0.5), read(20)),
    ],
)
def test_a_conflict_may_be_about_what_changed_meanwhile(reads: Sequence[Sighting]) -> None:
    """Reads that lag, one side alone, another revision, a review that cannot be approved."""
    assert wrong(*CONFLICTS, reads=reads) == []


@pytest.mark.parametrize(
    "other",
    [
        attempt(0.5, 409, key="other", review=OTHER),
        attempt(-3, 409, review=OTHER),
        attempt(-3, 422, more={"note": "x"}),
        attempt(-3, None, review=OTHER),
    ],
)
def test_a_conflict_may_be_about_another_attempt(other: Attempt) -> None:
    """One that was under way, or that had the same key, or one that is not understood."""
    assert wrong(other, *CONFLICTS, reads=BESIDE) == []


def test_a_revision_that_the_review_never_had_is_stale() -> None:
    """A success at it is wrong, and a conflict is right; between two that were read, it is open."""
    assert failed(attempt(0, revision=2), reads=BESIDE) == ["approval/stale-revision"]
    assert passed(attempt(0, 409, revision=2), reads=BESIDE) == ["approval/stale-revision"]
    assert wrong(attempt(0, revision=2), reads=(read(-5), read(20, 3))) == []
    assert wrong(attempt(0, revision=2), reads=(read(-5),)) == []
    earlier = attempt(-9, key="of another approval")
    assert wrong(earlier, attempt(0, revision=2), reads=BESIDE) == []


def test_a_success_may_repeat_what_nobody_has_recorded() -> None:
    """Where the review was approved before, its revision may be that of the approval."""
    reads = [read(when, 3, "approved", approvable=False) for when in (-5, 20)]
    assert wrong(attempt(0, revision=2), reads=reads) == []


# --- by tool --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "number"), [("approved", 0), ("pending", 1)])
def test_a_tool_may_add_properties_to_the_result(status: str, number: int) -> None:
    """Such as the id of the request, which differs each time."""
    assert len(wrong(by_tool(1, "approved", "one"), by_tool(3, status, "two"))) == number


def test_a_key_of_a_tool_is_a_matter_of_the_tools_over_http_too() -> None:
    """Both interfaces share it: there it is the plainest; one that was replayed by tool is not."""
    later = attempt(4, key="key", revision=2), attempt(6, key="key", revision=3)
    assert failed(by_tool(1, "approved", "one"), *later) == ["tools/approval"]
    first = attempt(-9, key="key")
    assert failed(first, by_tool(1, "approved", "one"), later[0]) == ["approval/key-other-revision"]


def by_tool(number: int, status: str, request: str) -> Attempt:
    """An approval by tool whose result has the id of the request among its properties."""
    arguments = {"reviewId": ID, "expectedSubjectRevision": 1, "idempotencyKey": "key"}
    sent = {
        "method": "tools/call",
        "id": 7,
        "params": {"name": APPROVAL.id, "arguments": arguments},
    }
    data = {"id": ID, "status": status, "subjectRevision": 1, "requestId": request}
    body = {"id": 7, "result": {"structuredContent": {"data": data}}}
    exchange = Exchange(
        "item",
        number,
        Call(APPROVAL.id),
        "",
        "primary",
        "api-key",
        Request("POST", "https://x/mcp", JSON, json.dumps(sent).encode()),
        Response(200, JSON, json.dumps(body).encode()),
        in_contract=False,
        started=float(number),
    )
    found = attempts.read(exchange, APPROVAL, "reviewId")
    assert found is not None
    return found
