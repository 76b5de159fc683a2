"""The tool interface of the reference, by the SDK client and by plain JSON-RPC."""

import asyncio
import json
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import uuid4

import httpx
import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from conformance.contract import openapi
from conformance.http.in_process import InProcess, Message
from conformance.reference import ManualClock, Reference, catalogue, serve, target
from conformance.reference.request_body import MAXIMUM_BODY_BYTES

BASE = "http://reference.invalid/v1"
HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
VERSIONS = (HANDSHAKE, MODERN)
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
READS = [operation for operation in catalogue.operations() if operation.method == "GET"]
T = TypeVar("T")
ABSENT = "00000000-0000-4000-8000-000000000000"


class Caller:
    """JSON-RPC and HTTP requests to an instance in this process, with any of its credentials."""

    def __init__(self, reference: Reference, version: str) -> None:
        self.profile = reference.profile(BASE)
        self.version = version
        self.http = httpx.Client(transport=InProcess(reference.app, lambda _: None), base_url=BASE)

    def headers(self, credential: str = "primary", scheme: str = "api-key") -> dict[str, str]:
        """The headers of a credential; `lacking.…` names a missing permission."""
        kind, _, permission = credential.partition(".")
        secrets = self.profile["credentials"][kind]
        secret = (secrets[permission] if permission else secrets)[scheme]
        return (
            {"x-api-key": secret} if scheme == "api-key" else {"authorization": f"Bearer {secret}"}
        )

    def ask(self, method: str, params: dict[str, Any], **headers: str) -> httpx.Response:
        """The HTTP response to a JSON-RPC request with these additional headers."""
        own = {
            "accept": "application/json",
            "content-type": "application/json",
            "mcp-protocol-version": self.version,
        }
        if self.version == MODERN:
            params = params | {"_meta": META}
            own |= {"mcp-method": method} | (
                {"mcp-name": params["name"]} if "name" in params else {}
            )
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
        return self.http.post(self.profile["tools"]["url"], content=body, headers=own | headers)

    def call(
        self, tool: str, arguments: dict[str, Any], credential: str = "primary"
    ) -> dict[str, Any]:
        """The result of a tool."""
        response = self.ask(
            "tools/call", {"name": tool, "arguments": arguments}, **self.headers(credential)
        )
        assert response.status_code == 200
        result: dict[str, Any] = response.json()["result"]
        return result

    def data(self, path: str, **parameters: Any) -> Any:
        """The data of an HTTP response to primary."""
        return self.http.get(path, params=parameters, headers=self.headers()).json()["data"]


@pytest.fixture(params=VERSIONS)
def caller(reference: Reference, request: pytest.FixtureRequest) -> Iterator[Caller]:
    """A caller in each of the two eras of the protocol."""
    made = Caller(reference, request.param)
    with made.http:
        yield made


@contextmanager
def served(host: str = "127.0.0.1") -> Iterator[dict[str, Any]]:
    """The profile of an instance on a loopback socket."""
    reference, ready, listener = Reference(), threading.Event(), serve.listen(host, 0)
    server = serve.server(reference.app, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(10)
    try:
        yield reference.profile(serve.address(listener))
    finally:
        server.should_exit = True
        thread.join(10)
        reference.close()


def converse(
    profile: dict[str, Any], mode: str, talk: Callable[[Client], Coroutine[Any, Any, T]]
) -> T:
    """The result of a function that uses the SDK client as primary."""

    async def run() -> T:
        headers = {"authorization": f"Bearer {profile['credentials']['primary']['bearer']}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            transport = streamable_http_client(profile["tools"]["url"], http_client=http)
            async with Client(transport, mode=mode) as client:
                return await talk(client)

    return asyncio.run(run())


def arguments_of(operation: catalogue.Operation, review: dict[str, Any]) -> dict[str, Any]:
    """The path parameters of an operation for one review, and a small limit for lists."""
    known = {
        "reviewId": review["id"],
        "projectId": review["projectId"],
        "videoId": review["videoId"],
    }
    ids = {name: value for name, value in known.items() if f"{{{name}}}" in operation.path}
    return ids | ({"limit": 2} if operation.id.endswith("_list") else {})


def approval(review: dict[str, Any], key: str, ahead: int = 0) -> dict[str, Any]:
    """The arguments of an approval."""
    return {
        "reviewId": review["id"],
        "expectedSubjectRevision": review["subjectRevision"] + ahead,
        "idempotencyKey": key,
    }


def approvable(caller: Caller) -> dict[str, Any]:
    """An approvable review."""
    review: dict[str, Any] = caller.data(
        f"/reviews/{caller.profile['fixtures']['approvable-reviews'][0]}"
    )
    return review


def error_of(result: dict[str, Any]) -> tuple[int, str]:
    """The status and code of an error, which is a text: it has no structured content."""
    body = json.loads(result["content"][0]["text"])
    assert (result["isError"], "structuredContent" in result) == (True, False)
    assert set(body) == {"code", "requestId", "message", "title", "status"}
    return body["status"], body["code"]


@pytest.mark.parametrize("mode", ["legacy", "auto", MODERN])
def test_the_sdk_client_reads_the_data_of_http(mode: str) -> None:
    """It lists the ten tools; the data of each read-only tool matches its output schema."""
    with served() as profile, httpx.Client(base_url=profile["base-url"], trust_env=False) as http:
        http.headers["x-api-key"] = profile["credentials"]["primary"]["api-key"]
        review = http.get(f"/reviews/{profile['fixtures']['approvable-reviews'][0]}").json()["data"]

        async def talk(client: Client) -> tuple[list[str], dict[str, CallToolResult]]:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, {
                each.id: await client.call_tool(each.id, arguments_of(each, review))
                for each in READS
            }

        names, results = converse(profile, mode, talk)
        assert names == [operation.id for operation in catalogue.operations()]
        for operation in READS:
            given, result = arguments_of(operation, review), results[operation.id]
            response = http.get(
                operation.path.format_map(given),
                params={name: given[name] for name in given if name == "limit"},
            )
            assert (result.is_error, result.structured_content["data"]) == (
                False,
                response.json()["data"],
            )
            (text,) = result.content
            assert isinstance(text, TextContent)
            assert json.loads(text.text) == result.structured_content


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_the_sdk_client_approves_once(mode: str) -> None:
    """The same key returns the same data; another key returns an error body."""
    with served() as profile:
        identifier = profile["fixtures"]["approvable-reviews"][0]

        async def talk(client: Client) -> list[CallToolResult]:
            read = await client.call_tool("review_get", {"reviewId": identifier})
            review = read.structured_content["data"]
            return [
                await client.call_tool("review_approve", approval(review, key))
                for key in ("one", "one", "two")
            ]

        first, replay, conflict = converse(profile, mode, talk)
    assert first.structured_content["data"] == replay.structured_content["data"]
    assert first.structured_content["data"]["status"] == "approved"
    error = json.loads(conflict.content[0].model_dump()["text"])
    assert (conflict.is_error, error["status"], error["code"]) == (True, 409, "conflict")


@pytest.mark.parametrize("first", ["tool", "http"])
def test_http_and_tools_share_idempotency_keys(caller: Caller, first: str) -> None:
    """The replay over the other interface returns equal data; another revision is 409."""
    review = approvable(caller)

    def by_tool(ahead: int) -> tuple[int, Any]:
        result = caller.call("review_approve", approval(review, "shared", ahead))
        body = json.loads(result["content"][0]["text"])
        return body.get("status", 200), body.get("data")

    def by_http(ahead: int) -> tuple[int, Any]:
        body = approval(review, "shared", ahead)
        response = caller.http.post(
            f"/reviews/{body.pop('reviewId')}/approve", json=body, headers=caller.headers()
        )
        return response.status_code, response.json().get("data")

    faces = [by_tool, by_http] if first == "tool" else [by_http, by_tool]
    expected = {
        "id": review["id"],
        "status": "approved",
        "subjectRevision": review["subjectRevision"],
    }
    assert [face(0) for face in faces] == [(200, expected)] * 2
    assert [face(1) for face in faces] == [(409, None)] * 2


def test_pagination_with_cursors(caller: Caller) -> None:
    """A cursor of one interface is valid over the other; the last page has null."""
    page = caller.call("project_list", {"limit": 100})["structuredContent"]["data"]
    rest = caller.data("/projects", limit=100, cursor=page["nextCursor"])
    assert (
        caller.call("project_list", {"limit": 100, "cursor": page["nextCursor"]})[
            "structuredContent"
        ]["data"]
        == rest
    )
    assert rest["nextCursor"] is None


@pytest.mark.parametrize("scheme", ["api-key", "bearer"])
def test_tools_accept_each_scheme(caller: Caller, scheme: str) -> None:
    """The API key and the bearer token are each sufficient."""
    response = caller.ask(
        "tools/call", {"name": "account_get"}, **caller.headers("primary", scheme)
    )
    assert response.json()["result"]["structuredContent"]["data"] == caller.data("/account")


@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call", "no/method"])
@pytest.mark.parametrize("scheme", ["api-key", "bearer"])
@pytest.mark.parametrize("credential", ["expired", "revoked", "unknown", "none"])
def test_an_invalid_credential_gets_401(
    caller: Caller, method: str, scheme: str, credential: str
) -> None:
    """Status, challenge and error body are those of HTTP, before any JSON-RPC."""
    caller.profile["credentials"]["unknown"] = {"api-key": "made-up", "bearer": "made-up"}
    headers = caller.headers(credential, scheme) if credential != "none" else {}
    response = caller.ask(method, {"name": "account_get"}, **headers)
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
    assert response.headers["www-authenticate"] == 'Bearer realm="localization"'
    assert "jsonrpc" not in response.json()


@pytest.mark.parametrize("operation", catalogue.operations(), ids=lambda operation: operation.id)
def test_a_missing_permission_is_an_error_of_the_call(
    caller: Caller, operation: catalogue.Operation
) -> None:
    """403 with any arguments; the tool is listed, and all other tools can be called."""
    lacking = f"lacking.{operation.permission}"
    assert error_of(
        caller.call(operation.id, arguments_of(operation, approvable(caller)), lacking)
    ) == (403, "forbidden")
    listed = caller.ask("tools/list", {}, **caller.headers(lacking)).json()["result"]["tools"]
    assert listed == caller.ask("tools/list", {}, **caller.headers()).json()["result"]["tools"]
    other = "account_get" if operation.id != "account_get" else "project_list"
    assert caller.call(other, {}, lacking)["isError"] is False


def test_role_and_grant_are_checked(caller: Caller) -> None:
    """403 for the role, 404 outside the grant, and nothing is approved."""
    review = approvable(caller)
    assert error_of(caller.call("review_approve", approval(review, "one"), "no-review-role")) == (
        403,
        "forbidden",
    )
    assert error_of(caller.call("review_approve", approval(review, "one"), "outsider")) == (
        404,
        "not_found",
    )
    for name, tool in (
        ("project", "project_get"),
        ("video", "video_get"),
        ("review", "review_get"),
    ):
        for kind in ("foreign", "ungranted"):
            assert error_of(
                caller.call(tool, {f"{name}Id": caller.profile["fixtures"][kind][name]})
            ) == (404, "not_found")
    assert approvable(caller) == review


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("account_get", {"verbose": True}),
        ("project_list", {"limit": 0}),
        ("project_list", {"limit": 101}),
        ("project_list", {"limit": "5"}),
        ("project_list", {"limit": 2.5}),
        ("project_list", {"limit": None}),
        ("project_list", {"cursor": "not a uuid"}),
        ("project_list", {"companyId": f"{ABSENT}\n"}),
        ("project_get", {}),
        ("project_get", {"projectId": 7}),
        ("project_get", {"projectId": ABSENT, "limit": 5}),
        (
            "review_approve",
            {"reviewId": ABSENT, "expectedSubjectRevision": True, "idempotencyKey": "k"},
        ),
        ("review_approve", {"reviewId": ABSENT, "expectedSubjectRevision": 1}),
        ("review_approve", {"reviewId": ABSENT, "idempotencyKey": "k"}),
        (
            "review_approve",
            {"reviewId": ABSENT, "expectedSubjectRevision": 1, "idempotencyKey": ""},
        ),
    ],
)
def test_invalid_arguments_are_rejected(
    caller: Caller, tool: str, arguments: dict[str, Any]
) -> None:
    """Missing, unknown, of another type or out of bounds: 422."""
    assert error_of(caller.call(tool, arguments)) == (422, "invalid_arguments")


def test_an_invalid_argument_is_named(caller: Caller) -> None:
    """The message has the name of the argument, and not its value."""
    result = caller.call("project_list", {"limit": 4711})
    message = json.loads(result["content"][0]["text"])["message"]
    assert message == "limit: the value is greater than the maximum of 100."


def test_a_lone_surrogate_is_rejected(caller: Caller) -> None:
    """JSON can escape a lone surrogate; it is rejected by the tool or by the JSON parser."""
    given = {
        "reviewId": approvable(caller)["id"],
        "expectedSubjectRevision": 1,
        "idempotencyKey": "\ud800",
    }
    response = caller.ask(
        "tools/call", {"name": "review_approve", "arguments": given}, **caller.headers()
    )
    if caller.version == MODERN:
        assert error_of(response.json()["result"]) == (422, "invalid_arguments")
    else:
        assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)


@pytest.mark.parametrize("number", [3e0, 3])
def test_an_integral_number_is_an_integer(caller: Caller, number: float) -> None:
    """Tools accept it as HTTP does."""
    assert (
        len(caller.call("project_list", {"limit": number})["structuredContent"]["data"]["items"])
        == 3
    )


def test_http_and_tools_share_the_rate_limit(caller: Caller, clock: ManualClock) -> None:
    """Requests over one count for the other: 429 with Retry-After until it has passed."""
    headers = caller.headers("throttled")
    allowed = caller.profile["limits"]["rate-limit"]["requests"]
    for _ in range(allowed // 2):
        assert caller.http.get("/account", headers=headers).status_code == 200
        assert caller.ask("tools/call", {"name": "account_get"}, **headers).status_code == 200
    response = caller.ask("tools/call", {"name": "account_get"}, **headers)
    assert (response.status_code, response.json()["code"]) == (429, "rate_limited")
    assert caller.http.get("/account", headers=headers).status_code == 429
    clock.advance(float(response.headers["retry-after"]))
    assert caller.ask("tools/list", {}, **headers).status_code == 200


def test_a_large_request_is_rejected(caller: Caller) -> None:
    """413 beyond the maximum size, and 200 up to it."""
    spent = {"name": "account_get", "arguments": {"x": "x" * (MAXIMUM_BODY_BYTES - 1000)}}
    assert caller.ask("tools/call", spent, **caller.headers()).status_code == 200
    spent["arguments"] = {"x": "x" * MAXIMUM_BODY_BYTES}
    response = caller.ask("tools/call", spent, **caller.headers())
    assert (response.status_code, response.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_only_post_is_supported(caller: Caller, method: str) -> None:
    """405 with Allow, since there are no sessions."""
    response = caller.http.request(method, caller.profile["tools"]["url"], headers=caller.headers())
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_the_path_is_exact(caller: Caller) -> None:
    """A trailing slash is another path."""
    assert (
        caller.http.post(f"{caller.profile['tools']['url']}/", headers=caller.headers()).status_code
        == 404
    )


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {"name": "review_reject", "arguments": {}}, -32602),
        ("tools/call", {"name": "account_get", "arguments": [1]}, -32602),
        ("tools/list", {"cursor": "next"}, -32602),
        ("subscriptions/listen", {"notifications": {}}, -32601),
        ("no/method", {}, -32601),
    ],
)
def test_a_protocol_error_is_a_json_rpc_error(
    caller: Caller, method: str, params: dict[str, Any], code: int
) -> None:
    """Unknown tools and methods, arguments that are not an object, unissued cursors."""
    response = caller.ask(
        method, params, **(caller.headers() | {"accept": "application/json, text/event-stream"})
    )
    assert (response.json()["error"]["code"], response.json()["id"]) == (code, 7)


@pytest.mark.parametrize("name", ["host", "origin"])
def test_a_rebound_name_is_rejected(caller: Caller, name: str) -> None:
    """A host or an origin that is neither loopback nor the address of the server."""
    response = caller.ask(
        "tools/list",
        {},
        **(
            caller.headers() | {name: "http://evil.example" if name == "origin" else "evil.example"}
        ),
    )
    assert response.status_code == (403 if name == "origin" else 421)
    good = "http://localhost:6274" if name == "origin" else "localhost:8080"
    assert caller.ask("tools/list", {}, **(caller.headers() | {name: good})).status_code == 200


def test_tools_are_served_over_ipv6() -> None:
    """A client of ::1 lists the tools."""

    async def talk(client: Client) -> int:
        return len((await client.list_tools()).tools)

    with served("::1") as profile:
        assert converse(profile, "auto", talk) == 10


def test_an_unknown_server_address_allows_loopback_only(reference: Reference) -> None:
    """Without an address, only loopback names are allowed."""

    async def nowhere(scope: Message, receive: Any, send: Any) -> None:
        await reference.app({**scope, "server": None}, receive, send)

    caller = Caller(reference, MODERN)
    with httpx.Client(transport=InProcess(nowhere, lambda _: None)) as caller.http:
        assert (
            caller.ask("tools/list", {}, **(caller.headers() | {"host": "localhost"})).status_code
            == 200
        )
        assert caller.ask("tools/list", {}, **caller.headers()).status_code == 421


def test_an_internal_error_does_not_expose_its_cause(
    reference: Reference, caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    """The response is an error body with 500; the cause is in the log."""
    reference.store.write("DROP TABLE activity", {})
    result = caller.call("activity_list", {"projectId": approvable(caller)["projectId"]})
    assert error_of(result) == (500, "internal_error")
    assert "activity" not in result["content"][0]["text"]
    assert "no such table" in caplog.text


def test_concurrent_calls_in_many_threads(caller: Caller) -> None:
    """Each thread has its own event loop, and gets its own response."""
    review = approvable(caller)
    keys = [str(uuid4()) for _ in range(4)]

    def one(number: int) -> tuple[int, Any]:
        assert (
            caller.call("account_get", {})["structuredContent"]["data"]["accountType"] == "external"
        )
        result = caller.call("review_approve", approval(review, keys[number % 4]))
        body = json.loads(result["content"][0]["text"])
        return body.get("status", 200), body.get("data", {}).get("status")

    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(one, range(40)))
    assert sorted(responses, key=str) == [(200, "approved")] * 10 + [(409, None)] * 30


def test_the_sdk_is_imported_by_the_first_tool_request() -> None:
    """Requests below /v1 do not import the SDK."""
    code = """
import sys, httpx
from conformance.http.in_process import InProcess
from conformance.reference import Reference
reference = Reference()
profile = reference.profile("http://reference.invalid/v1")
headers = {"x-api-key": profile["credentials"]["primary"]["api-key"]}
transport = InProcess(reference.app, lambda _: None)
account, tools = profile["base-url"] + "/account", profile["tools"]["url"]
with httpx.Client(transport=transport, headers=headers) as http:
    statuses = [http.get(account).status_code, http.get(tools).status_code]
    print(statuses, "mcp" in sys.modules, http.post(tools).status_code, "mcp" in sys.modules)
reference.close()
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[200, 405] False 400 True\n"


@pytest.mark.parametrize(
    "operation", openapi.load().operations.values(), ids=lambda operation: operation.id
)
def test_a_tool_matches_its_operation(caller: Caller, operation: openapi.Operation) -> None:
    """Closed input schema of parameters and body; self-contained schemas; correct hints."""
    listed = caller.ask("tools/list", {}, **caller.headers()).json()["result"]["tools"]
    (tool,) = [each for each in listed if each["name"] == operation.id]
    body = (
        openapi.load().schema(operation.body_schema)["properties"] if operation.body_schema else {}
    )
    required = [parameter.name for parameter in operation.parameters if parameter.required]
    given, gives = tool["inputSchema"], tool["outputSchema"]
    assert list(given["properties"]) == [
        parameter.name for parameter in operation.parameters
    ] + list(body)
    assert (given["required"], given["type"], given["additionalProperties"]) == (
        [*required, *body],
        "object",
        False,
    )
    assert (gives["type"], gives["required"], tool["title"]) == (
        "object",
        ["data", "requestId"],
        operation.summary,
    )
    for schema in (given, gives):
        Draft202012Validator.check_schema(schema)
        assert "$ref" not in json.dumps(schema)
        assert '"x-' not in json.dumps(schema)
    assert tool["annotations"] == {
        "readOnlyHint": not operation.writes,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


@pytest.mark.parametrize("url", [BASE, "http://[::1]:8080/v1"])
def test_the_profile_has_the_url_of_the_tools(reference: Reference, url: str) -> None:
    """The URL is next to the version segment, in the tables and in the text."""
    profile = reference.profile(url)
    assert profile["tools"] == {"url": url.replace("/v1", "/mcp")}
    assert tomllib.loads(target.toml(profile))["tools"] == profile["tools"]
