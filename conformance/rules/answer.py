"""What the success of a read shows, by either interface, and how it was asked for.

Rules that judge what was asked for beside what was shown know nothing else of an exchange; no rule
but the two functions here knows that there are two interfaces.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Contract, Operation
from conformance.contract.verdict import Inconclusive, Location
from conformance.http.exchange import MISSING, Exchange
from conformance.rules import tool_call, tool_result
from conformance.rules.judgement import STATUS_LINE, body
from conformance.rules.tool_call import ToolCall
from conformance.rules.tool_result import ToolResult

HTTP, TOOL = "http", "tool"
BAD_REQUEST = 400


@dataclass(frozen=True)
class Way:
    """How something was asked for: `subject` is the id in the path, None where there is none.

    `arguments` are the others, by their names, in the order in which they were sent.
    """

    operation: Operation
    subject: str | None
    arguments: tuple[tuple[str, str], ...]
    caller: str | None
    scheme: str | None
    face: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, which say whether a page is a later, or a filtered one."""
        return tuple(sorted(name for name, _ in self.arguments))

    @property
    def shape(self) -> tuple[object, ...]:
        """What two ways have in common that differ in the interface, and in cursors, alone."""
        values = {name: value for name, value in self.arguments if not is_uuid(value)}
        return self.operation.id, self.subject, self.names, sorted(values.items())

    def argument(self, name: str) -> str | None:
        """The value of an argument; None where it was not sent, or more than once."""
        values = [value for each, value in self.arguments if each == name]
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True)
class Answer:
    """The data of a success, and the way they were asked for."""

    exchange: Exchange
    way: Way
    data: Any
    result: ToolResult | None = None
    beside: tuple[Any, ...] = ()
    """Other data in the same result, such as its text where that differs from its structure."""

    def where(self, *path: str | int) -> Location:
        """A place in the data; the result of a tool as a whole where they are a text in it."""
        if self.result is None:
            return body("data", *path)
        place = self.result.located(*path) if self.data is self.result.data else self.result.where
        return replace(place, exchange="")

    def located(self, *path: str | int) -> Location:
        """The same place, in this exchange."""
        return replace(self.where(*path), exchange=self.exchange.id)

    @property
    def others(self) -> tuple["Answer", ...]:
        """The data beside these, as answers."""
        return tuple(replace(self, data=each) for each in self.beside)

    @property
    def cursor(self) -> object:
        """That of the next page; None where there is none."""
        return self.data.get("nextCursor") if isinstance(self.data, dict) else None

    @property
    def records(self) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
        """The records in the data, each with its path."""
        if not self.way.operation.is_list:
            if isinstance(self.data, dict):
                yield (), self.data
            return
        items = self.data.get("items") if isinstance(self.data, dict) else None
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                yield ("items", index), item


@dataclass(frozen=True)
class Request:
    """What was asked for, and the exchange with what came; `result` is that of a tool."""

    exchange: Exchange
    way: Way
    result: ToolResult | None = None

    @property
    def is_served(self) -> bool:
        """Whether it was a success."""
        return self.exchange.status == 200 if self.result is None else self.result.is_served

    @property
    def is_rejected(self) -> bool:
        """Whether it was an error."""
        if self.result is not None:
            return self.result.is_rejected
        return self.exchange.status is not None and self.exchange.status >= BAD_REQUEST

    @property
    def place(self) -> Location:
        """Where the response decides between success and error."""
        return STATUS_LINE if self.result is None else replace(self.result.located(), exchange="")


def of(exchange: Exchange, contract: Contract) -> Answer | None:
    """What an exchange of either interface has shown; None where it is no success of a read."""
    return shown(request(exchange, contract))


def shown(asked: Request | None) -> Answer | None:
    """What a request was shown; None where it is no success of a read."""
    if asked is None or asked.way.operation.writes or not asked.is_served:
        return None
    exchange, way, result = asked.exchange, asked.way, asked.result
    if result is None:
        return None if exchange.data is MISSING else Answer(exchange, way, exchange.data)
    beside = tuple(each for each in result.further if each != result.data)
    return Answer(exchange, way, result.data, result, beside)


def request(exchange: Exchange, contract: Contract) -> Request | None:
    """What an exchange of either interface has asked for; None where nobody can know."""
    if exchange.response is None or exchange.response.is_unreadable:
        return None
    return _over_http(exchange, contract) if exchange.in_contract else _by_tool(exchange, contract)


def _over_http(exchange: Exchange, contract: Contract) -> Request | None:
    subjects = list(exchange.call.path.values())
    url = unquote(exchange.request.url) if subjects else ""
    if not all(each in url for each in subjects):
        return None
    subject = subjects[0] if subjects else None
    operation = contract.operation(exchange.operation)
    way = Way(operation, subject, exchange.call.query, exchange.credential, exchange.scheme, HTTP)
    return Request(exchange, way)


def _by_tool(exchange: Exchange, contract: Contract) -> Request | None:
    call = tool_call.read(exchange)
    operation = contract.operations.get(call.tool) if call else None
    if call is None or operation is None:
        return None
    try:
        result = tool_result.read(exchange, call.number)
    except Inconclusive:
        return None
    way = Way(operation, *_arguments(call, operation), exchange.credential, exchange.scheme, TOOL)
    return Request(exchange, way, result)


def _arguments(
    call: ToolCall, operation: Operation
) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    named = {each.name: call.argument(each.name) for each in operation.parameters}
    given = {name: str(value) for name, value in named.items() if value is not None}
    in_path = [each.name for each in operation.parameters if each.location == "path"]
    subjects = [given.pop(name) for name in in_path if name in given]
    return subjects[0] if subjects else None, tuple(given.items())
