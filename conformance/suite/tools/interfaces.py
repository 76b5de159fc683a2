"""What a caller gets for a request, over HTTP or by tool, in one form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Location
from conformance.http.exchange import Call, Exchange, followed
from conformance.http.sending import Sending
from conformance.rules.tool_result import ToolResult
from conformance.suite.callers.places import status_line
from conformance.suite.lists.live import Live
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.toolbox import Toolbox, arguments_of

Asked = tuple[Call, Caller]


@dataclass(frozen=True)
class Received:
    """A response over HTTP, or the result of a tool call with its exchange."""

    exchange: Exchange
    result: ToolResult | None = None

    @property
    def is_served(self) -> bool:
        """Whether it has the data of the operation."""
        return self.exchange.status == 200 if self.result is None else self.result.is_served

    @property
    def data(self) -> Any:
        """The data of the operation, or MISSING."""
        return self.exchange.data if self.result is None else self.result.data

    @property
    def shown(self) -> Sequence[Any]:
        """The data, and for a tool those of its text as well."""
        return [self.exchange.data] if self.result is None else self.result.shown

    @property
    def where(self) -> Location:
        """The place of the result in its exchange."""
        return status_line(self.exchange) if self.result is None else self.result.where

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items of a page; none for anything else."""
        items = self.data.get("items") if isinstance(self.data, dict) else None
        return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []

    @property
    def cursor(self) -> str | None:
        """`nextCursor` of a page where it is a string; Inconclusive where it is too long."""
        return followed(self.data, self.exchange.id)

    def describe(self) -> str:
        """The outcome in a few words."""
        return self.exchange.describe() if self.result is None else self.result.outcome


class Interface(Protocol):
    """HTTP, or the tools."""

    def ask(self, operation: Operation, asked: Asked, purpose: str) -> Received:
        """One request."""

    def ask_together(
        self, operation: Operation, asked: Sequence[Asked], purpose: str
    ) -> list[Received]:
        """Several requests in the same moment."""


@dataclass(frozen=True)
class OverHttp:
    """Requests over HTTP."""

    live: Live

    def ask(self, operation: Operation, asked: Asked, purpose: str) -> Received:  # noqa: ARG002
        """One request."""
        call, caller = asked
        return Received(
            self.live.callers.send(call, caller.credential, caller.scheme, purpose=purpose)
        )

    def ask_together(
        self,
        operation: Operation,  # noqa: ARG002
        asked: Sequence[Asked],
        purpose: str,
    ) -> list[Received]:
        """Several requests in the same moment."""
        sendings = [Sending(caller.credential, caller.scheme, purpose) for _, caller in asked]
        client = self.live.session.client
        calls = [call for call, _ in asked]
        return [Received(each) for each in client.send_all(calls, sendings, together=True)]


@dataclass(frozen=True)
class ByTool:
    """Calls of tools."""

    toolbox: Toolbox

    def ask(self, operation: Operation, asked: Asked, purpose: str) -> Received:
        """One call, also of a caller whose handshake is rejected."""
        return self.ask_together(operation, [asked], purpose)[0]

    def ask_together(
        self, operation: Operation, asked: Sequence[Asked], purpose: str
    ) -> list[Received]:
        """Several calls in the same moment."""
        requests = [(_arguments(call), caller) for call, caller in asked]
        results = self.toolbox.call_together(operation, requests, purpose)
        return [Received(result.exchange, result) for result in results]


def _arguments(call: Call) -> dict[str, Any]:
    body = {} if call.body is None else orjson.loads(call.body)
    return {**arguments_of(call), **body}
