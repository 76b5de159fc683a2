"""When each review was approved, as far as that is the same in every schedule."""

import json
from uuid import UUID

from conformance.contract import api, openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.runner.approval_history import ApprovalHistory

FIRST, SECOND, KEY, OTHER = (str(UUID(int=number, version=4)) for number in range(1, 5))
PLAIN = (("content-type", "application/json"),)


def approved(review: str, key: str, started: float, *, at_once: bool = False) -> Exchange:
    """The approval of a review, with its result."""
    known = api.derive(openapi.load())
    body = json.dumps({"expectedSubjectRevision": 1, "idempotencyKey": key}).encode()
    call = Call(known.approval.id, {known.approved_id: review}, body=body)
    request = Request("POST", f"http://target.invalid/v1/reviews/{review}/approve", PLAIN, body)
    response = Response(200, (), json.dumps({"data": {"status": "approved"}}).encode())
    return Exchange(
        *("item", int(started), call, "", "primary", "api-key", request, response),
        started=started,
        at_once=at_once,
    )


def history(*exchanges: Exchange) -> ApprovalHistory:
    """The history of these approvals."""
    made = ApprovalHistory(api.derive(openapi.load()))
    for each in exchanges:
        made.add(each)
    return made


def test_the_first_approval_of_a_review_counts() -> None:
    """A replay begins later."""
    found = history(approved(FIRST, KEY, 2), approved(FIRST.upper(), KEY, 1))
    assert found.begun() == {FIRST: 1}


def test_reviews_that_compete_for_a_key_are_left_out() -> None:
    """It may be the other one that is approved in another schedule."""
    found = history(
        approved(FIRST, KEY, 1, at_once=True),
        approved(SECOND, KEY, 2, at_once=True),
    )
    assert found.begun() == {}
    assert found.reviews() == {FIRST, SECOND}


def test_approvals_in_one_moment_need_not_compete() -> None:
    """Each with a key of its own, or one after the other."""
    found = history(
        approved(FIRST, KEY, 1, at_once=True),
        approved(SECOND, OTHER, 2, at_once=True),
        approved(SECOND, KEY, 3),
    )
    assert found.begun() == {FIRST: 1, SECOND: 2}
