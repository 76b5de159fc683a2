"""The check with the official client, on the reference and with changed responses."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
import subjects

from conformance import reference as bundled
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.contract.verdict import Inconclusive, Violation
from conformance.http.in_process import InProcess, Message
from conformance.reference import Reference
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.suite.lists.live import Live
from conformance.suite.test_tools import test_a_stock_client_lists_and_calls_a_tool as check
from conformance.suite.tools import sdk_client
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.sdk_client import ClientTransport
from conformance.suite.tools.toolbox import Toolbox
from conformance.target.profile import parse

BASE = "http://target.invalid/v1"
Response = tuple[int, str, bytes]
Change = Callable[[dict[str, Any], Response], Response]
JSON = "application/json"


class Interpreter:
    """The reference with changed JSON-RPC responses, and a session for each handshake.

    `change` gets the request and the response.
    """

    def __init__(self, reference: Reference, change: Change) -> None:
        self._reference = reference
        self._change = change

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Respond to one request."""
        asked, parts = bytearray(), list[Message]()

        async def listen() -> Message:
            message: Message = await receive()
            asked.extend(message.get("body", b""))
            return message

        async def gather(message: Message) -> None:
            parts.append(message)

        await self._reference.app(scope, listen, gather)
        if scope["path"] == "/mcp" and parts[0]["status"] == 200:
            original = (
                parts[0]["status"],
                JSON,
                b"".join(part.get("body", b"") for part in parts[1:]),
            )
            request = json.loads(bytes(asked))
            status, kind, body = self._change(request, original)
            session = [(b"mcp-session-id", b"one")] if request["method"] == "initialize" else []
            parts = [
                {
                    "type": "http.response.start",
                    "status": status,
                    "headers": [(b"content-type", kind.encode()), *session],
                },
                {"type": "http.response.body", "body": body},
            ]
        for part in parts:
            await send(part)


@contextmanager
def target(
    change: Change | None = None, package: ModuleType = bundled, **profile: Any
) -> Iterator[Toolbox]:
    """The tools of a reference with changed responses."""
    clock = package.ManualClock()
    reference = package.Reference(clock=clock)
    application = Interpreter(reference, change) if change else reference.app
    stated = {**reference.profile(BASE), **profile}
    session = Session(
        parse(stated, environ={}),
        InProcess(application, clock.advance),
        seed=1,
        depth=DEPTHS["quick"],
    )
    yield Toolbox(Live(session.context("item")))
    session.close()
    reference.close()


def is_modern(asked: dict[str, Any]) -> bool:
    """Whether the official client sent a request: the other one prefers a handshake."""
    return "_meta" in asked.get("params", {})


def on(method: str, response: Response) -> Change:
    """Another response to one method, for the official client only."""
    return lambda asked, original: (
        response if asked["method"] == method and is_modern(asked) else original
    )


def edited(method: str, edit: Callable[[dict[str, Any]], object]) -> Change:
    """An edited result of one method, for the official client only."""

    def change(asked: dict[str, Any], original: Response) -> Response:
        if asked["method"] != method or not is_modern(asked):
            return original
        document = json.loads(original[2])
        edit(document["result"])
        return 200, JSON, json.dumps(document).encode()

    return change


def test_the_official_client_understands_the_reference() -> None:
    """Its requests are recorded, and not checked by the rules."""
    with target() as toolbox:
        check(toolbox)
        record = toolbox.live.session.finish()
        facts = [fact.context.finish() for fact in toolbox.live.session.facts()]

    assert record.methods == {"GET": 1, "POST": 4}
    # Its tools are listed, and hands are shaken, for every check.
    assert [fact.methods for fact in facts] == [{"POST": 1}, {"POST": 2}]
    assert {
        finding.requirement
        for result in (record, *facts)
        for finding in result.findings
        if finding.requirement.startswith("tools/")
    } == set()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            edited("tools/call", lambda result: result.update(structuredContent={"data": {}})),
            "RuntimeError: Invalid structured content",
        ),
        (edited("tools/call", lambda result: result.pop("content")), "content"),
        (
            edited("tools/call", lambda result: result.update(isError=True)),
            "the official client gets an error result",
        ),
        (
            edited("tools/list", lambda result: result.update(tools=result["tools"][1:])),
            "does not list the tool account_get",
        ),
        (
            edited("tools/list", lambda result: result.update(tools=[])),
            "does not list the tool account_get",
        ),
        (edited("tools/list", lambda result: result.update(tools={})), "ValidationError: "),
        (
            on("tools/call", (200, "text/plain", b"{}")),
            "MCPError: Unexpected content type: text/plain",
        ),
        (
            on("tools/call", (202, JSON, b"")),
            "MCPError: server answered a request with 202 Accepted",
        ),
        (on("tools/call", (200, JSON, b"<html>")), "MCPError: Failed to parse JSON response"),
        (on("tools/list", (500, JSON, b"{}")), "MCPError: Server returned an error response"),
    ],
)
def test_a_response_that_the_client_does_not_understand_is_a_violation(
    change: Change, words: str
) -> None:
    """The message is that of the client; the evidence is its last exchanges."""
    with target(change) as toolbox, pytest.raises(Violation, match=words) as caught:
        check(toolbox)

    assert caught.value.exchanges


def test_a_client_that_waits_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event stream ends early and asks for a retry in an hour."""
    monkeypatch.setattr(sdk_client, "IDLE_SECONDS", 0.3)
    stream = on("tools/call", (200, "text/event-stream", b"id: 1\nretry: 3600000\ndata:\n\n"))

    with (
        target(stream) as toolbox,
        pytest.raises(Violation, match="the official client fails: TimeoutError"),
    ):
        check(toolbox)


@pytest.mark.parametrize(
    ("profile", "needs"),
    [({"tools": {}}, ("tools.url",)), ({"credentials": {}}, ("credentials.primary",))],
)
def test_without_its_prerequisites_the_client_is_inconclusive(
    profile: dict[str, Any], needs: tuple[str, ...]
) -> None:
    """The result names the key of the profile."""
    with target(**profile) as toolbox, pytest.raises(Inconclusive) as undecided:
        check(toolbox)

    assert undecided.value.needs == needs


@pytest.mark.parametrize(
    "schema",
    [{"type": "nonsense"}, {"type": "object", "$ref": "#"}],
    ids=["nonsense", "one that holds where it holds"],
)
def test_an_unusable_output_schema_is_inconclusive(schema: dict[str, Any]) -> None:
    """The client reads all output schemas first, and its validator follows each reference."""
    nonsense = edited(
        "tools/list",
        lambda result: [tool.update(outputSchema=schema) for tool in result["tools"]],
    )
    with target(nonsense) as toolbox, pytest.raises(Inconclusive) as undecided:
        check(toolbox)
    assert undecided.value.needs == ("output schemas that every client can use",)


@pytest.mark.parametrize("status", [429, 503])
def test_an_unavailable_target_is_inconclusive(status: int) -> None:
    """A later request may be served."""
    with target(on("tools/list", (status, JSON, b"{}"))) as toolbox, pytest.raises(Inconclusive):
        check(toolbox)


def test_a_rejected_baseline_tool_call_is_inconclusive() -> None:
    """The baseline tool call is rejected."""

    def reject(asked: dict[str, Any], original: Response) -> Response:
        return (403, JSON, b"{}") if asked["method"] == "tools/call" else original

    with (
        target(reject) as toolbox,
        pytest.raises(Inconclusive, match="the baseline tool call returned"),
    ):
        check(toolbox)


def test_data_that_violate_the_contract_are_inconclusive() -> None:
    """The client validates them with the output schema."""
    altered_package = altered.load(
        [Edit("resources", '"displayName": ', '"email": "", "displayName": ')]
    )

    with (
        target(package=altered_package) as toolbox,
        pytest.raises(Inconclusive, match="violates the contract"),
    ):
        check(toolbox)


def test_an_internal_error_is_not_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The official client did not raise the error."""

    async def mistaken(*_: object) -> None:
        raise RuntimeError("our own")

    monkeypatch.setattr(sdk_client, "_converse", mistaken)

    with target() as toolbox, pytest.raises(RuntimeError, match="our own"):
        check(toolbox)


@pytest.mark.parametrize(("most", "expected"), [(50, 10), (1, 6)])
def test_the_official_client_reads_all_pages_of_tools(
    most: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of pages is bounded."""
    monkeypatch.setattr(sdk_client, "MAX_PAGES", most)

    with target(package=altered.load(subjects.BY_ID["tools-in-pages"].edits)) as toolbox:
        transport = ClientTransport(
            toolbox,
            toolbox.live.operation("account_get"),
            Caller.of(toolbox.live.callers.credential("primary")),
        )
        names, _ = sdk_client.list_and_call(transport, {})

    assert len(names) == expected


def test_only_post_requests_are_sent() -> None:
    """Streams and the end of a session would have a random order."""

    def reject_modern(asked: dict[str, Any], original: Response) -> Response:
        return (404, JSON, b"{}") if is_modern(asked) else original

    with target(reject_modern) as toolbox:
        transport = ClientTransport(
            toolbox,
            toolbox.live.operation("account_get"),
            Caller.of(toolbox.live.callers.credential("primary")),
        )
        names, result = sdk_client.list_and_call(transport, {})

    assert ("account_get" in names, result.is_error) == (True, False)
    assert [
        json.loads(exchange.call.body or b"{}")["method"] for exchange in transport.exchanges
    ] == [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call",
    ]
