"""The conditions of a request: what a defect may depend on, derived from one exchange."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from conformance.contract import openapi
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.http.exchange import Exchange, parse
from conformance.http.outgoing import HEADERS

NOT_APPLICABLE = "-"
"""The value of a dimension that an exchange does not have, such as the page size of a record."""

DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "face": ("http", "tool"),
    "scheme": ("api-key", "bearer", "none"),
    "operation": tuple(openapi.load().operations),
    "caller": (
        "primary",
        "colleague",
        "outsider",
        "lacking",
        "no-review-role",
        "throttled",
        "expired",
        "revoked",
        "forged",
        "nobody",
    ),
    "arguments": ("none", "limit", "cursor", "one filter", "two filters", "body", "other"),
    "spelling": ("lower case", "upper case"),
    "page size": ("unstated", "1", "2-24", "25", "26-99", "100", "out of range"),
    "position": ("first page", "later page"),
    "headers": ("usual", "other"),
    "decoration": (
        "none",
        "unknown parameter",
        "parameter twice",
        "percent-encoded",
        "language",
        "headers in another order",
        "two credentials",
    ),
    "amount": ("no item", "one item", "several items"),
}
"""The dimensions, each with its values."""

UNKNOWN = "unknownParameter"
"""The name of a parameter that no operation has."""
CREDENTIALS = frozenset({"x-api-key", "authorization"})
FORGED = frozenset({"unknown", "near-miss"})
SIZES = ((1, "1"), (24, "2-24"), (25, "25"), (99, "26-99"), (100, "100"))
"""The largest size of each range."""

Conditions = Mapping[str, str]


def conditions(exchange: Exchange) -> Conditions:
    """The value of each dimension; empty for requests that belong to no operation."""
    message = _tool_call(exchange)
    arguments = dict(exchange.call.query) if message is None else dict(message)
    operation = openapi.load().operations.get(exchange.operation)
    if operation is None:
        return {}
    ids = [*exchange.call.path.values(), *map(str, arguments.values())]
    return {
        "face": "http" if message is None else "tool",
        "scheme": exchange.scheme or "none",
        "operation": operation.id,
        "caller": _caller(exchange),
        "arguments": _arguments(arguments, operation, has_body=exchange.call.body is not None),
        "spelling": _spelling(ids),
        "headers": _headers(exchange, is_tool=message is not None),
        "decoration": _decoration(exchange, operation, arguments, is_tool=message is not None),
        **_of_list(operation, arguments, exchange, is_tool=message is not None),
    }


def _tool_call(exchange: Exchange) -> Mapping[str, Any] | None:
    """The arguments of a tool call; None for a request over HTTP."""
    if exchange.request.method != "POST" or exchange.request.url.endswith("/approve"):
        return None
    document, _ = parse(exchange.request.body or b"")
    parameters = document.get("params") if isinstance(document, dict) else None
    arguments = parameters.get("arguments") if isinstance(parameters, dict) else None
    return arguments if isinstance(arguments, dict) else {}


def _caller(exchange: Exchange) -> str:
    name = exchange.credential
    if name is None:
        return "nobody"
    return "forged" if name in FORGED else name.partition(".")[0]


def _arguments(arguments: Mapping[str, Any], operation: Operation, *, has_body: bool) -> str:
    """The kind of the arguments beside the ids of the path; a filter counts more than a cursor."""
    names = [name for name in arguments if f"{{{name}}}" not in operation.path]
    filters = [name for name in names if name.endswith("Id")]
    if operation.writes:
        return "body" if has_body or names else "none"
    if filters:
        return "two filters" if len(filters) > 1 else "one filter"
    kinds = (kind for kind in ("cursor", "limit") if kind in names)
    return next(kinds, "other" if names else "none")


def _spelling(ids: list[str]) -> str:
    uuids = [id for id in ids if is_uuid(id) and re.search("[a-f]", id, re.IGNORECASE)]
    if not uuids:
        return NOT_APPLICABLE
    return "upper case" if any(id != id.lower() for id in uuids) else "lower case"


def _headers(exchange: Exchange, *, is_tool: bool) -> str:
    sent = dict(exchange.request.headers)
    media_type = sent.get("content-type", "application/json")
    is_usual = is_tool or sent.get("accept", "application/json") == "application/json"
    return "usual" if is_usual and media_type == "application/json" else "other"


def _decoration(
    exchange: Exchange, operation: Operation, arguments: Mapping[str, Any], *, is_tool: bool
) -> str:
    """What a request has that the contract gives no meaning to; the first kind of it."""
    names = [name for name, _ in exchange.call.query]
    headers = [name for name, _ in exchange.request.headers]
    usual = [name for name, _ in HEADERS if name in headers]
    path = exchange.request.url.partition("?")[0]
    found = {
        "two credentials": CREDENTIALS.issubset(headers),
        "parameter twice": len(names) > len({name.removesuffix("[]") for name in names}),
        "unknown parameter": not operation.writes and UNKNOWN in arguments,
        "percent-encoded": is_uuid(unquote(path).rpartition("/")[2]) and "%" in path,
        "language": "accept-language" in headers,
        "headers in another order": not is_tool and [*filter(usual.count, headers)] != usual,
    }
    return next((name for name, is_so in found.items() if is_so), "none")


def _of_list(
    operation: Operation, arguments: Mapping[str, Any], exchange: Exchange, *, is_tool: bool
) -> Conditions:
    if not operation.is_list:
        return dict.fromkeys(("page size", "position", "amount"), NOT_APPLICABLE)
    return {
        "page size": _size(str(arguments.get("limit", ""))),
        "position": "later page" if "cursor" in arguments else "first page",
        "amount": NOT_APPLICABLE if is_tool else _amount(exchange),
    }


def _size(limit: str) -> str:
    if not limit:
        return "unstated"
    if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit[:9]) <= SIZES[-1][0]:
        return "out of range"
    return next(name for largest, name in SIZES if int(limit) <= largest)


def _amount(exchange: Exchange) -> str:
    if exchange.status != 200:
        return NOT_APPLICABLE
    return ("no item", "one item", "several items")[min(len(exchange.items), 2)]
