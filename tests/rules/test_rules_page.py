"""The length of a page, compared with the requested limit."""

import json
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.contract.verdict import Kind, Location, Part
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import examine, page

CONTRACT = openapi.load()


def judgements(
    query: tuple[tuple[str, str], ...], items: Any, status: int = 200
) -> list[tuple[str | None, str]]:
    """The judgements of a page with these items: sentence and expected."""
    body = json.dumps({"data": {"items": items, "nextCursor": None}, "requestId": "r"}).encode()
    response = Response(status, (("content-type", "application/json"),), body)
    exchange = Exchange(
        "item", 1, Call("video_list", query=query), "", None, None, Request("GET", "", ()), response
    )
    checked = [
        judgement
        for judgement in examine(exchange, CONTRACT)
        if judgement.requirement == "pagination/limit"
    ]
    return [(judgement.problem, judgement.expected) for judgement in checked]


@pytest.mark.parametrize(
    ("limit", "number", "expected"),
    [
        ("2", 1, []),
        ("2", 2, [(None, "")]),
        ("2", 3, [("3 items with limit=2", "at most 2 items")]),
        ("1", 0, []),
        ("1", 2, [("2 items with limit=1", "at most 1 item")]),
        ("100", 100, [(None, "")]),
        ("100", 101, [("101 items with limit=100", "at most 100 items")]),
    ],
)
def test_a_page_is_at_most_as_long_as_its_limit(
    limit: str, number: int, expected: list[tuple[str | None, str]]
) -> None:
    """A shorter page is not checked: a target that ignores limits may have no more."""
    assert judgements((("limit", limit),), [{}] * number) == expected


@pytest.mark.parametrize(
    "query",
    [(), (("limit", "0"),), (("limit", "02"),), (("limit", "2"), ("limit", "2")), (("size", "2"),)],
)
def test_a_page_is_not_checked_without_one_valid_limit(
    query: tuple[tuple[str, str], ...],
) -> None:
    """No limit, an invalid or repeated one, or an unknown parameter."""
    assert judgements(query, [{}] * 3) == []


def test_a_response_without_items_is_not_checked() -> None:
    """An error response, and a success whose items are null."""
    assert judgements((("limit", "1"),), [{}, {}], 404) == []
    assert judgements((("limit", "1"),), None) == []


def test_a_failed_connection_is_not_checked() -> None:
    """There is no response."""
    exchange = Exchange(
        "item", 1, Call("video_list"), "", None, None, Request("GET", "", ()), failure="late"
    )
    assert list(examine(exchange, CONTRACT)) == []


@pytest.mark.parametrize(
    ("operation", "headers", "requirements"),
    [
        ("review_approve", (), []),
        ("review_approve", (("content-type", "application/json"),), ["response/status"]),
        ("review_get", (), ["response/status"]),
    ],
)
def test_an_approval_without_a_body_may_be_rejected_for_its_media_type(
    operation: str, headers: tuple[tuple[str, str], ...], requirements: list[str]
) -> None:
    """415 is undocumented to a JSON body, and to operations without one."""
    exchange = Exchange(
        "item",
        1,
        Call(operation),
        "",
        None,
        None,
        Request("POST", "", headers),
        Response(415, (), b""),
    )
    assert [judgement.requirement for judgement in examine(exchange, CONTRACT)] == requirements


def test_a_response_is_checked_from_its_status_to_its_records() -> None:
    """The form is checked first, then the record."""
    body = json.dumps(
        {
            "data": {"id": "x", "displayName": 1, "accountType": "internal", "more": None},
            "requestId": "r",
        }
    ).encode()
    response = Response(200, (("content-type", "application/json"),), body)
    exchange = Exchange(
        "item", 1, Call("account_get"), "", None, None, Request("GET", "", ()), response
    )
    problems = {
        judgement.requirement: judgement.problem for judgement in examine(exchange, CONTRACT)
    }
    assert {requirement for requirement, problem in problems.items() if problem is None} == {
        "response/status",
        "response/content-type",
        "response/json",
        "envelope/data",
        "envelope/request-id",
        "account/required",
        "account/type",
    }
    assert problems["account/fields"] == "displayName is 1"
    assert problems["account/closed"] == "the record has the property more"
    assert problems["representation/uuid"] == 'id is "x"'


def test_a_page_that_is_too_long_has_its_length_as_data() -> None:
    """The place is that of the items."""
    body = b'{"data": {"items": [{}, {}]}, "requestId": "r"}'
    exchange = Exchange(
        "item",
        1,
        Call("video_list").asking(limit="1"),
        "",
        None,
        None,
        Request("GET", "", ()),
        Response(200, (), body),
    )
    (judgement,) = page.examine(exchange)
    violation = judgement.defect
    assert violation is not None
    assert (violation.kind, violation.actual) == (Kind.COUNT, 2)
    assert violation.where == (Location(Part.BODY, "/data/items"),)


@pytest.mark.parametrize(
    ("length", "status", "requirements"),
    [(1_001, 414, []), (1_000, 414, ["response/status"]), (1_001, 417, ["response/status"])],
)
def test_a_long_address_may_be_rejected_for_its_length(
    length: int, status: int, requirements: list[str]
) -> None:
    """How long an address may be is not specified; valid ones are short."""
    request = Request("GET", "u" * length, ())
    response = Response(status, (), b"")
    exchange = Exchange("item", 1, Call("project_list"), "", None, None, request, response)
    assert [judgement.requirement for judgement in examine(exchange, CONTRACT)] == requirements
