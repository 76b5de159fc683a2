"""Cases of schemathesis as calls of the contract.

Cases outside the contract's words are left out: other methods and media types, unknown or repeated
parameters, headers, and path segments that a server in front of the target may change.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any
from urllib.parse import unquote, urlencode

from conformance.contract import openapi
from conformance.contract.openapi import Operation
from conformance.http.exchange import Call

MAX_LENGTH = 1500
"""Characters of path and query. With the base URL they stay below 2,000, a common limit."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
NOT_PASSED_ON = re.compile(r"[/\\%;]")
"""Characters of a path segment that servers split at, decode twice or reject."""


def distinct(calls: Iterable[Call | None]) -> tuple[Call, ...]:
    """Each of the calls once, in their order."""
    return tuple({key(call): call for call in calls if call is not None}.values())


def key(call: Call) -> tuple[object, ...]:
    """What makes two calls the same request."""
    return (call.operation, tuple(call.path.items()), call.query, call.body)


def digest(call: Call) -> bytes:
    """The same in few bytes: a run that goes on for long knows every request that it has sent."""
    return sha256(repr(key(call)).encode("utf-8", "backslashreplace")).digest()[:12]


def call_of(case: Any, id: str) -> Call | None:
    """A case of schemathesis as a call; None if it is left out."""
    operation = openapi.load().operation(id)
    if case.method != operation.method or case.headers or case.cookies:
        return None
    path = {name: _segment(unquote(str(value))) for name, value in case.path_parameters.items()}
    query = _query(case.query, operation)
    if query is None or not {"", ".", ".."}.isdisjoint(path.values()):
        return None
    call = Call(id, path, query)
    if len(operation.path) + len(urlencode([*path.items(), *query])) > MAX_LENGTH:
        return None
    return call if operation.body_schema is None else _carrying(call, case)


def _query(values: Mapping[str, Any], operation: Operation) -> tuple[tuple[str, str], ...] | None:
    """The known query parameters; None if one of them has no single plain value."""
    known = [parameter.name for parameter in operation.parameters if parameter.location == "query"]
    found = {name: values[name] for name in known if name in values}
    texts = {name: _text(value) for name, value in found.items()}
    if None in texts.values():
        return None
    return tuple((name, CONTROL.sub("", text)) for name, text in texts.items() if text is not None)


def _text(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        return _text(value[0])
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool | int | float) or value is None else None


def _segment(text: str) -> str:
    return NOT_PASSED_ON.sub("", CONTROL.sub("", text)).strip()


def _carrying(call: Call, case: Any) -> Call | None:
    if type(case.body).__name__ == "NotSet":
        return call
    if case.media_type != "application/json":
        return None
    if isinstance(case.body, bytes):
        return replace(call, body=case.body)
    try:
        return replace(
            call, body=json.dumps(case.body, ensure_ascii=False, allow_nan=False).encode()
        )
    except ValueError:  # lone surrogates and infinities
        return None
