"""The duties of callers in recordings that begin in the middle: who can tell, and who cannot."""

import json
from dataclasses import replace
from typing import Any

import pytest

from conformance.commands.traffic import parameters
from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import client
from conformance.rules.client.recording import Recording

BASE = "https://api.example.com/v1"
REVIEW, CURSOR = "6f1c1b1e-8d2e-4b8e-9c53-0d6a3a3c1f10", "0b9e1f5e-14a7-4a86-8f4c-6a2f0e6f7a21"
HEADERS = (("x-api-key", "$KEY"), ("content-type", "application/json"))
CONTRACT = openapi.load()


def exchange(number: int, call: Call, status: int | None, data: Any = None) -> Exchange:
    """An exchange that began so many seconds after the first one."""
    operation = CONTRACT.operation(call.operation)
    path = operation.path.format(**call.path)
    query = "&".join(f"{name}={value}" for name, value in call.query)
    url = f"{BASE}{path}?{query}" if query else f"{BASE}{path}"
    request = Request(operation.method, url, HEADERS, call.body)
    body = json.dumps({"data": data, "requestId": "r"}).encode()
    response = None if status is None else Response(status, (), body)
    failure = "lost" if response is None else None
    started = float(number)
    whole = Exchange("t", number, call, "", "anna", "api-key", request, response, failure, started)
    return replace(whole, elapsed=0.01)


def failing(*exchanges: Exchange, whole: bool = False) -> set[str]:
    """The duties that a recording violates."""
    recording = Recording(exchanges, CONTRACT, parameters.of_contract(CONTRACT), whole=whole)
    return {each.requirement for each in client.examine(recording) if each.defect}


def page(number: int, status: int = 200, cursor: str | None = None) -> Exchange:
    """A page of projects, after a cursor."""
    query = () if cursor is None else (("cursor", cursor),)
    return exchange(number, Call("project_list", query=query), status, {"items": []})


def approval(number: int, revision: int, key: str, status: int | None = 200) -> Exchange:
    """A request to approve the review."""
    body = json.dumps({"expectedSubjectRevision": revision, "idempotencyKey": key}).encode()
    data = {"id": REVIEW, "status": "approved", "subjectRevision": revision}
    return exchange(number, Call("review_approve", {"reviewId": REVIEW}, body=body), status, data)


def read(number: int, revision: int) -> Exchange:
    """A read of the review."""
    data = {"id": REVIEW, "subjectRevision": revision}
    return exchange(number, Call("review_get", {"reviewId": REVIEW}), 200, data)


@pytest.mark.parametrize(("whole", "expected"), [(False, set()), (True, {"client/cursor"})])
def test_a_cursor_of_unknown_origin_counts_in_a_whole_recording(
    whole: bool, expected: set[str]
) -> None:
    """Elsewhere it may be from yesterday, and have aged."""
    assert failing(page(1, 404, CURSOR), whole=whole) == expected


def test_an_unknown_cursor_that_is_served_is_one() -> None:
    """Whoever has issued it, the target knows it."""
    assert failing(page(1, 200, CURSOR), whole=True) == set()


@pytest.mark.parametrize(("whole", "expected"), [(False, set()), (True, {"client/revision"})])
def test_a_revision_that_nobody_saw_counts_in_a_whole_recording(
    whole: bool, expected: set[str]
) -> None:
    """Elsewhere the review may have been read before."""
    assert failing(approval(1, 3, "a"), whole=whole) == expected


def test_any_revision_that_was_read_may_be_expected() -> None:
    """Which of two reads a person has looked at is not specified; one from the future is not."""
    assert failing(read(1, 3), read(2, 4), approval(3, 3, "a", 409)) == set()
    assert failing(read(1, 3), approval(2, 4, "a", 409), read(3, 4)) == {"client/revision"}


@pytest.mark.parametrize("status", [None, 500, 502])
def test_a_repeated_approval_keeps_its_key_where_nobody_knows_its_outcome(
    status: int | None,
) -> None:
    """With another key it may be approved twice."""
    first = (read(1, 3), approval(2, 3, "a", status))
    assert failing(*first, approval(3, 3, "b")) == {"client/key-kept"}
    assert failing(*first, approval(3, 3, "a")) == set()
    assert failing(*first, read(3, 3), approval(4, 3, "b")) == set()


@pytest.mark.parametrize("status", [401, 409, 429, 503])
def test_any_key_may_follow_a_rejection(status: int) -> None:
    """The service has said that it has approved nothing."""
    assert failing(read(1, 3), approval(2, 3, "a", status), approval(90, 3, "b")) == set()
