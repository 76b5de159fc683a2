"""Calls that have to be rejected, by tool and over HTTP, for the checks of their errors."""

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.contract.openapi import Operation
from conformance.http.exchange import Call, Exchange
from conformance.rules.tool_result import ToolResult
from conformance.runner.facts import fact_name
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.tools.toolbox import Toolbox, arguments_of
from conformance.target.target import Credential


@dataclass(frozen=True)
class Rejection:
    """The result of a tool that has to be an error, and the response to the same request."""

    by_tool: ToolResult
    over_http: Exchange


def rejections(operation: Operation, live: Live) -> list[Rejection]:
    """A call with a wrong argument, one for what does not exist, and one without the permission."""
    name = fact_name("tool-rejections", operation.id)
    return live.fact(name, lambda own: list(_found(operation, own)))


def again(operation: Operation, live: Live) -> list[Rejection]:
    """The same calls, made now."""
    return list(_found(operation, live))


def _found(operation: Operation, live: Live) -> Iterator[Rejection]:
    toolbox, callers = Toolbox(live), live.callers
    for purpose, (call, credential) in _requests(operation, live).items():
        scheme = _scheme(toolbox, credential)
        arguments = arguments_of(call)
        by_tool = toolbox.call(operation, arguments, credential, scheme, purpose=purpose)
        yield Rejection(by_tool, callers.send(call, credential, scheme, purpose=purpose))


def _requests(operation: Operation, live: Live) -> dict[str, tuple[Call, Credential]]:
    call, primary = live.call(operation), live.callers.credential("primary")
    found = {}
    if operation.is_list:
        found["one argument is wrong"] = (call.asking(limit="0"), primary)
    if call.path:
        unknown = call.at(**{parameter_of(operation): live.made_up(operation.id)})
        found["what does not exist"] = (unknown, primary)
    lacking = live.session.target.lacking(operation.permission)
    if lacking is not None:
        found["a caller without the permission"] = (call, lacking)
    return found


def _scheme(toolbox: Toolbox, credential: Credential) -> str:
    """The scheme that lists the tools, if the caller has it."""
    scheme = toolbox.scheme
    return scheme if scheme in credential.schemes else credential.schemes[0]
