"""A recorded message to the tool interface, read so that no server can read another one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.contract import api, openapi
from conformance.rules.tool_call import METHOD as CALL

METHODS = frozenset(
    {"initialize", "notifications/initialized", "server/discover", "tools/list", CALL}
)
"""What the suite sends to a tool interface."""


class Unreadable(ValueError):
    """A body is no message to the tool interface, or one that two servers may read differently."""


@dataclass(frozen=True)
class ToolMessage:
    """A JSON-RPC message: its method, and the tool with its arguments where it calls one."""

    method: str
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None

    @property
    def is_of_the_suite(self) -> bool:
        """Whether the suite sends such messages: others may call tools that the contract lacks."""
        is_call = self.method == CALL
        return self.method in METHODS and is_call is (self.tool in openapi.load().operations)

    @property
    def review(self) -> str | None:
        """The review that it would approve; "" where it names none, None for other messages."""
        if self.tool != api.load().approval.id:
            return None
        return str((self.arguments or {}).get(api.load().approved_id, ""))


def read(text: str) -> ToolMessage:
    """The message in the text of a body. Raises Unreadable."""
    try:
        document = json.loads(text, object_pairs_hook=_unambiguous)
        params = document.get("params", {})
        if document["jsonrpc"] != "2.0" or not isinstance(document["method"], str):
            raise Unreadable("no JSON-RPC 2.0")
        tool, arguments = params.get("name"), params.get("arguments")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Unreadable("no message to the tool interface") from None
    return ToolMessage(
        document["method"],
        tool if isinstance(tool, str) else None,
        arguments if isinstance(arguments, dict) else None,
    )


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Of two equal names some parsers take the first, and some match names in any letter case.
    if len({name.casefold() for name, _ in pairs}) < len(pairs):
        raise Unreadable("a property has its name twice")
    return dict(pairs)
