"""What a response shows beside what was asked for, and whether all sightings of a record agree."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import agreement, answer, issued, requested, sighting
from conformance.rules.answer import Answer
from conformance.rules.issued import Cursors, Issue
from conformance.rules.suspicion import Variant

CONTRACT = openapi.load()
ID = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
OTHER = "1c7e6b0f-7c43-4c1e-8f21-3f0c1d527a94"
CURSOR = "3e9a8d2b-7c43-4c1e-8f21-3f0c1d527a94"
JSON = (("content-type", "application/json"),)
NO_CURSORS: Cursors = {}


def over_http(operation: str, data: Any, id: str | None = None, **query: str) -> Answer:
    """What a success over HTTP shows."""
    stated = CONTRACT.operation(operation)
    path = {each.name: id for each in stated.parameters if each.location == "path" and id}
    url = "https://x/v1" + stated.path.format(**path) + f"?{urlencode(query)}"
    body = json.dumps({"data": data, "requestId": "r"}).encode()
    exchange = Exchange(
        "item",
        1,
        Call(operation, path, tuple(query.items())),
        "",
        "primary",
        "api-key",
        Request("GET", url, ()),
        Response(200, JSON, body),
    )
    found = answer.of(exchange, CONTRACT)
    assert found is not None
    return found


def by_tool(operation: str, data: Any, structured: Any = None, **arguments: Any) -> Answer:
    """What the result of a tool shows, as text, and as structured content where that is given."""
    message = {"method": "tools/call", "id": 7}
    sent = {**message, "params": {"name": operation, "arguments": arguments}}
    text = json.dumps({"data": data, "requestId": "r"})
    content: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    if structured is not None:
        content["structuredContent"] = {"data": structured, "requestId": "r"}
    result = {"id": 7, "result": content}
    exchange = Exchange(
        "item",
        2,
        Call("tools"),
        "",
        "primary",
        "api-key",
        Request("POST", "https://x/mcp", JSON, json.dumps(sent).encode()),
        Response(200, JSON, json.dumps(result).encode()),
        in_contract=False,
    )
    found = answer.of(exchange, CONTRACT)
    assert found is not None
    return found


def page(*items: Any) -> Any:
    """The data of a list."""
    return {"items": list(items), "nextCursor": None}


def violated(*answers: Answer, cursors: Cursors = NO_CURSORS) -> list[str]:
    """The requirements that responses violate by themselves."""
    roles = {"companyId": "company", "cursor": "cursor"}
    found = [
        each
        for one in answers
        for each in (*requested.examine(one), *requested.examine_filters(one, roles, cursors))
    ]
    return [each.requirement for each in found if each.defect is not None]


@pytest.mark.parametrize(
    ("shown", "requirement"),
    [
        (over_http("video_get", {"id": OTHER}, ID), "read/identity"),
        (over_http("comment_list", page({"reviewId": OTHER}), ID), "read/parent"),
        (over_http("project_list", page({"companyId": OTHER}), companyId=ID), "pagination/filter"),
        (over_http("video_list", page({"id": ID}, {"id": ID.upper()})), "pagination/once"),
        (by_tool("video_get", {"id": OTHER}, video_id=ID), "tools/data"),
        (by_tool("comment_list", page({"reviewId": OTHER}), input={"reviewId": ID}), "tools/data"),
        (by_tool("video_list", page({"id": ID}, {"id": OTHER}), limit=1), "tools/data"),
    ],
)
def test_another_record_than_the_requested_one_is_a_violation(
    shown: Answer, requirement: str
) -> None:
    """By either interface, however a tool nests and spells its arguments."""
    assert violated(shown) == [requirement]


@pytest.mark.parametrize(
    "shown",
    [
        over_http("video_get", {"id": ID.upper()}, ID),
        over_http("video_get", {"name": "without an id"}, ID),
        over_http("comment_list", page({"reviewId": None}, {}), ID),
        over_http("project_list", page({"companyId": OTHER}), companyId=ID, cursor=OTHER),
        over_http(
            "project_list", page({"companyId": OTHER}), **{"companyId": ID, "companyId[]": OTHER}
        ),
        over_http("video_list", page({"id": ID}, {"id": OTHER})),
        by_tool("video_list", page({"id": ID}), limit=1),
    ],
)
def test_what_was_asked_for_or_may_be_read_otherwise_is_left_alone(shown: Answer) -> None:
    """An id may be in capitals; a cursor may stand for the filter that it was issued under."""
    assert violated(shown) == []


def test_a_later_page_shows_what_passes_the_filter_of_the_page_before_it() -> None:
    """The cursor was issued under the same filter; under another one it may stand for that."""
    cursors: dict[str, frozenset[Issue]] = {}
    first = {**page({"companyId": ID}), "nextCursor": CURSOR}
    later = over_http("project_list", page({"companyId": OTHER}), companyId=ID, cursor=CURSOR)
    further = {**page({"companyId": OTHER}), "nextCursor": ID}
    issued.add(over_http("project_list", further, companyId=ID, cursor=CURSOR), cursors)
    assert violated(later, cursors=cursors) == []

    issued.add(over_http("project_list", first, companyId=OTHER), cursors)
    assert violated(later, cursors=cursors) == []

    issued.add(over_http("project_list", first, companyId=ID.upper(), limit="7"), cursors)
    assert violated(later, cursors=cursors) == ["pagination/filter"]


def blamed(*answers: Answer) -> list[tuple[str, str, tuple[str, ...]]]:
    """What disagrees among sightings of one record; the first is seen twice."""
    seen = [each for one in answers for each in sighting.sightings(one)]
    assert len({each.key for each in seen}) == 1
    variants = [Variant((each,), 2 - min(number, 1)) for number, each in enumerate(seen)]
    found = agreement.disagreements(variants, CONTRACT)
    return [(each.requirement, each.operation, each.properties) for each in found]


ONE, TWO = {"id": ID, "name": "one"}, {"id": ID, "name": "two"}


@pytest.mark.parametrize(
    ("usual", "odd", "expected"),
    [
        (
            over_http("video_list", page(ONE)),
            over_http("video_list", page(TWO), limit="7"),
            ("pagination/agreement", "video_list"),
        ),
        (
            over_http("video_list", page(ONE)),
            over_http("video_get", TWO, ID),
            ("read/agreement", "video_get"),
        ),
        (
            over_http("video_get", ONE, ID),
            over_http("video_get", TWO, ID.upper()),
            ("arguments/case", "video_get"),
        ),
        (
            over_http("video_get", ONE, ID),
            by_tool("video_get", TWO, videoId=ID),
            ("tools/data", "video_get"),
        ),
    ],
)
def test_what_separates_two_sightings_is_blamed(
    usual: Answer, odd: Answer, expected: tuple[str, str]
) -> None:
    """The page, the list, the letters of an id, or the interface."""
    assert blamed(usual, odd) == [(*expected, ("name",))]


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        (over_http("video_get", ONE, ID), over_http("video_get", TWO, ID)),
        (over_http("video_list", page(ONE)), by_tool("video_list", page(TWO), limit=7)),
        (over_http("video_list", page(ONE)), over_http("video_get", {"id": ID.upper()}, ID)),
        (over_http("video_list", page(ONE)), over_http("video_get", {**ONE, "more": 1}, ID)),
    ],
)
def test_what_nothing_states_to_be_equal_is_left_alone(usual: Answer, odd: Answer) -> None:
    """One way that changes, ways that differ in more than the interface, and further properties."""
    assert blamed(usual, odd) == []


@pytest.mark.parametrize(("text", "expected"), [(TWO, True), (ONE, False), ({"id": ID}, False)])
def test_a_text_shows_what_the_structured_content_shows(text: Any, expected: bool) -> None:
    """It may be a summary of it."""
    found = blamed(
        over_http("video_get", ONE, ID), by_tool("video_get", text, structured=ONE, videoId=ID)
    )
    assert found == [("tools/data", "video_get", ("name",))] * expected


@pytest.mark.parametrize(("required", "expected"), [("project_get", ["name"]), ("video_get", [])])
def test_a_tool_leaves_out_what_is_optional(required: str, expected: list[str]) -> None:
    """Whichever of the two interfaces shows the record more often."""
    name = required.replace("_get", "Id")
    one, other = over_http(required, ONE, ID), by_tool(required, {"id": ID}, **{name: ID})
    for pair in ((one, other), (other, one)):
        assert [name for *_, names in blamed(*pair) for name in names] == expected


def test_a_record_is_listed_below_one_other() -> None:
    """Two pages that show it, each with its own record above, are blamed for that."""
    first, second = ({"id": ID, "reviewId": each} for each in (ID, OTHER))
    one, other = over_http("comment_list", page(first), ID), by_tool("comment_list", page(second))
    below = over_http("comment_list", page(second), OTHER)
    assert blamed(one, below) == [("read/parent", "comment_list", ("reviewId",))]
    assert blamed(one, other) == []
