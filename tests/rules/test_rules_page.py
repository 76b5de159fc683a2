"""The length of a page, against the limit that was asked for."""

import json
from typing import Any

import pytest

from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import examine

CONTRACT = openapi.load()


def judged(
    query: tuple[tuple[str, str], ...], items: Any, status: int = 200
) -> list[tuple[str | None, str]]:
    """What is said of a page with these items: the problem, and what was expected."""
    body = json.dumps({"data": {"items": items, "nextCursor": None}, "requestId": "r"}).encode()
    response = Response(status, (("content-type", "application/json"),), body)
    exchange = Exchange(
        "item", 1, Call("video_list", query=query), "", None, None, Request("GET", "", ()), response
    )
    found = [
        judgement
        for judgement in examine(exchange, CONTRACT)
        if judgement.requirement == "pagination/limit"
    ]
    return [(judgement.problem, judgement.expected) for judgement in found]


@pytest.mark.parametrize(
    ("limit", "number", "said"),
    [
        ("2", 1, []),
        ("2", 2, [(None, "2 items at most")]),
        ("2", 3, [("3 items with limit 2", "2 items at most")]),
        ("1", 0, []),
        ("100", 100, [(None, "100 items at most")]),
        ("100", 101, [("101 items with limit 100", "100 items at most")]),
    ],
)
def test_a_page_is_no_longer_than_its_limit(
    limit: str, number: int, said: list[tuple[str | None, str]]
) -> None:
    """A shorter one shows nothing: a target that ignores limits may have no more."""
    assert judged((("limit", limit),), [{}] * number) == said


@pytest.mark.parametrize(
    "query",
    [(), (("limit", "0"),), (("limit", "02"),), (("limit", "2"), ("limit", "2")), (("size", "2"),)],
)
def test_only_one_valid_limit_says_how_long_a_page_may_be(
    query: tuple[tuple[str, str], ...],
) -> None:
    """Whatever comes."""
    assert judged(query, [{}] * 3) == []


def test_what_is_no_page_is_not_measured() -> None:
    """A refusal, and an answer without items."""
    assert judged((("limit", "1"),), [{}, {}], 404) == []
    assert judged((("limit", "1"),), None) == []


def test_no_answer_is_not_judged() -> None:
    """There is nothing to look at."""
    exchange = Exchange(
        "item", 1, Call("video_list"), "", None, None, Request("GET", "", ()), failure="late"
    )
    assert list(examine(exchange, CONTRACT)) == []


@pytest.mark.parametrize(
    ("operation", "headers", "said"),
    [
        ("review_approve", (), []),
        ("review_approve", (("content-type", "application/json"),), ["response/status"]),
        ("review_get", (), ["response/status"]),
    ],
)
def test_an_approval_without_a_body_may_be_refused_for_its_media_type(
    operation: str, headers: tuple[tuple[str, str], ...], said: list[str]
) -> None:
    """What is sent as JSON is not, and nothing that takes no body."""
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
    assert [judgement.requirement for judgement in examine(exchange, CONTRACT)] == said


def test_an_answer_is_judged_from_its_status_to_its_records() -> None:
    """The form first, then the record, each with its own problems."""
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
    assert problems["account/fields"] == 'displayName: 1 is not of type "string"'
    assert (
        problems["account/closed"]
        == "the record: Additional properties are not allowed ('more' was unexpected)"
    )
    assert str(problems["representation/uuid"]).startswith('id: "x" does not match ')
