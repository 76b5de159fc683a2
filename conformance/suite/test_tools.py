"""Tools: the operations under the same identifiers, with the same arguments.

See "What the service does" and "Versioning".
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from conformance.contract.description.probes import PROBES
from conformance.contract.late_imports import ALONE
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call
from conformance.rules.tool_call import normalized
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.tools.channel import Caller
from conformance.suite.tools.rejected_approvals import GUARDS
from conformance.suite.tools.results import require_served
from conformance.suite.tools.schema import (
    argument_paths,
    arranged,
    default_at,
    rejection,
)
from conformance.suite.tools.toolbox import Toolbox, ToolsNotListed

ROUNDS = 3
UUIDS = tuple(str(probe.value) for probe in PROBES if probe.group == "UUID")
"""UUIDs of each version and variant, in upper case, of all zeros and of all f."""


@requirement("tools/listed")
def test_every_operation_is_a_tool(operation: Operation, toolbox: Toolbox) -> None:
    """A caller with every permission is shown a tool for each operation."""
    toolbox.live.callers.credential("primary")
    names = sorted(_listed(toolbox))
    missing = defect(
        Kind.ABSENT,
        "there is no tool {tool}",
        expected="a tool for each operation",
        actual=names,
        tool=operation.id,
    )
    expect.that(operation.id in names, missing)
    for scheme, others in toolbox.lists_by_other_schemes().items():
        violation = defect(
            Kind.ABSENT,
            "there is no tool {tool} by {scheme}",
            expected="a tool for each operation",
            actual=sorted(others),
            tool=operation.id,
            scheme=scheme,
        )
        is_missing = operation.id not in others and _is_served(operation, scheme, toolbox.live)
        expect.that(not is_missing, violation)


def _is_served(operation: Operation, scheme: str, live: Live) -> bool:
    """Whether primary may read by a scheme: one credential of a caller may hold less than another.

    What takes an approval to find out is not judged here.
    """
    if operation.writes:
        return False
    purpose = f"what no tool by {scheme} is for"
    return live.callers.send(live.call(operation), scheme=scheme, purpose=purpose).status == 200


def _listed(toolbox: Toolbox) -> dict[str, Any]:
    """The tools that primary is shown.

    Violation where the list fails repeatedly although the handshake of primary succeeded.
    """
    for number in range(ROUNDS):
        toolbox.live.session.transport.wait(float(number))
        try:
            return toolbox.tools
        except ToolsNotListed as problem:
            if not problem.failed:
                raise
            last = problem
            toolbox.live.callers.baseline(Call("account_get"), scheme=toolbox.scheme)
    failing = defect(Kind.STATUS, "the list of tools keeps failing", expected="the tools")
    raise Violation(failing, exchanges=last.exchanges)


@requirement("tools/arguments")
def test_a_tool_takes_the_arguments_of_its_operation(
    operation: Operation, toolbox: Toolbox
) -> None:
    """The input schema names the parameters of the operation and accepts what they allow."""
    schema = toolbox.tool(operation).get("inputSchema")
    absent = defect(Kind.ABSENT, "the tool has no input schema", expected="an input schema")
    expect.that(isinstance(schema, dict), absent)
    assert isinstance(schema, dict)
    paths = argument_paths(schema)
    named = _named_arguments(operation)
    _check_names(named, paths)
    _check_default(operation, paths, schema)
    is_nested = any(len(paths[normalized(name)]) > 1 for name in named)
    if is_nested:
        return  # the contract does not specify how arguments are nested
    for arguments in _allowed_arguments(operation, toolbox.live):
        _check_accepted(arguments, schema)


def _check_names(named: list[str], paths: dict[str, tuple[str, ...]]) -> None:
    for name in named:
        missing = defect(
            Kind.DECLARED,
            "the input schema does not name {argument}",
            expected="every parameter of the operation",
            argument=name,
        )
        expect.that(normalized(name) in paths, missing.on(name))


def _check_default(
    operation: Operation, paths: dict[str, tuple[str, ...]], schema: dict[str, Any]
) -> None:
    """Violation where the input schema states another default than the contract."""
    for parameter in operation.parameters:
        path = paths.get(normalized(parameter.name))
        if "default" not in parameter.schema or path is None:
            continue
        expected = parameter.schema["default"]
        stated = default_at(path, schema)
        wrong = defect(
            Kind.DECLARED,
            "the input schema states another default of {argument}",
            expected=str(expected),
            actual=stated,
            argument=parameter.name,
        )
        # An optional argument may have null in place of its default.
        expect.that(stated in (None, expected), wrong.on(parameter.name))


def _check_accepted(arguments: dict[str, Any], schema: dict[str, Any]) -> None:
    reason = rejection(arranged(arguments, schema), schema)
    violation = defect(
        Kind.DECLARED,
        "the input schema rejects valid arguments: {reason}",
        expected="a schema that accepts what the contract allows",
        actual=arguments,
        reason=reason,
    )
    expect.that(reason is None, violation)


def _named_arguments(operation: Operation) -> list[str]:
    """The arguments that the contract names."""
    parameters = [each.name for each in operation.parameters if not each.name_is_open]
    return [*parameters, *GUARDS] if operation.writes else parameters


def _allowed_arguments(operation: Operation, live: Live) -> Iterator[dict[str, Any]]:
    """Arguments within the contract: the fewest, UUIDs of every form, and for a list the bounds."""
    id = live.made_up("tool")
    fewest: dict[str, Any] = {parameter_of(operation): id} if "{" in operation.path else {}
    if operation.writes:
        fewest |= {"expectedSubjectRevision": 3, "idempotencyKey": id}
    yield fewest
    named = [each for each in _named_arguments(operation) if each not in ("limit", *GUARDS)]
    yield from ({**fewest, name: uuid} for name in named for uuid in UUIDS)
    if operation.is_list:
        yield from ({**fewest, "limit": limit} for limit in (1, 25, 100))


@requirement("tools/stock-client")
def test_a_stock_client_lists_and_calls_a_tool(toolbox: Toolbox) -> None:
    """The official client of the protocol lists the tools and calls that of the account."""
    operation = toolbox.live.operation("account_get")
    over_http = toolbox.live.callers.baseline(toolbox.live.call(operation), scheme=toolbox.scheme)
    if toolbox.live.session.problems(over_http):
        raise Inconclusive("the response over HTTP violates the contract", exchanges=[over_http.id])
    toolbox.tool(operation)
    require_served(toolbox.call_until_served(operation, {}, "the baseline tool call"))
    for number in range(1, ROUNDS):
        # The client sends each request once; an error of a tool may be transient.
        with suppress(Violation):
            _check_with_stock_client(operation, toolbox)
            return
        toolbox.live.session.transport.wait(float(number))
    _check_with_stock_client(operation, toolbox)


def _check_with_stock_client(operation: Operation, toolbox: Toolbox) -> None:
    with ALONE:  # slow to import, and only of use for a target with tools
        from conformance.suite.tools import sdk_client  # noqa: PLC0415

    primary = Caller.of(toolbox.live.callers.credential("primary"), toolbox.scheme)
    transport = sdk_client.ClientTransport(toolbox, operation, primary)
    arguments = arranged({}, toolbox.tool(operation).get("inputSchema", {}))
    names, result = sdk_client.list_and_call(transport, arguments)
    missing = defect(
        Kind.ABSENT,
        "the official client does not list the tool {tool}",
        expected="a tool for each operation",
        actual=names,
        tool=operation.id,
    )
    expect.that(operation.id in names, missing, *transport.exchanges)
    failed = defect(
        Kind.STATUS, "the official client gets an error result", expected="a successful result"
    )
    expect.that(not result.is_error, failed, transport.exchanges[-1])
