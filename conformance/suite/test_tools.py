"""Tools: the same operations under the same identifiers, which take the same arguments (What the service does, Versioning)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.tools.answers import controlled
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.schema import places, plain, refusal, shape
from conformance.suite.tools.toolbox import Toolbox, Unlisted

ROUNDS = 3


@requirement("tools/listed")
def test_every_operation_is_a_tool(operation: Operation, toolbox: Toolbox) -> None:
    """A caller who may do everything is shown all ten operations."""
    toolbox.live.credential("primary")
    tools = _shown(toolbox)
    told = ", ".join(sorted(tools)) or "no tool"
    expect.that(
        operation.id in tools,
        defect(
            Kind.UNSORTED, f"{operation.id} is not among {told}", expected=f"a tool {operation.id}"
        ),
    )


def _shown(toolbox: Toolbox) -> dict[str, Any]:
    """The tools that primary is shown; Violation where the target has shaken hands with primary, and keeps failing to list them."""
    for number in range(ROUNDS):
        toolbox.live.session.transport.wait(float(number))
        try:
            return toolbox.tools
        except Unlisted as problem:
            if not problem.failed:
                raise
            last = problem
            toolbox.live.control(Call("account_get"), scheme=toolbox.scheme)
    raise Violation(
        defect(Kind.UNSORTED, f"{last.message}, again and again", expected="the tools"),
        exchanges=last.exchanges,
    )


@requirement("tools/arguments")
def test_a_tool_takes_the_arguments_of_its_operation(
    operation: Operation, toolbox: Toolbox
) -> None:
    """The input schema names the parameters that the contract names, flat or nested, and takes what the contract allows."""
    schema = toolbox.tool(operation).get("inputSchema")
    expect.that(
        isinstance(schema, dict),
        defect(Kind.UNSORTED, "the tool has no input schema", expected="an input schema"),
    )
    assert isinstance(schema, dict)
    missing = [name for name in _named(operation) if plain(name) not in places(schema)]
    expect.that(
        not missing,
        defect(
            Kind.UNSORTED,
            f"the input schema does not name {', '.join(missing)}",
            expected=", ".join(_named(operation)),
        ),
    )
    where = places(schema)
    if any(len(where[plain(name)]) > 1 for name in _named(operation)) or not _named(operation):
        return  # what holds nested arguments together is the target's own
    for arguments in _allowed(operation, toolbox.live):
        flaw = refusal(shape(arguments, schema), schema)
        expect.that(
            flaw is None,
            defect(
                Kind.UNSORTED,
                f"the input schema refuses {arguments}: {flaw}",
                expected="a schema that takes what the contract allows",
            ),
        )


@requirement("tools/stock-client")
def test_a_stock_client_lists_and_calls_a_tool(toolbox: Toolbox) -> None:
    """The protocol's official client finds the tool of the account, and gets its data, where a client that asks for little does."""
    operation = toolbox.live.operation("account_get")
    over_http = toolbox.live.control(toolbox.live.call(operation), scheme=toolbox.scheme)
    if toolbox.live.session.problems(over_http):
        raise Inconclusive(
            "what the operation answers breaks the contract already", exchanges=[over_http.id]
        )
    toolbox.tool(operation)
    controlled(toolbox.served_to_primary(operation, {}, "control"))
    for number in range(1, ROUNDS):
        with suppress(
            Violation
        ):  # the client asks once, and a tool's error does not always tell what is over in a moment
            _understood(operation, toolbox)
            return
        toolbox.live.session.transport.wait(float(number))
    _understood(operation, toolbox)


def _understood(operation: Operation, toolbox: Toolbox) -> None:
    from conformance.suite.tools import sdk_client  # noqa: PLC0415 - slow, and of no use without tools

    courier = sdk_client.Courier(
        toolbox, operation, Caller.of(toolbox.live.credential("primary"), toolbox.scheme)
    )
    names, result = sdk_client.converse(
        courier, shape({}, toolbox.tool(operation).get("inputSchema", {}))
    )
    found = f"the client finds {', '.join(names) or 'no tool'}"
    expect.that(
        operation.id in names,
        defect(Kind.UNSORTED, found, expected=f"a tool {operation.id}"),
        *courier.exchanges,
    )
    told = "the client is told that the call has failed"
    expect.that(
        not result.is_error,
        defect(Kind.UNSORTED, told, expected="a result that is no error"),
        courier.exchanges[-1],
    )


def _named(operation: Operation) -> list[str]:
    """The arguments that the contract itself names."""
    body = ["expectedSubjectRevision", "idempotencyKey"] if operation.writes else []
    return [
        parameter.name for parameter in operation.parameters if not parameter.name_is_open
    ] + body


def _allowed(operation: Operation, live: Live) -> Iterator[dict[str, Any]]:
    """Arguments within the contract: as few as may be, and for a list its bounds and its cursor."""
    id = live.made_up("tool")
    least: dict[str, Any] = {parameter_of(operation): id} if "{" in operation.path else {}
    yield (
        {**least, "expectedSubjectRevision": 3, "idempotencyKey": id} if operation.writes else least
    )
    for limit in (1, 25, 100) if operation.is_list else ():
        yield {**least, "limit": limit}
    if operation.is_list and "cursor" in _named(operation):
        yield {**least, "cursor": id}
