"""Replays of approvals, wherever they are among the requests of a run."""

import json
from typing import Any

import pytest

from conformance.contract import api
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import replay
from conformance.rules.replay import Attempt

ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
OTHER = "1c7e6b0f-7c43-4c1e-8f21-3f0c1d527a94"
APPROVAL = api.load().approval
RESULT = {"id": ID, "status": "approved", "subjectRevision": 1}
JSON = (("content-type", "application/json"),)


def attempt(
    started: float, status: int | None = 200, data: Any = None, review: str = ID, **how: Any
) -> Attempt:
    """An approval that took a second."""
    sent = {"expectedSubjectRevision": how.pop("revision", 1), "idempotencyKey": "k"}
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
    found = replay.over_http(exchange, known.approval, known.approved_id)
    assert found is not None
    return found


def wrong(*attempts: Attempt) -> list[str]:
    """What is wrong with the replays among these attempts."""
    found = replay.examine(attempts)
    return [each.defect.sentence for each in found if each.defect is not None]


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
    other = attempt(6, review=OTHER), attempt(8, review=OTHER.upper())
    assert wrong(FIRST, later, *other) == [CONFLICT]
    assert wrong(FIRST, attempt(4, 400, review=ID.upper()), *other) == []


@pytest.mark.parametrize(("status", "number"), [("approved", 0), ("pending", 1)])
def test_a_tool_may_add_properties_to_the_result(status: str, number: int) -> None:
    """Such as the id of the request, which differs each time."""
    assert len(wrong(by_tool(1, "approved", "one"), by_tool(3, status, "two"))) == number


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
        Call("tools"),
        "",
        "primary",
        "api-key",
        Request("POST", "https://x/mcp", JSON, json.dumps(sent).encode()),
        Response(200, JSON, json.dumps(body).encode()),
        in_contract=False,
        started=float(number),
    )
    found = replay.by_tool(exchange, APPROVAL, "reviewId")
    assert found is not None
    return found
