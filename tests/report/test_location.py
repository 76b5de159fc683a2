"""The marks of a finding's defect in a response."""

import json
from typing import Any

import pytest
from sample_reports import ID, OTHER, a_defect, an_exchange

from conformance.contract.pointer import Path
from conformance.report.causes import location
from conformance.report.causes.location import NOTHING, Marks

PROJECTS = {
    "data": {"items": [{"id": ID}, {"id": OTHER, "videoCount": "12", "budget": 1}]},
    "requestId": 5,
}


def marks(
    defect: Any, body: str, *, is_last: bool = True, media_type: str = "application/json"
) -> Marks:
    """The marks of a defect in a response with this body."""
    headers = [["content-type", media_type]]
    response = {"status": 200, "headers": headers, "body": {"text": body}}
    return location.marks(defect, an_exchange(response=response), is_last=is_last)


@pytest.mark.parametrize(
    ("defect", "places"),
    [
        (a_defect("value", "/requestId"), {("requestId",): "here"}),
        (
            a_defect("absent", "/data/items/0", fields=["name", "status"]),
            {("data", "items", 0): "no name, status"},
        ),
        (
            a_defect("extra", "/data/items/1/budget"),
            {("data", "items", 1, "budget"): "not allowed"},
        ),
        (
            a_defect("value", "/data/items/1/videoCount", "/data/items/0/id"),
            {("data", "items", 1, "videoCount"): "here", ("data", "items", 0, "id"): "here"},
        ),
        (a_defect("value", "/data/nextCursor"), {("data",): "no nextCursor"}),
        (a_defect("value", "/data/items/7/id"), {("data", "items"): "no 7"}),
        (a_defect("omitted"), {}),
    ],
)
def test_a_pointer_marks_a_place_in_the_body(defect: Any, places: dict[Path, str]) -> None:
    """If the body has no such location, the existing part of the path is marked."""
    assert marks(defect, json.dumps(PROJECTS)).places == places


def test_the_status_line_is_marked() -> None:
    """The defect has the status line as its location."""
    status = {"part": "status", "name": "", "exchange": ""}
    assert marks(a_defect("status", where=[status]), "{}") == Marks(status=True)


def test_a_header_is_marked() -> None:
    """The header is identified by its name in lower case."""
    header = {"part": "header", "name": "retry-after", "exchange": ""}
    assert marks(a_defect("header", where=[header]), "{}") == Marks(header="retry-after")


@pytest.mark.parametrize("body", ["<html>", "", "[" * 5000])
def test_a_body_that_is_not_json_is_marked_as_a_whole(body: str) -> None:
    """Such a body has no inner locations."""
    assert marks(a_defect("body", ""), body) == Marks(body="not JSON")


def test_a_place_in_a_stream_of_events_is_one_in_the_event_that_responds() -> None:
    """Events before it, such as progress, are passed over."""
    stream = 'data: {"method": "x"}\n\nevent: message\ndata: {"id": 1, "result": {"a": 2}}\n\n'
    found = marks(a_defect("value", "/result/a"), stream, media_type="text/event-stream")
    assert found == Marks(places={("result", "a"): "here"})


def test_a_location_is_in_its_exchange() -> None:
    """A location without an exchange is in the last one."""
    named = {"part": "body", "name": "/code", "exchange": an_exchange()["id"]}
    elsewhere = {**named, "exchange": "another#1"}
    body = '{"code": 1}'
    here = Marks(places={("code",): "here"})
    assert marks(a_defect("value", where=[named]), body, is_last=False) == here
    assert marks(a_defect("value", where=[elsewhere]), body) == Marks()
    assert marks(a_defect("value", "/code"), body, is_last=False) == Marks()


def test_without_a_response_or_a_defect_nothing_is_marked() -> None:
    """They have no location."""
    silent = an_exchange(response=None)
    assert location.marks(a_defect("value", "/code"), silent, is_last=True) == NOTHING
    assert location.marks(None, an_exchange(), is_last=True) == NOTHING
