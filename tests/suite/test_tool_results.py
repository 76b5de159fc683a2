"""Results of tool calls: the response to a request, and the data in it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import MISSING, Call, Exchange, Request, Response
from conformance.http.json_rpc import response_to
from conformance.suite.tools.results import by_id, tool_result

ENVELOPE = {"data": {"id": "1"}, "requestId": "r"}
TEXT = {"type": "text", "text": json.dumps(ENVELOPE)}


def exchange(body: str, kind: str = "application/json") -> Exchange:
    """A response of the tool interface."""
    response = Response(200, (("content-type", kind),), body.encode())
    return Exchange("item", 1, Call("tools"), "", None, None, Request("POST", "", ()), response)


def called(result: dict[str, Any]) -> Any:
    """The data that a result carries."""
    return tool_result(exchange(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})), 1).data


@pytest.mark.parametrize(
    "result",
    [
        {"structuredContent": ENVELOPE},
        {"structuredContent": {"id": "1"}},
        {"structuredContent": {"result": ENVELOPE}},
        {"structuredContent": {"result": json.dumps(ENVELOPE)}, "content": [TEXT]},
        {"structuredContent": {"output": {"id": "1"}}},
        {"structuredContent": {"ok": True}, "content": [TEXT]},
        {"content": [{"type": "text", "text": "25"}, {"type": "text", "text": '{"id": "1"}'}]},
        {"content": [{"type": "text", "text": f"```json\n{TEXT['text']}\n```\n"}]},
        {
            "content": [
                {"type": "text", "text": f"The account:\n```json\n{TEXT['text']}\n```\nDone."}
            ]
        },
        {"content": [{"type": "text", "text": f"The account: {TEXT['text']}\n\nDone."}]},
        {"content": [{"type": "text", "text": "The account:"}, TEXT]},
        {"content": [{"type": "text", "text": '{"id": "1"}'}]},
        {"content": [{"type": "image"}, None, TEXT]},
        {
            "content": [
                {
                    "type": "resource",
                    "resource": {"uri": "data:account", "text": json.dumps(ENVELOPE)},
                }
            ]
        },
        {
            "content": [
                {"type": "resource"},
                {"type": "resource", "resource": {"uri": "data:picture", "blob": ""}},
                TEXT,
            ]
        },
    ],
)
def test_data_is_found_in_every_form_of_a_result(result: dict[str, Any]) -> None:
    """The data may be structured or text, with or without an envelope, wrapped or not."""
    assert called(result) == {"id": "1"}


@pytest.mark.parametrize(
    ("structured", "path", "place"),
    [
        (ENVELOPE, ("id",), "/result/structuredContent/data/id"),
        ({"result": ENVELOPE}, (), "/result/structuredContent/result/data"),
        ({"result": json.dumps(ENVELOPE)}, ("id",), "/result"),
        (None, ("id",), "/result"),
    ],
    ids=["an envelope", "wrapped", "a text within", "a text"],
)
def test_a_place_in_the_data_is_one_in_structured_content(
    structured: Any, path: tuple[str, ...], place: str
) -> None:
    """Where the data are a text, it is the result as a whole."""
    content = {} if structured is None else {"structuredContent": structured}
    document = {"jsonrpc": "2.0", "id": 1, "result": {**content, "content": [TEXT]}}

    assert tool_result(exchange(json.dumps(document)), 1).located(*path).name == place


def test_an_error_body_that_is_not_marked_is_called_so() -> None:
    """Whoever looks for an access hole would not find it."""
    body = {"code": "forbidden", "requestId": "r", "message": "No."}
    document = {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": body}}
    result = tool_result(exchange(json.dumps(document)), 1)

    assert (result.is_rejected, result.outcome) == (False, "an error body without isError")


@pytest.mark.parametrize(
    "result", [{}, {"content": "text"}, {"content": [{"type": "text", "text": "You are you."}]}]
)
def test_text_without_json_is_not_data(result: dict[str, Any]) -> None:
    """An empty result has no data either."""
    assert called(result) is MISSING


@pytest.mark.parametrize("status", [429, 503, None])
def test_an_unavailable_target_has_no_result(status: int | None) -> None:
    """The call is inconclusive."""
    whole = exchange("{}")
    assert whole.response is not None
    spoiled = replace(whole, response=replace(whole.response, status=status) if status else None)

    assert response_to(spoiled, 1) == {}
    with pytest.raises(Inconclusive):
        tool_result(spoiled, 1)


def test_a_stream_without_the_response_has_none() -> None:
    """The stream has the response to another request."""
    assert response_to(exchange('data: {"id": 2, "result": {}}\n\n', "text/event-stream"), 1) == {}


def test_a_request_of_the_server_is_not_a_response() -> None:
    """The request is in the same stream with the same id."""
    messages = [{"id": 1, "method": "ping"}, {"id": 1, "result": {"content": []}}]
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in messages)
    assert response_to(exchange(stream, "text/event-stream"), 1) == messages[1]


def test_records_of_a_page_are_known_by_their_ids_in_lower_case() -> None:
    """Items without a usable id are left out."""
    id = "0b6d5a9e-7c43-4c1e-8f21-3f0c1d527a94"
    record = {"id": id.upper()}
    assert by_id([record, {"id": 7}, {"name": "a"}, "text", None]) == {id: record}
