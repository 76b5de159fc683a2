"""Errors of tools: what their results look like, and that they say what HTTP says (Errors)."""

from collections.abc import Iterator
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, NotApplicable, defect
from conformance.http.exchange import MISSING, Call
from conformance.rules.tool_result import ToolResult
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.pagination import BEGINNING, PAGE
from conformance.suite.tools.filters import cursor_of
from conformance.suite.tools.interfaces import Received
from conformance.suite.tools.rejections import Rejection, again, rejections
from conformance.suite.tools.schema import rejection
from conformance.suite.tools.toolbox import Toolbox, arguments_of

ROUNDS = 2
"""How often the requests are sent again whose codes differ."""
REASONS = frozenset({400, 403, 404, 422})
"""The statuses of the faults that are compared; others have reasons of their own."""


@requirement("tools/output")
def test_the_content_of_a_tool_matches_its_output_schema(
    operation: Operation, toolbox: Toolbox
) -> None:
    """Structured content matches the output schema, also that of an error: clients check it.

    Of a list too, up to its last page, which has no cursor.
    """
    schema = toolbox.tool(operation).get("outputSchema")
    if not isinstance(schema, dict):
        raise NotApplicable(f"the tool {operation.id} has no output schema")
    for rejected in rejections(operation, toolbox.live):
        _check_output(rejected.by_tool, schema)
    call = toolbox.live.call(operation)
    served = [toolbox.require_baseline(operation, arguments_of(call)), *_pages(call, toolbox)]
    if not all(_matches(each, schema) for each in served) and _is_flawed(call, toolbox):
        raise NotApplicable("the data itself violates the contract, as other requirements say")
    for each in served:
        _check_output(each, schema)


def _pages(call: Call, toolbox: Toolbox) -> Iterator[ToolResult]:
    """The longest pages of a list by tool, as many as are read of a pagination's beginning."""
    operation = toolbox.live.operation(call.operation)
    cursor = cursor_of(call, operation, toolbox) if operation.is_list else None
    if cursor is None:
        return
    page = call.asking(limit=str(PAGE))
    for _ in range(BEGINNING):
        result = toolbox.call_as_primary(operation, arguments_of(page), "a page by tool")
        if not result.is_served:
            break
        yield result
        further = Received(result.exchange, result).cursor
        if further is None:
            break
        page = page.asking(**{cursor: further})


def _matches(result: ToolResult, schema: dict[str, Any]) -> bool:
    return result.structured is MISSING or rejection(result.structured, schema) is None


def _is_flawed(call: Call, toolbox: Toolbox) -> bool:
    """Whether the same data violates the contract over HTTP; of a list, on any page of it."""
    live, scheme = toolbox.live, toolbox.scheme
    over_http = [live.callers.baseline(call, scheme=scheme)]
    if live.operation(call.operation).is_list:
        primary = live.callers.credential("primary")
        over_http += live.paginations.read(call, PAGE, primary, scheme).pages
    return any(live.session.problems(each) for each in over_http)


def _check_output(result: ToolResult, schema: dict[str, Any]) -> None:
    if result.structured is MISSING:
        return
    reason = rejection(result.structured, schema)
    violation = defect(
        Kind.DECLARED,
        "the structured content of {outcome} does not match the output schema: {reason}",
        expected="structured content as the tool declares it, or none for an error",
        outcome=result.outcome,
        reason=reason,
    )
    expect.that(reason is None, violation.at(result.where), result.exchange)


@requirement("tools/errors")
def test_a_tool_error_has_the_error_body(operation: Operation, toolbox: Toolbox) -> None:
    """An error result has `code` and `requestId` as strings, as an error over HTTP has."""
    toolbox.tool(operation)
    for each in _errors(operation, toolbox):
        _check_error_body(each.by_tool)


def _errors(operation: Operation, toolbox: Toolbox) -> list[Rejection]:
    """The rejected calls with a result that is an error; NotApplicable where there is none."""
    found = rejections(operation, toolbox.live)
    errors = [each for each in found if each.by_tool.has_error_result]
    if not errors:
        outcome = found[0].by_tool.outcome
        raise NotApplicable(f"{operation.id} returned {outcome}: no result with an error")
    return errors


def _check_error_body(result: ToolResult) -> None:
    body = result.error if isinstance(result.error, dict) else {}
    for name in ("code", "requestId"):
        violation = defect(
            Kind.ABSENT,
            "the error result of a tool has no {property}",
            expected="an error body with code and requestId",
            property=name,
        )
        has_text = isinstance(body.get(name), str)
        expect.that(has_text, violation.on(name).at(result.error_place), result.exchange)


@requirement("tools/error-code")
def test_a_tool_error_has_the_code_of_http(operation: Operation, toolbox: Toolbox) -> None:
    """The same request of the same caller is rejected with the same `code` by both interfaces."""
    toolbox.tool(operation)
    compared = [each for each in _errors(operation, toolbox) if None not in _codes(each)]
    if not compared:
        raise NotApplicable(f"no error of the tool {operation.id} and of HTTP has a code")
    if all(len(set(_codes(each))) == 1 for each in compared):
        return
    toolbox.live.callers.baseline(toolbox.live.call(operation), scheme=toolbox.scheme)
    for each in _errors_again(operation, toolbox):
        by_tool, over_http = _codes(each)
        violation = defect(
            Kind.DIFFERENCE,
            "{request}: the code is {by_tool} by tool, and {over_http} over HTTP",
            expected="one code for one fault",
            actual=by_tool,
            request=each.over_http.purpose,
            by_tool=by_tool,
            over_http=over_http,
        )
        where = violation.at(each.by_tool.error_place)
        expect.that(by_tool == over_http, where, each.over_http, each.by_tool.exchange)


def _errors_again(operation: Operation, toolbox: Toolbox) -> Iterator[Rejection]:
    """The errors whose codes differ each time: a request may meet a transient error."""
    differing = [
        {each.over_http.purpose: each for each in again(operation, toolbox.live) if _differ(each)}
        for _ in range(ROUNDS)
    ]
    first, *others = differing
    yield from (each for name, each in first.items() if all(name in other for other in others))


def _differ(each: Rejection) -> bool:
    codes = _codes(each)
    return None not in codes and len(set(codes)) > 1


def _codes(each: Rejection) -> tuple[str | None, str | None]:
    """The codes of a rejection by tool and over HTTP, where there are any."""
    body = each.over_http.json if each.over_http.status in REASONS else None
    code = body.get("code") if isinstance(body, dict) else None
    return each.by_tool.code, code if isinstance(code, str) else None
