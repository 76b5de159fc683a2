"""Recorded bodies parsed with nothing lost of how they were written, and places in them."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.pointer import Path
from conformance.http.server_sent_events import json_text
from conformance.report.document_types import BodyEntry, ResponseEntry

UNPARSED = object()
"""The result for a body that is not JSON."""


class Members(list[tuple[str, Any]]):
    """A JSON object as it was written: in its order, with names that occur twice."""


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


@functools.lru_cache(maxsize=8)
def parse(text: str) -> Any:
    """A JSON text as Members, lists, Numbers and other values; UNPARSED if it is not JSON.

    Nobody changes what it returns: each defect of a body asks for the same text again.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=Members,
            parse_int=Number,
            parse_float=Number,
            parse_constant=Number,
        )
    except (ValueError, RecursionError):
        return UNPARSED


def end_of_json(text: str) -> int:
    """The index of the first character with which a text is no JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos
    except (ValueError, RecursionError):  # a number or a nesting that is too long to be read
        pass
    return 0


def text_of(body: BodyEntry | None) -> str | None:
    """A recorded body as text; None if there is none, or if it is binary."""
    return body.get("text") if body else None


def read(response: ResponseEntry) -> BodyEntry:
    """The body of a recorded response as it is read: of a stream, the event that responds."""
    body = response["body"]
    text = text_of(body)
    return body if text is None else {**body, "text": json_text(_media_type(response), text)}


def _media_type(response: Mapping[str, Any]) -> str | None:
    return next((value for name, value in response["headers"] if name == "content-type"), None)


def parsed(response: ResponseEntry) -> Any:
    """The body of a recorded response, see `parse`."""
    return parse(text_of(read(response)) or "")


def value(response: ResponseEntry | None, otherwise: Any) -> Any:
    """The JSON value of a recorded response; `otherwise` where there is none, or none to parse."""
    try:
        return json.loads(text_of(read(response)) or "") if response else otherwise
    except (ValueError, RecursionError):
        return otherwise


def resolved(value: Any, names: Sequence[str]) -> tuple[Path, tuple[str, ...]]:
    """The part of a pointer's path that exists in a parsed body, and the names that do not."""
    path: list[str | int] = []
    for number, name in enumerate(names):
        held = _child(value, name)
        if held is None:
            return tuple(path), tuple(names[number:])
        step, value = held
        path.append(step)
    return tuple(path), ()


def _child(value: Any, name: str) -> tuple[str | int, Any] | None:
    if isinstance(value, Members):
        return next(((name, child) for key, child in reversed(value) if key == name), None)
    if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
        return int(name), value[int(name)]
    return None


def objects(value: Any, deepest: int, path: Path = ()) -> Iterator[tuple[Path, Members]]:
    """Every JSON object in a parsed body with its path, down to a depth."""
    if len(path) > deepest:
        return
    if isinstance(value, Members):
        yield path, value
        for name, child in value:
            yield from objects(child, deepest, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from objects(child, deepest, (*path, index))
