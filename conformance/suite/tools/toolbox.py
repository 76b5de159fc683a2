"""The tools of a target: their list, and calls of them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.references import resolved
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.json_rpc import is_failure, response_to
from conformance.http.patience import TRIES
from conformance.http.sending import Sending
from conformance.rules.tool_call import METHOD, normalized
from conformance.rules.tool_result import ToolResult
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import Live
from conformance.suite.tools.channel import Caller, Channel, Message, Reply
from conformance.suite.tools.results import require_served, tool_result
from conformance.suite.tools.schema import argument_paths, arranged
from conformance.target.target import Credential

MAX_PAGES = 500
LONGEST_CURSOR = 100_000
"""Characters of a cursor that is followed: each request repeats it."""
TOOLS = "a tool interface that lists its tools to primary"
Arguments = Mapping[str, Any]
Value = TypeVar("Value")


class ToolsNotListed(Inconclusive):
    """The tools are not listed; `failed` if the service fails although the handshake succeeded."""

    def __init__(self, exchange: Exchange, *, failed: bool) -> None:
        message = f"the tools are not listed: {exchange.describe()}"
        super().__init__(message, needs=(TOOLS,), exchanges=[exchange.id])
        self.failed = failed


def check_cursor(cursor: str) -> None:
    """Inconclusive for a cursor that is too long to be repeated."""
    if len(cursor) > LONGEST_CURSOR:
        reason = f"the list of tools goes on with a cursor of {len(cursor):,} characters"
        raise Inconclusive(reason, needs=("a shorter list of tools",))


@dataclass
class Toolbox:
    """Lists and calls the tools of a target; the list for primary is a fact of the run.

    Primary's calls have the scheme `by`, or the first one that lists the tools. The requests of one
    item are numbered by one channel: `opened`, where another toolbox of the item has one.
    """

    live: Live
    by: str | None = None
    opened: Channel | None = None

    @cached_property
    def channel(self) -> Channel:
        """The connection to the tool interface."""
        return self.opened or Channel(self.live.session)

    @property
    def tools(self) -> dict[str, Any]:
        """The tools that primary can list, by name; ToolsNotListed if there is no list."""
        scheme, tools = self._discovery
        return self._fact("tools", lambda box: box._listing_by(scheme)) if tools is None else tools

    @property
    def scheme(self) -> str:
        """The scheme of primary that lists the tools; the first one if none does.

        Some tool interfaces accept a single scheme. Requests over HTTP that are compared with tool
        calls have the same scheme, since idempotency keys and cursors may belong to a credential.
        """
        return self.by or self._discovery[0]

    def by_another_scheme(self) -> "Toolbox":
        """The same tools, called by another scheme of primary; by this one if none is served.

        Some tool interfaces accept a single scheme, and list their tools for everybody.
        """
        account = self.live.operation(api.load().simplest.id)
        for scheme in self.lists_by_other_schemes():
            if self._fact("served", partial(_is_served, account, scheme), scheme):
                return Toolbox(self.live, scheme, self.channel)
        return self

    @cached_property
    def _discovery(self) -> tuple[str, dict[str, Any] | None]:
        return self._fact("tools", Toolbox._discover, "first")

    def lists_by_other_schemes(self) -> dict[str, dict[str, Any]]:
        """The tools that primary can list by the other schemes; without those that list none."""
        others = set(self.live.callers.credential("primary").schemes) - {self.scheme}
        lists: dict[str, dict[str, Any]] = {}
        for scheme in sorted(others):
            with suppress(Inconclusive):
                lists[scheme] = self._fact(
                    "tools", partial(Toolbox._listing_by, scheme=scheme), scheme
                )
        return lists

    def _fact(self, kind: str, find: Callable[["Toolbox"], Value], *parts: str) -> Value:
        return self.live.fact(fact_name(kind, *parts), lambda live: find(Toolbox(live)))

    def _discover(self) -> tuple[str, dict[str, Any] | None]:
        """The scheme of primary that lists the tools, and the list; no list if none does."""
        primary = self.live.callers.credential("primary")
        for scheme in primary.schemes:
            with suppress(Inconclusive):
                return scheme, self._listing_by(scheme)
        return primary.schemes[0], None

    def _listing_by(self, scheme: str) -> dict[str, Any]:
        return self._listing(Caller.of(self.live.callers.credential("primary"), scheme))

    def _listing(self, caller: Caller) -> dict[str, Any]:
        """All pages of the tools that a caller can list; ToolsNotListed if the list is rejected."""
        tools: dict[str, Any] = {}
        cursor: str | None = None
        followed: set[str] = set()
        for _ in range(MAX_PAGES):
            try:
                page = self._page_of_tools(cursor, caller)
            except ToolsNotListed:
                if cursor == "":  # some write it where a list ends
                    return tools
                raise
            shown = {tool["name"]: _readable(tool) for tool in page["tools"] if _has_name(tool)}
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or (cursor in followed and shown.keys() <= tools.keys()):
                return tools | shown
            check_cursor(cursor)
            followed.add(cursor)
            tools |= shown
        return tools

    def _page_of_tools(self, cursor: str | None, caller: Caller) -> dict[str, Any]:
        params = {} if cursor is None else {"cursor": cursor}
        reply = self.channel.send(Message("tools/list", params, "list the tools"), caller)
        response = response_to(reply.exchange, reply.number)
        result = response.get("result")
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            return result
        failed = self.channel.has_greeted(caller) and is_failure(reply.exchange, response)
        raise ToolsNotListed(reply.exchange, failed=failed)

    def tool(self, operation: Operation) -> dict[str, Any]:
        """The tool of an operation as primary lists it; Inconclusive if there is none."""
        tool = self.tools.get(operation.id)
        if not isinstance(tool, dict):
            raise Inconclusive(f"there is no tool {operation.id}", needs=(TOOLS,))
        return tool

    def argument_name(self, operation: Operation, name: str) -> str | None:
        """The name that the tool has for a parameter of its operation over HTTP.

        It is the name over HTTP, or that of the contract; None if the input schema has neither.
        """
        session, paths = self.live.session, argument_paths(self._schema(operation))
        in_contract = (
            parameter.name
            for parameter in operation.parameters
            if session.name(operation, parameter.role) == name
        )
        candidates = (name, *in_contract)
        return next((each for each in candidates if normalized(each) in paths), None)

    # --- calls ----------------------------------------------------------------------------------

    def call(
        self,
        operation: Operation,
        arguments: Arguments,
        credential: Credential | None,
        scheme: str | None = None,
        *,
        purpose: str = "call the tool",
    ) -> ToolResult:
        """Call the tool of an operation; arguments have the names of the parameters over HTTP."""
        message = self._message(operation, arguments, purpose)
        reply = self.channel.send(message, Caller.of(credential, scheme))
        return self._recorded(_result(reply), operation, arguments)

    def call_as_guest(
        self, operation: Operation, arguments: Arguments, caller: Caller, purpose: str
    ) -> ToolResult | None:
        """Call a tool after the handshake of primary, and in its session; see `send_as_guest`."""
        host = Caller.of(self.live.callers.credential("primary"), self.scheme)
        message = self._message(operation, arguments, purpose)
        reply = self.channel.send_as_guest(message, caller, host)
        if reply is None:
            return None
        return self._recorded(_result(reply), operation, arguments)

    def call_together(
        self,
        operation: Operation,
        requests: Sequence[tuple[Arguments, Caller]],
        purpose: str,
    ) -> list[ToolResult]:
        """Call the tool of an operation as several callers in the same moment."""
        host = Caller.of(self.live.callers.credential("primary"), self.scheme)
        messages = [
            (self._message(operation, arguments, purpose), caller) for arguments, caller in requests
        ]
        replies = self.channel.send_together(messages, host)
        return [
            self._recorded(_result(reply), operation, arguments)
            for reply, (arguments, _) in zip(replies, requests, strict=True)
        ]

    def request_beside(
        self, operation: Operation, arguments: Arguments, purpose: str
    ) -> tuple[Call, Sending, int]:
        """The request of a tool call as primary, for the moment of others, and its number."""
        primary = Caller.of(self.live.callers.credential("primary"), self.scheme)
        return self.channel.request_beside(self._message(operation, arguments, purpose), primary)

    def call_as_primary(
        self, operation: Operation, arguments: Arguments, purpose: str
    ) -> ToolResult:
        """Call a tool as primary, once."""
        primary = self.live.callers.credential("primary")
        return self.call(operation, arguments, primary, self.scheme, purpose=purpose)

    def call_all_as_primary(
        self, operation: Operation, requests: Mapping[str, Arguments]
    ) -> list[ToolResult]:
        """Call a tool as primary once for each purpose, concurrently as far as possible."""
        return self.call_all(operation, requests, self.caller("primary"))

    def call_all(
        self, operation: Operation, requests: Mapping[str, Arguments], caller: Caller
    ) -> list[ToolResult]:
        """Call a tool once for each purpose, concurrently as far as possible."""
        messages = [
            self._message(operation, arguments, purpose) for purpose, arguments in requests.items()
        ]
        replies = self.channel.send_all(messages, caller)
        return [
            self._recorded(_result(reply), operation, arguments)
            for reply, arguments in zip(replies, requests.values(), strict=True)
        ]

    def caller(self, name: str) -> Caller:
        """A caller of the profile, by the scheme of these tools where it has that."""
        credential = self.live.callers.credential(name)
        return Caller.of(credential, self.scheme if self.scheme in credential.schemes else None)

    def call_until_served(
        self, operation: Operation, arguments: Arguments, purpose: str
    ) -> ToolResult:
        """Call a tool as primary; repeat a rejected call, which may be due to a transient error."""
        for number in range(TRIES):
            self.live.session.transport.wait(float(number))
            result = self.call_as_primary(operation, arguments, purpose)
            if result.is_served:
                break
        return result

    def require_baseline(self, operation: Operation, arguments: Arguments) -> ToolResult:
        """Primary's served call of a tool; Inconclusive unless it was served at least once."""
        purpose = "the baseline tool call"

        def find(box: Toolbox) -> ToolResult:
            result = box.call_until_served(operation, arguments, purpose)
            require_served(result)
            return result

        return self._fact("tool-baseline", find, operation.id)

    def _message(self, operation: Operation, arguments: Arguments, purpose: str) -> Message:
        schema = self._schema(operation)
        named = {
            self.argument_name(operation, name) or name: value for name, value in arguments.items()
        }
        params = {"name": operation.id, "arguments": arranged(named, schema)}
        return Message(METHOD, params, purpose, operation.id, schema)

    def _schema(self, operation: Operation) -> dict[str, Any]:
        schema = self.tools.get(operation.id, {}).get("inputSchema")
        return schema if isinstance(schema, dict) else {}

    def _recorded(
        self, result: ToolResult, operation: Operation, arguments: Arguments
    ) -> ToolResult:
        """The same result; a successful approval is recorded as one that may have used a review."""
        if operation.writes and not result.is_rejected:
            self.live.session.approved.add(str(arguments.get("reviewId")).lower())
        return result


def _is_served(operation: Operation, scheme: str, toolbox: Toolbox) -> bool:
    """Whether primary's call of a tool without arguments is served by a scheme."""
    by_scheme = Toolbox(toolbox.live, scheme)
    return by_scheme.call_as_primary(operation, {}, "a tool by another scheme").is_served


def arguments_of(call: Call) -> dict[str, Any]:
    """The arguments of a call over HTTP for its tool: `limit` is a number."""
    query = {name: int(value) if name == "limit" else value for name, value in call.query}
    return {**call.path, **query}


def _readable(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool whose input schema has JSON Pointers as its only references."""
    schema = tool.get("inputSchema")
    return {**tool, "inputSchema": resolved(schema)} if isinstance(schema, dict) else tool


def _has_name(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _result(reply: Reply) -> ToolResult:
    return tool_result(reply.exchange, reply.number)
