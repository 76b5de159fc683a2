"""When each review was approved, as far as that is the same in every schedule."""

import json
from uuid import UUID

from conformance.contract import api, openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.http.redaction import Redactor
from conformance.rules import answer
from conformance.rules.sighting import Sighting, sightings
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


def read(status: str, started: float) -> Sighting:
    """The first review with this status, as primary reads it."""
    body = json.dumps({"data": {"id": FIRST, "status": status}, "requestId": "r"}).encode()
    call = Call("review_get", {"reviewId": FIRST})
    request = Request("GET", f"http://target.invalid/v1/reviews/{FIRST}", ())
    sent = Exchange(
        *(
            "item",
            int(started),
            call,
            "",
            "primary",
            "api-key",
            request,
            Response(200, PLAIN, body),
        ),
        started=started,
    )
    found = answer.of(sent, openapi.load())
    assert found is not None
    return next(sightings(found))


def test_a_review_that_goes_back_is_a_violation_whoever_reads_it() -> None:
    """One read is enough, after the time that reads may lag; a lag is none."""
    found, redactor = history(approved(FIRST, KEY, 1)), Redactor({})
    reads = [read("pending", 0), read("approved", 2)]
    late = found.result(redactor, [*reads, read("pending", 20)])
    assert late is not None
    assert [each.requirement for each in late.findings] == ["approval/state"]
    assert found.result(redactor, [*reads, read("pending", 5)]) is None


def test_a_review_that_no_read_shows_as_approved_has_not_gone_back() -> None:
    """Its success approved nothing, which other checks report."""
    found = history(approved(FIRST, KEY, 1))
    assert found.result(Redactor({}), [read("pending", 0), read("pending", 20)]) is None
