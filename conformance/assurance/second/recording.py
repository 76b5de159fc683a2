"""The reader of a recording: exchanges.jsonl and target.json as a history."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import Any
from urllib.parse import parse_qsl

from conformance.assurance.second import contract as contracts
from conformance.assurance.second.contract import Contract, Operation
from conformance.assurance.second.exchange import UNKNOWN, UUID, Body, Caller, Exchange
from conformance.assurance.second.history import History

NO_MEANING = frozenset({
    "accept", "accept-encoding", "content-length", "content-type", "traceparent", "user-agent",
    "x-conformance-exchange",
})  # fmt: skip
"""Headers that an ordinary request may have beside its credential."""

SEGMENT = re.compile("[A-Za-z0-9_~-]+")
"""A path segment that no server reads in another way."""


class Malformed(ValueError):
    """Evidence that no run has written."""


def read(lines: Iterable[Mapping[str, Any]], target: Mapping[str, Any]) -> History:
    """The exchanges of exchanges.jsonl with operations, over HTTP. Raises Malformed.

    `target` is the document of target.json.
    """
    known, elsewhere = contracts.load(), dict[str, float]()
    try:
        secrets = dict(_secrets(target))
        exchanges = []
        for line in lines:
            found = _exchange(line, known, target, secrets)
            if found is not None:
                exchanges.append(found)
            else:
                _note(elsewhere, line)
    except (LookupError, TypeError, AttributeError, ValueError) as problem:
        raise Malformed(f"{type(problem).__name__}: {problem}") from None
    return History(known, target, exchanges, elsewhere)


def _note(elsewhere: dict[str, float], line: Mapping[str, Any]) -> None:
    for id in UUID.findall((line["request"]["body"] or {}).get("text", "").lower()):
        elsewhere[id] = min(line["started"], elsewhere.get(id, inf))


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
    line: Mapping[str, Any],
    contract: Contract,
    target: Mapping[str, Any],
    secrets: Mapping[tuple[str, str], Caller],
) -> Exchange | None:
    """The exchange of a line; None where it is not one with an operation, or has no response."""
    request, response = line["request"], line.get("response")
    path, _, query = request["url"].partition("?")
    place = _place(contract, request["method"], path, target["base-url"])
    if place is None or response is None or "$" in request["url"]:
        return None
    operation, subject = place
    arguments = parse_qsl(query, keep_blank_values=True)
    headers = [(name, value) for name, value in request["headers"]]
    credentials = [pair for pair in headers if pair[0] in {"x-api-key", "authorization"}]
    callers = [secrets.get(pair) for pair in credentials]
    names = [name for name, _ in arguments]
    sent = request["body"] and _body(request["body"])
    is_plain = (
        len(callers) < 2
        and None not in callers
        and {name for name, _ in headers} <= NO_MEANING | {"x-api-key", "authorization"}
        and len(set(names)) == len(names)
        and _is_of_type(operation, dict(headers), has_body=sent is not None)
    )
    return Exchange(
        id=line["id"],
        item=line["item"],
        operation=operation,
        subject=subject,
        query=arguments,
        sent=sent,
        caller=callers[0] if is_plain and callers else None,
        is_plain=is_plain,
        is_superseded=line.get("superseded", False),
        status=response["status"],
        headers=dict(reversed(response["headers"])),
        body=_body(response["body"]),
        began=line["started"],
        ended=line["started"] + line["elapsed"],
    )


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


def _body(stated: Mapping[str, Any]) -> Body:
    sent = stated["text"].encode() if "text" in stated else base64.b64decode(stated["base64"])
    length = stated.get("length", len(sent) + stated.get("padding", 0))
    return Body(stated.get("text", sent), length, "length" not in stated)
