"""Calls of tools as they were sent: the tool, and its arguments by their names over HTTP."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.http.exchange import Exchange, parse

METHOD = "tools/call"
_WORD = b"tools"
"""What every such message has in it, however its slash is escaped."""


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool: `number` is the id of its message, `arguments` are as they were sent."""

    tool: str
    number: object
    arguments: Mapping[str, Any]

    def argument(self, name: str) -> Any:
        """The value of an argument, however its schema spells the name and nests it; None without.

        A value that occurs twice is none: nobody knows which one counts.
        """
        found = self._by_name.get(normalized(name), [])
        return found[0] if len(found) == 1 else None

    @cached_property
    def _by_name(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for name, value in _flat(self.arguments):
            found.setdefault(normalized(name), []).append(value)
        return found


def read(exchange: Exchange) -> ToolCall | None:
    """The call of a tool that a request is; None for any other request."""
    body = exchange.request.body
    # Parsing a body past the limit of an approval would take twelve times its size in memory.
    if exchange.request.method != "POST" or not body or _WORD not in body:
        return None
    message = parse(body)[0]
    if not isinstance(message, dict) or message.get("method") != METHOD:
        return None
    params = message.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("name"), str):
        return None
    given = params.get("arguments", {})
    return ToolCall(params["name"], message.get("id"), given if isinstance(given, dict) else {})


def normalized(name: str) -> str:
    """A name without case and separators: projectId, project_id and project-id are equal."""
    return name.replace("_", "").replace("-", "").lower()


def _flat(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in arguments.items():
        if isinstance(value, dict):
            yield from _flat(value)
        else:
            yield name, value
