"""JSON-RPC messages in the responses of a tool interface (streamable HTTP)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin, urlsplit

from conformance.http.exchange import Exchange, parse

EVENT_STREAM = "text/event-stream"
MOST_EVENTS = 10_000
"""Events of one response that are read: a stream may be one of blank lines, or of pings."""

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
    content_type = exchange.response.header("content-type") or ""
    return content_type.split(";")[0].strip().lower() == EVENT_STREAM


def messages(exchange: Exchange) -> Iterator[Any]:
    """Every JSON value in a response: its body, or the events of a stream."""
    if exchange.response is None:
        return
    if not is_event_stream(exchange):
        yield exchange.json
        return
    text = exchange.body.decode("utf-8", "replace")
    events = text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n", MOST_EVENTS)
    for event in filter(_has_data, events[:MOST_EVENTS]):
        value = parse(_data_of_event(event))[0]
        yield from value if isinstance(value, list) else (value,)  # some versions allow batches


def _has_data(event: str) -> bool:
    return "data:" in event


def _data_of_event(event: str) -> str:
    data = (line[5:] for line in event.split("\n") if line.startswith("data:"))
    return "\n".join(line.removeprefix(" ") for line in data)


def redirect_target(exchange: Exchange, url: str) -> str | None:
    """The address on the same host that a redirect names; None if there is none.

    Routers add a slash this way. A credential is never sent to another host.
    """
    if exchange.response is None or exchange.status not in REDIRECTS:
        return None
    location = exchange.response.header("location")
    with suppress(ValueError):  # a location may have any form
        target = urljoin(url, location) if location else None
        is_same_host = target is not None and urlsplit(target)[:2] == urlsplit(url)[:2]
        return target if is_same_host else None
    return None


def older_version(message: Mapping[str, Any], requested: str) -> str | None:
    """The latest supported version before the requested one that an error response names."""
    error = message.get("error")
    data = error.get("data") if isinstance(error, dict) else None
    supported = data.get("supported") if isinstance(data, dict) else None
    if not isinstance(supported, list):
        return None
    versions = [version for version in supported if isinstance(version, str)]
    return max((version for version in versions if version < requested), default=None)
