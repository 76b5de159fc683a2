"""The channel to a tool interface: addresses, protocol versions, sessions, handshakes."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from altered_target import Send, Stage, json_response, stage, without
from intercepted import asked

from conformance.assurance.selftest import population
from conformance.contract.verdict import Inconclusive
from conformance.suite import test_tools as tools
from conformance.suite import test_tools_data as tools_data
from conformance.suite.callers.forged_credentials import other_headers
from conformance.suite.lists.live import Live
from conformance.suite.tools.channel import MODERN, Caller
from conformance.suite.tools.toolbox import Toolbox

ONE_SCHEME = without("credentials/primary/bearer")
"""With two, tools are called by each of them."""
SESSIONS = Path(__file__).parents[1] / "population" / "sessions.toml"
BOUND = "sessions-of-one-credential"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/mcp/", 10),
        ("http://reference.test/mcp/", 10),
        ("http://elsewhere.test/mcp/", 0),
        ("/v1/reviews/01980000-0000-7000-8000-000000000001/approve", 0),
        ("/mcp?tenant=2", 0),
        ("http://[", 0),
        (None, 0),
    ],
)
def test_a_redirect_adds_a_slash_and_nothing_else(location: str | None, expected: int) -> None:
    """No target decides where a request with a credential goes."""

    def slashing(request: httpx.Request, send: Send) -> httpx.Response:
        if request.url.path == "/mcp":
            return httpx.Response(
                307,
                headers={"location": location} if location else {},
                stream=httpx.ByteStream(b""),
            )
        request.url = (
            request.url.copy_with(path="/mcp") if request.url.path == "/mcp/" else request.url
        )
        return send(request)

    with stage(spoil=slashing) as one:
        toolbox = one.things["toolbox"]
        if expected:
            assert len(toolbox.tools) == expected
        else:
            with pytest.raises(Inconclusive, match="the tools are not listed: 307"):
                one.perform(tools.test_every_operation_is_a_tool, "account_get")
    assert {request.url.host for request in one.transport.sent} == {"reference.test"}
    assert not any(request.url.path.endswith("/approve") for request in one.transport.sent)


@pytest.mark.parametrize(
    "data",
    [
        {"supported": ["2025-03-26", "2025-06-18", 7, "2099-01-01"]},
        {"supported": "2025-06-18"},
        {"supported": []},
        None,
    ],
)
def test_an_older_version_of_the_protocol_is_requested_if_named(data: Any) -> None:
    """If the error has no usable version, requests are sent without a handshake."""
    versions = []

    def choosy(request: httpx.Request, send: Send) -> httpx.Response:
        message = asked(request)
        if message.get("method") == "initialize":
            versions.append(message["params"]["protocolVersion"])
            if versions[-1] != "2025-06-18":
                error = {"code": -32602, "message": "Unsupported protocol version", "data": data}
                return json_response(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        return send(request)

    with stage(spoil=choosy) as one:
        assert len(one.things["toolbox"].tools) == 10
    assert versions[1:] == (["2025-06-18"] if data and len(data["supported"]) == 4 else [])


def test_a_session_that_has_ended_is_renewed() -> None:
    """The request is sent once more; another caller has a session of its own."""
    ends = iter([False, False, False, True])

    def ending(request: httpx.Request, send: Send) -> httpx.Response:
        method = asked(request).get("method")
        response = send(request)
        if method == "initialize":
            response.headers["mcp-session-id"] = "one"
        return json_response(404) if method is not None and next(ends, False) else response

    with stage(ONE_SCHEME, ending) as one:
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "account_get")
        methods = [asked(sent)["method"] for sent in one.transport.sent if sent.url.path == "/mcp"]
    handshake = ["initialize", "notifications/initialized"]
    renewed = [*handshake, "tools/list", "tools/call", *handshake, "tools/call"]
    assert methods == [*renewed, "tools/call", *handshake, "tools/call"]


def test_items_at_once_renew_the_only_session_of_their_caller_in_turn() -> None:
    """A handshake ends the session before, and the first one ends at once."""
    numbers, valid = count(), [""]

    def single(request: httpx.Request, send: Send) -> httpx.Response:
        method = asked(request).get("method")
        if method == "initialize":
            response = send(request)
            valid[0] = response.headers["mcp-session-id"] = str(next(numbers))
            return response
        has_ended = request.headers.get("mcp-session-id") not in (valid[0], None)
        return json_response(404) if has_ended or valid == ["0"] else send(request)

    def is_served(one: Stage, number: int) -> bool:
        live = Live(one.session.session.context(f"item {number}"))
        operation = live.operation("account_get")
        return Toolbox(live).call_as_primary(operation, {}, "at once").is_served

    with stage(ONE_SCHEME, single) as one:
        assert len(one.things["toolbox"].tools) == 10
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(partial(is_served, one), range(24)))


def test_without_a_handshake_each_request_has_all_context() -> None:
    """Arguments are also sent as headers if the input schema requires it."""

    def modern(request: httpx.Request, send: Send) -> httpx.Response:
        message = asked(request)
        if message.get("method") == "initialize":
            return json_response(
                400,
                {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "error": {"code": -32600, "message": "no handshakes"},
                },
            )
        response = send(request)
        if message.get("method") != "tools/list":
            return response
        document = orjson.loads(response.read())
        for tool in document["result"]["tools"]:
            if "reviewId" in tool["inputSchema"].get("properties", {}):
                tool["inputSchema"]["properties"]["reviewId"]["x-mcp-header"] = "Wanted"
        return json_response(200, document)

    with stage(ONE_SCHEME, modern) as one:
        one.perform(tools_data.test_a_tool_returns_the_data_of_its_operation, "comment_list")
        calls = [sent for sent in one.transport.sent if asked(sent).get("method") == "tools/call"]
    assert {
        (sent.headers["mcp-protocol-version"], sent.headers["mcp-method"], sent.headers["mcp-name"])
        for sent in calls
    } == {
        (MODERN, "tools/call", "comment_list"),
    }
    assert [sent.headers["mcp-param-wanted"] for sent in calls] == [
        asked(sent)["params"]["arguments"]["reviewId"] for sent in calls
    ]


def test_a_caller_with_two_credentials_has_a_session_of_its_own() -> None:
    """It may belong to either: each alone is served in a session that it has begun alone."""
    bound = next(each for each in population.load([SESSIONS]) if each.id == BOUND)
    with stage(edits=bound.edits) as one:
        toolbox, target = one.things["toolbox"], one.session.target
        operation = one.session.contract.operation("review_list")
        lacking, outsider = target.lacking("videos:read"), target.credentials["outsider"]
        both = Caller(lacking, "bearer", other_headers(outsider, "bearer"))
        together = toolbox.call_together(operation, [({"limit": 1}, both)], "both")

        assert [each.is_served for each in together] == [True]
        assert toolbox.call(operation, {"limit": 1}, lacking, "bearer").is_served
