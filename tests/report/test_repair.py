"""What has to hold of the responses once a failure is repaired."""

import json
from typing import Any

import httpx
import pytest
from sample_reports import a_defect

from conformance.report import body_values, recorded_body, repair

DEEP = '{"a":' * 50_000 + "1" + "}" * 50_000
"""More levels than a parser follows."""


def exchange(text: str | None) -> Any:
    """An exchange with a response of this text; None: without a response."""
    if text is None:
        return {"failure": "no response"}
    body = {"text": text}
    return {"response": {"status": 200, "headers": [], "body": body}}


@pytest.mark.parametrize(
    ("text", "pointer", "value"),
    [
        ('{"data": {"items": [{"id": 1}]}}', "/data/items/0/id", 1),
        ('{"data": null}', "/data", None),
        ('{"data": {}}', "/data/id", body_values.ABSENT),
        ('{"data": []}', "/data/0", body_values.ABSENT),
        ('{"data": 1}', "/data/id", body_values.ABSENT),
        ("no JSON", "", body_values.ABSENT),
        (DEEP, "/a", body_values.ABSENT),
        (None, "/data", body_values.ABSENT),
    ],
)
def test_the_value_at_a_place_of_a_response(text: str | None, pointer: str, value: object) -> None:
    """There is none in a body that cannot be parsed, however a target has written it."""
    body = recorded_body.value(exchange(text).get("response"), body_values.ABSENT)

    assert body_values.at(body, pointer) == value


def test_responses_that_cannot_be_parsed_are_equal_where_their_texts_are() -> None:
    """So a deeply nested body is seen again."""
    found: Any = {}

    assert repair.are_equal(found, [exchange(DEEP)], [exchange(DEEP)])
    assert not repair.are_equal(found, [exchange(DEEP)], [exchange(f"[{DEEP}]")])


VIDEO = "3ab72ce3-114e-4829-b11c-7869c2b1abb0"
ERROR = {"isError": True, "content": [{"type": "text", "text": 'Error: {"code": "absent"}'}]}


def answered(status: int, body: Any, path: str = "", **properties: Any) -> Any:
    """An exchange with a JSON response."""
    response = {"status": status, "headers": [], "body": {"text": json.dumps(body)}}
    request: Any = {
        "method": "GET",
        "url": f"https://x.example/v1{path}",
        "headers": [],
        "body": None,
    }
    named = {"id": "", "credential": "primary", "scheme": "api-key", "request": request}
    return {**named, "response": response, **properties}


def holding(defect: Any, before: list[Any], after: list[Any]) -> bool | None:
    """Whether the conditions of a defect hold of later responses; None where there are none."""
    holds = repair.conditions(defect, before)
    if not holds:
        return None
    functions = {
        **vars(body_values),
        "responses": [
            httpx.Response(each["response"]["status"], text=each["response"]["body"]["text"])
            for each in after
        ],
        "bodies": [json.loads(each["response"]["body"]["text"]) for each in after],
    }
    outcomes = {all(condition.holds(after) for condition in holds)}
    outcomes.add(all(eval(condition.source(), functions) for condition in holds))
    [outcome] = outcomes
    return outcome


def test_a_record_that_no_list_shows_any_more_need_not_be_served() -> None:
    """A list that ignored the grant has shown it; where the list does not matter, nobody knows."""
    page, hidden = answered(200, {"id": VIDEO}), answered(404, {}, f"/videos/{VIDEO}")
    place = {"part": "status", "name": "", "exchange": ""}
    found = a_defect("status", values={"allowed": [200]}) | {"where": [place]}

    assert holding(found, [page, hidden], [page, hidden]) is False
    assert holding(found, [page, hidden], [answered(200, {}), hidden]) is True
    assert holding(found, [page, hidden], [page, answered(200, {})]) is True
    assert holding(found, [hidden], [hidden]) is None


def test_errors_of_both_interfaces_have_one_code() -> None:
    """The code of a tool may be in a text, behind words."""
    http, tool = answered(404, {"code": "gone"}), answered(200, {"result": ERROR})
    found = a_defect("difference") | {
        "where": [{"part": "body", "name": "/result/content", "exchange": "tool"}]
    }
    before = [http | {"id": "http"}, tool | {"id": "tool"}]

    assert holding(found, before, before) is False
    assert holding(found, before, [answered(404, {"code": "absent"}), tool]) is True


def test_a_page_has_no_more_items_than_its_limit() -> None:
    """Whichever they are."""
    found = a_defect("count", "/data/items", values={"limit": 1})
    before = [answered(200, {"data": {"items": [1, 2]}})]

    assert holding(found, before, before) is False
    assert holding(found, before, [answered(200, {"data": {"items": [3]}})]) is True


@pytest.mark.parametrize(
    ("kind", "place", "properties"),
    [
        ("omitted", "/data", {}),
        ("effect", "/data/status", {}),
        ("status", "", {"credential": "throttled"}),
        ("accepted", "/result", {"path": "?cursor=x"}),
    ],
)
def test_what_depends_on_more_than_its_responses_has_no_condition(
    kind: str, place: str, properties: dict[str, Any]
) -> None:
    """What was sent before, and cursors that another instance has not issued."""
    before = [answered(200, {"data": {"status": "approved"}}, **properties)]

    assert holding(a_defect(kind, place), before, before) is None


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, {"result": {"isError": False}}, False),
        (200, {"result": {"isError": True}}, True),
        (200, {"error": {"code": 1}}, True),
        (401, {}, True),
        (500, {}, False),
    ],
)
def test_a_call_of_a_tool_is_rejected_in_any_way(status: int, body: Any, expected: bool) -> None:
    """By HTTP, JSON-RPC or its result."""
    found = a_defect("accepted", "/result")

    assert holding(found, [answered(200, {"result": {}})], [answered(status, body)]) is expected
