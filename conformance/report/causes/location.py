"""The place in a response where a finding is, as far as it can be told from what the finding says."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.report.page.listing import Members, Number, Path, parse, text_of

HEADERS = {
    "response/content-type": "content-type",
    "limits/retry-after": "retry-after",
    "authentication/challenge": "www-authenticate",
}
PLACES: Mapping[str, Path] = {
    "envelope/data": ("data",),
    "envelope/request-id": ("requestId",),
    "error/object": (),
    "error/code": ("code",),
    "error/request-id": ("requestId",),
    "error/message": ("message",),
    "error/title": ("title",),
    "page/items": ("data", "items"),
    "page/next-cursor": ("data", "nextCursor"),
    "page/next-cursor-present": ("data", "nextCursor"),
    "approval/result-revision": ("data", "subjectRevision"),
}
NAMED = re.compile(r"'([^']{1,200})'|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE)
EXTRA = re.compile(
    r"Additional properties are not allowed \((.*) (?:was|were) unexpected\)", re.DOTALL
)
ABSENT = re.compile(r'"([^"]*)" is a required property')
HERE = "here"


@dataclass(frozen=True)
class Spot:
    """What to mark: the status line, a header, places in the JSON body, or the body as a whole; nothing where it cannot be told."""

    status: bool = False
    header: str | None = None
    marks: Mapping[Path, str] = field(default_factory=dict)
    body: str | None = None


def find(requirement: str, message: str, expected: str, response: Mapping[str, Any] | None) -> Spot:
    """The spot that a finding of this requirement speaks of in a recorded response."""
    if response is None:
        return Spot()
    if requirement in HEADERS:
        return Spot(header=HEADERS[requirement])
    if requirement == "response/json":
        return Spot(body="no JSON")
    body = _body(response)
    if requirement in PLACES and body is not None:
        return Spot(marks=_place(body, PLACES[requirement]))
    found = _fault(message, body) if body is not None else {}
    if found:
        return Spot(marks=found)
    if re.search(rf"(?<![\w-]){response['status']}(?![\w-])", message):
        return Spot(status=True)
    return Spot(marks=_named(message, expected, body))


def _body(response: Mapping[str, Any]) -> Any:
    try:
        return parse(text_of(response["body"]) or "")
    except (ValueError, RecursionError):
        return None


def _member(value: Any, key: str | int) -> tuple[Any, ...]:
    """What stands at a name or an index, as (value,); () where nothing does."""
    if isinstance(value, Members):
        return next(((child,) for name, child in reversed(value) if name == key), ())
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return (value[key],)
    return ()


def _at(value: Any, path: Path) -> tuple[Any, ...]:
    found: tuple[Any, ...] = (value,)
    for key in path:
        found = _member(found[0], key)
        if not found:
            break
    return found


def _place(body: Any, path: Path) -> dict[Path, str]:
    """The place, or where it ought to be: the last part of the way that there is."""
    if _at(body, path):
        return {path: HERE}
    length = max(length for length in range(len(path)) if _at(body, path[:length]))
    return {path[:length]: f"no {path[length]}"}


def _records(body: Any) -> Iterator[tuple[Path, Any]]:
    """The records of a success: `data`, or each of its items."""
    items = _at(body, ("data", "items"))
    if items and isinstance(items[0], list) and not isinstance(items[0], Members):
        yield from ((("data", "items", index), item) for index, item in enumerate(items[0]))
    elif data := _at(body, ("data",)):
        yield ("data",), data[0]


def _fault(message: str, body: Any) -> dict[Path, str]:
    """The first record of which a message `path: what is wrong` is true."""
    where, _, told = message.partition(": ")
    path: Path = (
        ()
        if where == "the record"
        else tuple(int(part) if part.isdigit() else part for part in where.split("."))
    )
    for start, record in _records(body):
        held = _at(record, path)
        if not held:
            continue
        if extra := EXTRA.fullmatch(told):
            names = [name for name in re.findall(r"'([^']*)'", extra[1]) if _member(held[0], name)]
            if names:
                return {(*start, *path, name): "not allowed" for name in names}
        elif absent := ABSENT.fullmatch(told):
            if not _member(held[0], absent[1]):
                return {(*start, *path): f"no {absent[1]}"}
        elif told.startswith(f"{_written(held[0])} "):
            return {(*start, *path): HERE}
    return {}


def _written(value: Any) -> str:
    if isinstance(value, str) and not isinstance(value, Number):
        return f'"{value}"'
    return (
        {True: "true", False: "false", None: "null"}.get(value, str(value))
        if not isinstance(value, list)
        else "\0"
    )


def _named(message: str, expected: str, body: Any) -> dict[Path, str]:
    """The first value in the body that the message names and that was not expected."""
    names = {(quoted or bare).lower() for quoted, bare in NAMED.findall(message)} - {
        expected.lower()
    }
    names -= {(quoted or bare).lower() for quoted, bare in NAMED.findall(expected)}
    found = (
        next((path for path, value in _leaves(body, ()) if value.lower() in names), None)
        if names
        else None
    )
    return {} if found is None else {found: HERE}


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Members):
        for name, child in value:
            yield from _leaves(child, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _leaves(child, (*path, index))
    elif isinstance(value, str):
        yield path, value
