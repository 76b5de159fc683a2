"""Calls of a tool that have to be rejected, for the checks of what an error result looks like."""

from collections.abc import Iterator

from conformance.contract.openapi import Operation
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.tools.results import ToolResult
from conformance.suite.tools.toolbox import Arguments, Toolbox, arguments_of


def rejections(operation: Operation, live: Live) -> list[ToolResult]:
    """The results of a call with a wrong argument, and of one without the permission."""
    name = fact_name("tool-rejections", operation.id)
    return live.fact(name, lambda own: list(_calls(operation, Toolbox(own))))


def _calls(operation: Operation, toolbox: Toolbox) -> Iterator[ToolResult]:
    arguments = arguments_of(toolbox.live.call(operation))
    wrong = {**arguments, **_one_wrong(operation, toolbox.live)}
    yield toolbox.call_as_primary(operation, wrong, "one argument is wrong")
    lacking = toolbox.live.session.target.lacking(operation.permission)
    if lacking is not None:
        purpose = "a caller without the permission"
        yield toolbox.call(operation, arguments, lacking, purpose=purpose)


def _one_wrong(operation: Operation, live: Live) -> Arguments:
    """A limit out of range for a list; for a record, an id that nothing has."""
    if operation.is_list:
        return {"limit": 0}
    return {parameter_of(operation): live.made_up(operation.id)}
