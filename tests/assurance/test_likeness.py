"""A response is compared with a recorded one in what a deployment does not change by living on."""

import json
from typing import Any

import pytest

from conformance.assurance.certificate import likeness


def line(data: object, status: int = 200, kind: str = "application/json") -> dict[str, Any]:
    """An exchange with this data in its response."""
    body = {"text": json.dumps({"data": data, "requestId": "r"})}
    return {"response": {"status": status, "headers": [["content-type", kind]], "body": body}}


PAGE = {"items": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}], "nextCursor": None}


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (line({"id": "a", "count": 1}), line({"id": "a", "count": 2.0, "more": []})),
        (line({"id": "a", "reason": None}), line({"id": "a", "reason": "text"})),
        (line(PAGE), line({"items": [{"id": "c"}, {"id": "b"}], "nextCursor": "x"})),
        (line({"items": []}), line({"items": [{"id": "c"}]})),
        (line("a", kind="application/json"), line("b", kind="Application/JSON; charset=utf-8")),
        (line("a", 404), line("b", 404)),
    ],
)
def test_what_may_change_is_no_difference(before: Any, now: Any) -> None:
    """Values, further properties, the order and the length of a page."""
    assert list(likeness.differences(before, now)) == []


@pytest.mark.parametrize(
    ("before", "now", "difference"),
    [
        (line("a"), line("a", 404), "status 200 then, 404 now"),
        (line("a"), {"failure": "refused"}, "no response (refused)"),
        (line("a"), line("a", kind="text/html"), "Content-Type application/json then, text/html"),
        (line({"count": 1}), line({"count": "1"}), "/data/count was number, is string"),
        (line({"ok": True}), line({"ok": 1}), "/data/ok was boolean, is number"),
        (line({"id": "a"}), line({"id": "b"}), "the record was a, is b"),
        (line({"id": "a"}), line({}), "the record was a, is None"),
        (line(PAGE), line({"items": [{"id": "c"}]}), "none of the 2 recorded records"),
    ],
)
def test_what_may_not_change_is_a_difference(before: Any, now: Any, difference: str) -> None:
    """The status, the types, and the identity of records."""
    (found,) = likeness.differences(before, now)
    assert found.startswith(difference)


def test_a_body_that_is_not_json_has_another_type() -> None:
    """Nothing is raised for it."""
    broken = {"response": {"status": 200, "headers": [], "body": {"base64": "AA=="}}}
    found = list(likeness.differences({**line("a")}, {**broken}))
    assert found == ["Content-Type application/json then, absent now"]
    assert list(likeness.differences(broken, broken)) == []
