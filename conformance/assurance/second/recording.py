"""The reader of a recording: exchanges.jsonl and target.json as a history."""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import inf
from sys import intern
from typing import Any
from urllib.parse import parse_qsl

import orjson

from conformance.assurance.second import contract as contracts
from conformance.assurance.second import exchange as exchanges
from conformance.assurance.second.contract import Contract, Operation
from conformance.assurance.second.exchange import UNKNOWN, UUID, Body, Caller, Exchange
from conformance.assurance.second.history import History

CREDENTIALS = frozenset({"x-api-key", "authorization"})
NO_MEANING = frozenset({
    "accept", "accept-encoding", "content-length", "content-type", "traceparent", "user-agent",
    "x-conformance-exchange",
})  # fmt: skip
"""Headers that an ordinary request may have beside its credential."""

NOTED = frozenset({"content-type", "retry-after", "www-authenticate"})
"""Headers of a response that something is stated about."""
LONGEST_HEADER = 100
"""Characters that say what such a header has to say."""

SEGMENT = re.compile("[A-Za-z0-9_~-]+")
"""A path segment that no server reads in another way."""


class Malformed(ValueError):
    """Evidence that no run has written."""


def read(content: bytes, target: Mapping[str, Any]) -> History:
    """The exchanges of exchanges.jsonl with operations, over HTTP. Raises Malformed.

    `target` is the document of target.json.
    """
    known, elsewhere = contracts.load(), dict[str, float]()
    try:
        secrets = dict(_secrets(target))
        found = []
        for line in _lines(content):
            stated = orjson.loads(line)
            exchange = _exchange(line, stated, known, target, secrets)
            if exchange is not None:
                found.append(exchange)
            else:
                _note(elsewhere, stated)
    except (LookupError, TypeError, AttributeError, ValueError) as problem:
        raise Malformed(f"{type(problem).__name__}: {problem}") from None
    return History(known, target, found, elsewhere)


def _lines(content: bytes) -> Iterator[memoryview]:
    """The lines of a recording, none of which is copied."""
    whole, start = memoryview(content), 0
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        yield whole[start:end]
        start = end


def _note(elsewhere: dict[str, float], stated: Mapping[str, Any]) -> None:
    for id in UUID.findall((stated["request"]["body"] or {}).get("text", "").lower()):
        elsewhere[id] = min(stated["started"], elsewhere.get(id, inf))


def _secrets(target: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Caller]]:
    """The callers by the header and value that stand for their secrets."""
    for name, schemes in target["credentials"].items():
        for scheme, secret in schemes.items():
            yield _header(scheme, secret["variable"]), Caller(name, scheme)
    for scheme, variable in (("api-key", "UNKNOWN_API_KEY"), ("bearer", "UNKNOWN_BEARER")):
        yield _header(scheme, variable), Caller(UNKNOWN, scheme)


def _header(scheme: str, variable: str) -> tuple[str, str]:
    if scheme == "api-key":
        return "x-api-key", f"${variable}"
    return "authorization", f"Bearer ${variable}"


def _exchange(
    line: memoryview,
    stated: Mapping[str, Any],
    contract: Contract,
    target: Mapping[str, Any],
    secrets: Mapping[tuple[str, str], Caller],
) -> Exchange | None:
    """The exchange of a line; None where it is not one with an operation, or has no response."""
    request, response = stated["request"], stated.get("response")
    path, _, query = request["url"].partition("?")
    place = _place(contract, request["method"], path, target["base-url"])
    if place is None or response is None or "$" in request["url"]:
        return None
    operation, subject = place
    arguments = parse_qsl(query, keep_blank_values=True)
    headers = [(name, value) for name, value in request["headers"]]
    callers = [secrets.get(pair) for pair in headers if pair[0] in CREDENTIALS]
    sent = _body(line, "request", request["body"]) if request["body"] else None
    is_plain = (
        len(callers) < 2
        and None not in callers
        and _is_unambiguous(headers, arguments)
        and _is_of_type(operation, dict(headers), has_body=sent is not None)
    )
    return Exchange(
        id=stated["id"],
        item=intern(stated["item"]),
        operation=operation,
        subject=subject,
        query=arguments,
        sent=sent,
        caller=callers[0] if is_plain and callers else None,
        is_plain=is_plain,
        is_superseded=stated.get("superseded", False),
        status=response["status"],
        headers=_noted(response["headers"]),
        body=_body(line, "response", response["body"]),
        began=stated["started"],
        ended=stated["started"] + stated["elapsed"],
    )


def _is_unambiguous(
    headers: Sequence[tuple[str, str]], arguments: Sequence[tuple[str, str]]
) -> bool:
    """Whether every header has a meaning that is known here, and no parameter comes twice."""
    names = [name for name, _ in arguments]
    has_usual_headers = {name for name, _ in headers} <= NO_MEANING | CREDENTIALS
    return has_usual_headers and len(set(names)) == len(names)


def _noted(headers: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Of each noted header the first one."""
    return {name: value[:LONGEST_HEADER] for name, value in reversed(headers) if name in NOTED}


def _place(
    contract: Contract, method: str, path: str, base_url: str
) -> tuple[Operation, str | None] | None:
    """The operation that a path belongs to, and the id in it."""
    below = path.removeprefix(base_url)
    if below == path:
        return None
    for operation in contract.operations.values():
        match = operation.pattern.fullmatch(below)
        if match and operation.method == method:
            subject = match[1] if operation.subject else None
            return (operation, subject) if _is_clear(subject) else None
    return None


def _is_clear(subject: str | None) -> bool:
    return subject is None or SEGMENT.fullmatch(subject) is not None


def _is_of_type(operation: Operation, headers: Mapping[str, str], *, has_body: bool) -> bool:
    """Whether the media type of the request, and those that it accepts, are the usual ones."""
    wanted = headers.get("accept", "*/*") in {"*/*", "application/json"}
    return wanted and (
        headers.get("content-type") == "application/json"
        if has_body and not operation.is_read
        else not has_body and operation.is_read
    )


def _body(line: memoryview, message: str, stated: Mapping[str, Any]) -> Body:
    content = exchanges.content(stated)
    octets = content if isinstance(content, bytes) else content.encode()
    length = stated.get("length", len(octets) + stated.get("padding", 0))
    digest = blake2b(octets, digest_size=16).digest()
    return Body(digest, length, "length" not in stated, line, message)
