"""What a request asks for, by either interface: the operation and its arguments by their roles."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.contract.openapi import Contract, Operation
from conformance.http.exchange import MISSING, Exchange, parse
from conformance.rules import arguments, tool_call
from conformance.rules.answer import HTTP, TOOL
from conformance.rules.tool_call import ToolCall

Roles = Mapping[str, Mapping[str, str]]
"""The roles of the query parameters of each operation, by their names."""

ID = "id"


@dataclass(frozen=True)
class Argument:
    """One argument as it was sent; `role` is None where the contract does not name it."""

    name: str
    role: str | None
    value: Any


@dataclass(frozen=True)
class Asked:
    """A request that calls an operation. `body` is its JSON value, MISSING where it has none."""

    exchange: Exchange
    operation: Operation
    face: str
    arguments: tuple[Argument, ...]
    body: Any = MISSING

    def argument(self, role: str) -> Any:
        """The value of the one argument with a role; None without it, or with several."""
        values = [each.value for each in self.arguments if each.role == role]
        return values[0] if len(values) == 1 else None

    @cached_property
    def subject(self) -> str:
        """The id in the path, in lower case; "" without one."""
        return str(self.argument(ID) or "").lower()

    @property
    def began(self) -> float:
        """When it arrived, in seconds."""
        return self.exchange.started

    @property
    def ended(self) -> float:
        """When it was responded to, in seconds."""
        return self.exchange.started + self.exchange.elapsed


def of(exchange: Exchange, roles: Roles, contract: Contract) -> Asked | None:
    """What an exchange asks for; None where it calls no operation."""
    if exchange.in_contract:
        operation = contract.operations.get(exchange.operation)
        return _over_http(exchange, operation, roles.get(operation.id, {})) if operation else None
    call = tool_call.read(exchange)
    called = contract.operations.get(call.tool) if call else None
    return _by_tool(exchange, called, call) if call and called else None


def _over_http(exchange: Exchange, operation: Operation, roles: Mapping[str, str]) -> Asked:
    in_path = [Argument(name, ID, value) for name, value in exchange.call.path.items()]
    query = [Argument(name, roles.get(name), value) for name, value in exchange.call.query]
    body = MISSING if exchange.request.body is None else parse(exchange.request.body)[0]
    return Asked(exchange, operation, HTTP, (*in_path, *query), body)


def _by_tool(exchange: Exchange, operation: Operation, call: ToolCall) -> Asked:
    names = (arguments.REVISION, arguments.KEY) if operation.writes else ()
    given = {name: call.argument(name) for name in names}
    body = {name: value for name, value in given.items() if value is not None}
    found = tuple(_arguments(operation, call))
    return Asked(exchange, operation, TOOL, found, body if operation.writes else MISSING)


def _arguments(operation: Operation, call: ToolCall) -> Iterator[Argument]:
    for parameter in operation.parameters:
        value = call.argument(parameter.name)
        if value is not None:
            yield Argument(parameter.name, parameter.role, value)
