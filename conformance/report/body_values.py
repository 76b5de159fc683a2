"""Values in the parsed bodies of responses.

It needs the standard library alone: a written test file has the source of these functions, so that
it decides as a replay does.
"""

import json
from collections.abc import Iterator
from typing import Any

ABSENT = object()
"""The value at a place that a body does not have, and that of a body that is no JSON."""


def at(body: Any, pointer: str) -> Any:
    """The value at a JSON Pointer of a body; ABSENT where there is none."""
    try:
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            body = body[int(name)] if isinstance(body, list) else body[name]
    except (ValueError, LookupError, TypeError):
        return ABSENT
    return body


def length(value: Any) -> int:
    """The number of items of an array; 0 for any other value."""
    return len(value) if isinstance(value, list) else 0


def error_bodies(body: Any) -> Iterator[Any]:
    """What may be the error body of a response: the body, or what the result of a tool holds."""
    if at(body, "/result/isError") is not True:
        yield body
        return
    yield at(body, "/result/structuredContent")
    parts = at(body, "/result/content")
    for part in parts if isinstance(parts, list) else ():
        try:
            yield json.loads(part["text"][part["text"].index("{") :])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue


def has_error_text(body: Any, name: str) -> bool:
    """Whether the error result of a tool has a property with a text, or it rejects otherwise."""
    if at(body, "/result/isError") is not True:
        return at(body, "/error") is not ABSENT
    return any(isinstance(at(each, f"/{name}"), str) for each in error_bodies(body))


def have_one_code(*bodies: Any) -> bool:
    """Whether error bodies that have a code have the same one."""
    codes = {at(each, "/code") for body in bodies for each in error_bodies(body)}
    return len({code for code in codes if isinstance(code, str)}) < 2


def is_rejected_call(body: Any) -> bool:
    """Whether a call of a tool is rejected, by an error of JSON-RPC or by its result."""
    return at(body, "/error") is not ABSENT or at(body, "/result/isError") is True
