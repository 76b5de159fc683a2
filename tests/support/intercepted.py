"""Requests and responses between a check and the reference, inspected or changed."""

from collections.abc import Callable
from typing import Any

import httpx
import orjson
from altered_target import Send, Spoil, edited

NOBODY = "00000000-0000-4000-8000-000000000000"


def is_of(request: httpx.Request, profile: Any, name: str) -> bool:
    """Whether a request has the credential of this caller."""
    known = profile.credentials[name]
    return {known.secret(scheme) for scheme in known.schemes} & {
        request.headers.get("x-api-key", ""),
        request.headers.get("authorization", "").removeprefix("Bearer "),
    } != set()


def asked(request: httpx.Request) -> dict[str, Any]:
    """The JSON-RPC message of a request; empty if the request has none."""
    message: dict[str, Any] = orjson.loads(request.content) if request.url.path == "/mcp" else {}
    return message


def changed(path: str, change: Callable[[dict[str, Any]], object]) -> Spoil:
    """Change every record in the responses below a path."""

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if not request.url.path.startswith(path) or response.status_code != 200:
            return response
        data = orjson.loads(response.read())["data"]
        for record in data.get("items", [data]):
            change(record)
        return edited(response, lambda document: document.update(data=data))

    return spoil
