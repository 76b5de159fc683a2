"""Recorded traffic: the entries of an HTTP archive as exchanges that the rules can check."""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson

from conformance.contract import published
from conformance.contract.openapi import Contract, Operation
from conformance.http.address import below
from conformance.http.budget import MOST_VALUES, RESPONSE, values
from conformance.http.content_coding import bounded
from conformance.http.exchange import Call, Cut, Exchange, Request, Response
from conformance.http.secrecy import MASK
from conformance.storage import json_text, regular_file

if TYPE_CHECKING:
    from jsonschema_rs import Validator

SECRETS = frozenset({"authorization", "proxy-authorization", "x-api-key", "cookie", "set-cookie"})


UNRECORDED = "the body was not recorded"

LONGEST_URL = 65_536
"""Characters of an address that calls an operation; that of a picture in a page may be longer."""

LONGEST_SHOWN = 2_000
"""Characters of an address that calls none."""

LARGEST = 96 * regular_file.MIB
"""Bytes of an archive: browsers write large ones, and reading takes up four times as much."""

MOST_HEADERS = 1_000
"""Of one message: servers accept about a hundred, and each finding searches all of its own."""

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}  # as some programs write what there is not
_HEADERS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name", "value"],
        "properties": {"name": _TEXT, "value": _TEXT},
    },
}
_REQUEST = {
    "type": "object",
    "required": ["method", "url", "headers"],
    "properties": {
        "method": _TEXT,
        "url": {"type": "string", "format": published.URL},
        "headers": _HEADERS,
        "postData": {"type": ["object", "null"], "properties": {"text": _TEXT_OR_NULL}},
    },
}
_RESPONSE = {
    "type": "object",
    "required": ["status", "headers", "content"],
    "properties": {
        "status": {"type": "integer", "minimum": 0, "maximum": 999},
        "headers": _HEADERS,
        "content": {
            "type": "object",
            "properties": {"text": _TEXT_OR_NULL, "encoding": _TEXT_OR_NULL},
        },
    },
}
_ENTRY = {
    "type": "object",
    "required": ["request", "response"],
    "properties": {
        "request": _REQUEST,
        "response": _RESPONSE,
        "startedDateTime": _TEXT_OR_NULL,
        "time": {"type": ["number", "null"], "maximum": 10**12},
    },
}
_ARCHIVE = {
    "type": "object",
    "required": ["log"],
    "properties": {
        "log": {
            "type": "object",
            "required": ["entries"],
            "properties": {"entries": {"type": "array"}},
        }
    },
}
ENTRIES = ("log", "entries")
"""Where an archive (HAR 1.2) has what is read of it."""

LARGEST_EXPLAINED = regular_file.MIB
"""Bytes of an entry that is said to be wrong in some place: an error has a copy of its value."""


class TrafficError(ValueError):
    """The file is not an HTTP archive; str() has the reason."""


@dataclass(frozen=True)
class Traffic:
    """The exchanges of an archive.

    `strangers` are the requests ("METHOD URL") that call no operation, `secrets` the credentials of
    all requests, which an archive holds as they were sent.
    """

    exchanges: tuple[Exchange, ...]
    strangers: tuple[str, ...]
    secrets: frozenset[str]


def load(path: Path, base_url: str, contract: Contract) -> Traffic:
    """The exchanges of a file. Raises TrafficError."""
    try:
        content = regular_file.read(path, LARGEST, follow=True)
    except OSError as problem:
        raise TrafficError(str(problem.strerror)) from None
    return read(content, base_url, contract)


def read(content: bytes, base_url: str, contract: Contract) -> Traffic:
    """The exchanges of an HTTP archive (HAR 1.2). Raises TrafficError if it is not one."""
    try:
        entries = _entries(json_text.parse(json_text.without_halves(content)))
    except (json_text.JsonError, published.Malformed) as problem:
        raise TrafficError(f"not an HTTP archive (HAR): {problem}") from None
    callers: dict[str, str] = {}
    exchanges, strangers, secrets = list[Exchange](), list[str](), set[str]()
    for number, entry in enumerate(_emptied(entries), start=1):
        secrets.update(_secrets(entry))
        request = entry["request"]
        match = _operation(request, base_url, contract)
        if match:
            exchange = _exchange(number, *match, entry)
            exchanges.append(replace(exchange, credential=_caller(request, callers)))
        else:
            strangers.append(f"{request['method']} {request['url'][:LONGEST_SHOWN]}")
    return Traffic(tuple(exchanges), tuple(strangers), frozenset(secrets))


def _emptied(entries: list[Any]) -> Iterator[Any]:
    """The entries in their order; each gives its memory back to the exchange that it becomes."""
    entries.reverse()
    while entries:
        yield entries.pop()


def _entries(archive: Any) -> list[Any]:
    """The entries of an archive, each of which is looked at by itself. Raises Malformed."""
    published.check(_outline(archive, *ENTRIES), published.validator(_ARCHIVE))
    entries: list[Any] = archive["log"]["entries"]
    for number, entry in enumerate(entries):
        if not _entry().is_valid(entry):
            place = "/".join(("", *ENTRIES, str(number)))
            if len(orjson.dumps(entry)) > LARGEST_EXPLAINED:
                raise published.Malformed(f"{place}: no entry, and too large to say why")
            published.check(entry, _entry(), place)
    return entries


def _outline(value: Any, *names: str) -> Any:
    """A value with these names alone, one within the other, and nothing in the innermost one."""
    if isinstance(value, list):
        return []
    if not isinstance(value, dict):
        return value
    return {name: _outline(value[name], *names[1:]) for name in names[:1] if name in value}


@cache
def _entry() -> "Validator":
    return published.validator(_ENTRY)


def _operation(
    request: Mapping[str, Any], base_url: str, contract: Contract
) -> tuple[Operation, dict[str, str]] | None:
    sent = (request.get("postData") or {}).get("text") or ""
    if len(request["url"]) > LONGEST_URL or values(sent.encode()) > MOST_VALUES:
        return None
    path = below(base_url, request["url"].partition("#")[0].partition("?")[0])
    if path is None:
        return None
    found = contract.operation_at(request["method"].upper(), path)
    if found is None:
        return None
    operation, parameters = found
    return operation, {name: unquote(value) for name, value in parameters.items()}


def _exchange(
    number: int, operation: Operation, path: dict[str, str], entry: Mapping[str, Any]
) -> Exchange:
    request, response = entry["request"], entry["response"]
    body = (request.get("postData") or {}).get("text")
    request_body = None if body is None else body.encode()
    query = tuple(parse_qsl(urlsplit(request["url"]).query, keep_blank_values=True))
    received = _response(response) if response["status"] else None
    return Exchange(
        item="traffic",
        number=number,
        call=Call(operation.id, path, query, request_body),
        purpose=entry.get("startedDateTime") or "",
        credential=None,
        scheme=None,
        request=Request(
            request["method"].upper(), request["url"], tuple(_headers(request)), request_body
        ),
        response=received,
        failure=None if received else "no response was recorded",
        started=_started(entry),
        elapsed=(entry.get("time") or 0) / 1000,
    )


def _caller(request: Mapping[str, Any], known: dict[str, str]) -> str | None:
    """A name for whoever has sent the credentials of a request, which are not kept."""
    sent = [(header["name"].lower(), header["value"]) for header in request["headers"]]
    secrets = sorted(pair for pair in sent if pair[0] in SECRETS)
    if not secrets:
        return None
    return known.setdefault(repr(secrets), f"caller {len(known) + 1}")


def _started(entry: Mapping[str, Any]) -> float:
    """When a request was sent, in seconds since 1970; 0 where the archive does not say it."""
    try:
        return datetime.fromisoformat(str(entry.get("startedDateTime"))).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _response(recorded: Mapping[str, Any]) -> Response:
    content, headers = recorded["content"], tuple(_headers(recorded))
    if _is_recorded(content, recorded.get("bodySize")):
        body, cut = bounded(_content(content))
        return Response(recorded["status"], headers, body, cut)
    return Response(recorded["status"], headers, cut=Cut(0, "", UNRECORDED, RESPONSE))


def _is_recorded(content: Mapping[str, Any], transferred: object) -> bool:
    """Whether the body is in the archive: many leave it out, or put it into another file.

    Without a text it is empty only where its size says so, and nothing else the contrary.
    """
    if content.get("text"):
        return True
    sizes = content.get("size", None if content.get("text") is None else 0), transferred or 0
    return sizes == (0, 0)


def _headers(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if len(message["headers"]) > MOST_HEADERS:
        raise TrafficError(f"a message has more than {MOST_HEADERS:,} headers")
    for header in message["headers"]:
        name = header["name"].lower()
        yield name, MASK if name in SECRETS else str(header["value"])


def _secrets(entry: Mapping[str, Any]) -> Iterator[str]:
    """What the credentials of an entry consist of: keys, tokens, the values of cookies."""
    for message in (entry["request"], entry["response"]):
        for header in message.get("headers", ()):
            name, value = header["name"].lower(), str(header["value"])
            if name in SECRETS:
                yield value
                yield value.rpartition(" ")[2]
                yield value.partition(";")[0].partition("=")[2]
            if name == "cookie":
                yield from (part.partition("=")[2] for part in value.split(";"))


def _content(content: Mapping[str, Any]) -> bytes:
    text = content.get("text") or ""
    if content.get("encoding") != "base64":
        return str(text).encode()
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise TrafficError("a body is marked as base64, but is not base64") from None
