"""Checks of the tool interface on targets whose lists of tools, or data, differ or change."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, repeat
from typing import Any

import httpx
import orjson
import pytest
import subjects
from altered_target import Send, edited, json_response, stage, without
from intercepted import asked, changed, is_of

from conformance.contract.verdict import Inconclusive, Violation
from conformance.suite import test_tools as tools
from conformance.suite import test_tools_data as tools_data
from conformance.suite.tools.toolbox import MAX_PAGES


def test_a_cursor_for_one_use_is_not_compared() -> None:
    """The second interface that uses the cursor is rejected."""
    used: set[str] = set()

    def once(request: httpx.Request, send: Send) -> httpx.Response:
        arguments = asked(request).get("params", {}).get("arguments", {})
        cursor = request.url.params.get("cursor") or arguments.get("cursor")
        if cursor is None or cursor not in used:
            used.add(cursor or "")
            return send(request)
        result = {
            "content": [{"type": "text", "text": '{"code": "used", "requestId": "r"}'}],
            "isError": True,
        }
        return (
            json_response(200, {"jsonrpc": "2.0", "id": asked(request)["id"], "result": result})
            if arguments
            else json_response(400)
        )

    with stage(spoil=once) as one:
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "project_list")
    assert len(used) > 2


def test_a_property_that_changes_over_http_is_not_compared() -> None:
    """The property changes with every read."""
    numbers = count()
    renamed = changed("/v1/projects", lambda record: record.update(name=f"name {next(numbers)}"))
    with stage(spoil=renamed) as one:
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "project_get")


def test_a_list_that_changes_with_every_read_cannot_be_compared() -> None:
    """The next read over HTTP may have the missing record."""
    numbers = count(1)

    def shrinking(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if request.url.path != "/v1/projects" or response.status_code != 200:
            return response
        left = orjson.loads(response.read())["data"]["items"][: next(numbers)]
        return edited(response, lambda document: document["data"].update(items=left))

    with (
        stage(spoil=shrinking) as one,
        pytest.raises(Inconclusive, match="the records of project_list change with every read"),
    ):
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "project_list")


@pytest.mark.parametrize(("cursors", "pages"), [(count(), MAX_PAGES), (repeat("more"), 2)])
def test_an_endless_list_of_tools_is_read_up_to_a_bound(
    cursors: Iterator[object], pages: int
) -> None:
    """The tools of the pages up to the bound are known; a cursor that leads back ends them."""
    lists = []

    def endless(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        lists.append(asked(request)["params"].get("cursor"))
        tools = orjson.loads(send(request).read())["result"]["tools"] if len(lists) == 1 else []
        return json_response(
            200,
            {
                "jsonrpc": "2.0",
                "id": asked(request)["id"],
                "result": {"tools": tools, "nextCursor": str(next(cursors))},
            },
        )

    with stage(spoil=endless) as one:
        assert len(one.things["toolbox"].tools) == 10
    assert len(lists) == pages


@pytest.mark.parametrize(("rest", "known"), [(slice(6, None), 10), (None, 6)])
def test_an_empty_cursor_is_one(rest: slice | None, known: int) -> None:
    """It leads to the next page, or is rejected: then the list has ended."""
    listed: list[Any] = []

    def in_pages(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        cursor = asked(request)["params"].get("cursor")
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": asked(request)["id"]}
        if cursor is None:
            listed[:] = orjson.loads(send(request).read())["result"]["tools"]
            result = {"tools": listed[:6], "nextCursor": ""}
            return json_response(200, {**message, "result": result})
        if rest is None:
            return json_response(200, {**message, "error": {"code": -32602, "message": "cursor"}})
        return json_response(200, {**message, "result": {"tools": listed[rest]}})

    with stage(spoil=in_pages) as one:
        assert len(one.things["toolbox"].tools) == known


def test_an_unknown_list_method_is_inconclusive() -> None:
    """The target may reject the caller."""

    def rejecting(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        return json_response(
            200,
            {
                "jsonrpc": "2.0",
                "id": asked(request)["id"],
                "error": {"code": -32601, "message": "no such method"},
            },
        )

    with (
        stage(spoil=rejecting) as one,
        pytest.raises(Inconclusive, match="the tools are not listed: 200"),
    ):
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "account_get")


@pytest.mark.parametrize(
    "failure",
    [
        {"error": {"code": -32603, "message": "internal error"}},
        {"error": {"code": 0, "message": "'tools'"}},
        {"result": {}},
    ],
)
def test_a_list_of_tools_that_keeps_failing_is_a_violation(failure: dict[str, Any]) -> None:
    """The handshake succeeded, so that the failure is not a rejection."""

    def failing(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        return json_response(200, {"jsonrpc": "2.0", "id": asked(request)["id"], **failure})

    with (
        stage(spoil=failing) as one,
        pytest.raises(Violation, match="the list of tools keeps failing"),
    ):
        one.perform(tools.test_every_operation_is_a_tool, "account_get")


def test_a_rejected_list_of_tools_is_inconclusive() -> None:
    """The error code is one of the target's own."""

    def rejecting(request: httpx.Request, send: Send) -> httpx.Response:
        if asked(request).get("method") != "tools/list":
            return send(request)
        return json_response(
            200,
            {
                "jsonrpc": "2.0",
                "id": asked(request)["id"],
                "error": {"code": -32001, "message": "who are you?"},
            },
        )

    with (
        stage(spoil=rejecting) as one,
        pytest.raises(Inconclusive, match="the tools are not listed: 200"),
    ):
        one.perform(tools.test_every_operation_is_a_tool, "account_get")


def test_a_list_that_is_too_long_to_compare_is_inconclusive() -> None:
    """The tool hides a video, and no page may be read to the end."""
    with stage(edits=subjects.BY_ID["tool-hides-a-video"].edits) as one:
        one.session.depth = replace(one.session.depth, pages=0)
        with pytest.raises(Inconclusive, match="too long to be compared as a whole"):
            one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "video_list")


def test_short_pages_of_a_long_list_may_show_other_records() -> None:
    """A tool may use any order; the longest page had all records."""
    with stage(edits=subjects.BY_ID["tools-in-another-order"].edits) as one:
        one.things["live"].records("project_list")
        one.session.depth = replace(one.session.depth, pages=2)
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "project_list")


def test_without_an_outsider_its_account_is_not_compared() -> None:
    """The account of primary is compared."""
    with stage(without("credentials/outsider")) as one:
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "account_get")


def test_an_account_that_the_outsider_cannot_read_is_not_compared() -> None:
    """Its permission may be missing."""

    def forbidding(request: httpx.Request, send: Send) -> httpx.Response:
        is_outsider = is_of(request, one.session.target, "outsider")
        return json_response(403) if is_outsider else send(request)

    with stage(spoil=forbidding) as one:
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "account_get")


def test_a_page_by_tool_without_items_differs() -> None:
    """HTTP returns a page, the tool an object without items."""

    def without_items(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        message = asked(request)
        if message.get("params", {}).get("name") != "project_list":
            return response
        result = orjson.loads(response.read())["result"]
        result["structuredContent"] = {"data": {"page": 1}, "requestId": "r"}
        result["content"] = []
        return json_response(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    with (
        stage(spoil=without_items) as one,
        pytest.raises(Violation, match="no page of the tool shows"),
    ):
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "project_list")
