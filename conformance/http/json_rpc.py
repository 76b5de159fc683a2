"""JSON-RPC messages in the responses of a tool interface (streamable HTTP)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin, urlsplit

from conformance.http import server_sent_events
from conformance.http.exchange import Exchange, parse

REDIRECTS = frozenset({307, 308})
"""Statuses that ask for the same request at another address."""
FAILURE_CODES = frozenset({0, *range(-32700, -32599)})
"""Codes that JSON-RPC reserves for errors of a request or a server, and 0, which many crashes have.

Servers use other codes to reject a caller.
"""


def response_to(exchange: Exchange, number: object) -> dict[str, Any]:
    """The JSON-RPC response to a request, from JSON or an event stream; {} if there is none."""
    for message in messages(exchange):
        if isinstance(message, dict) and _responds(message, number):
            return message
    return {}


def _responds(message: Mapping[str, Any], number: object) -> bool:
    # A server may send requests of its own in the same stream, with ids of its own.
    is_result = message.get("id") == number and "result" in message
    return is_result or "error" in message


def is_failure(exchange: Exchange, message: Mapping[str, Any]) -> bool:
    """Whether the response is a failure of the service, not the rejection of a caller."""
    error = message.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    has_other_result = exchange.status == 200 and isinstance(message.get("result"), dict)
    return exchange.status == 500 or code in FAILURE_CODES or has_other_result


def is_event_stream(exchange: Exchange) -> bool:
    """Whether the body of a response is a stream of server-sent events."""
    assert exchange.response is not None
    return server_sent_events.is_event_stream(exchange.response.header("content-type"))


def messages(exchange: Exchange) -> Iterator[Any]:
    """Every JSON value in a response: its body, or the events of a stream."""
    if exchange.response is None:
        return
    if not is_event_stream(exchange):
        yield exchange.json
        return
    for data in server_sent_events.data_of_events(exchange.body.decode("utf-8", "replace")):
        value = parse(data)[0]
        yield from value if isinstance(value, list) else (value,)  # some versions allow batches


def redirect_target(exchange: Exchange, url: str) -> str | None:
    """The same address with or without a slash at its end, if a redirect names that; else None.

    Routers add one this way. No target decides where a request goes: neither to another host, nor
    to an operation.
    """
    if exchange.response is None or exchange.status not in REDIRECTS:
        return None
    location = exchange.response.header("location")
    with suppress(ValueError):  # a location may have any form
        target = urljoin(url, location) if location else None
        return target if target is not None and _slashless(target) == _slashless(url) else None
    return None


def _slashless(url: str) -> tuple[str, ...]:
    scheme, host, path, query, fragment = urlsplit(url)
    return scheme, host, path.rstrip("/"), query, fragment


def older_version(message: Mapping[str, Any], requested: str) -> str | None:
    """The latest supported version before the requested one that an error response names."""
    error = message.get("error")
    data = error.get("data") if isinstance(error, dict) else None
    supported = data.get("supported") if isinstance(data, dict) else None
    if not isinstance(supported, list):
        return None
    versions = [version for version in supported if isinstance(version, str)]
    return max((version for version in versions if version < requested), default=None)
