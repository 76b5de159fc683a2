"""Connections that end without a response."""

from collections.abc import Mapping
from typing import Any

from starlette.types import Receive, Scope

from conformance.reference.serve import TRANSPORT


async def sever(scope: Scope, receive: Receive) -> None:
    """Close the connection of a request; the server has to be severable."""
    state: Mapping[str, Any] = scope["state"]
    state[TRANSPORT].abort()
    while (await receive())["type"] != "http.disconnect":
        pass  # the rest of a body that nobody needs
