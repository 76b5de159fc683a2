"""A member that is there after all: under a name that is spelled otherwise, or within another member of the same answer."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.report.page.listing import Members, Path, parse, text_of

ABSENT = re.compile(r'no (\w+)|(?:[^"]*: )?"([^"]*)" is a required property')
EXTRA = re.compile(r"'([^']*)'")
ADDITIONAL = "Additional properties are not allowed"
DEEPEST = 6


def of(message: str, response: Mapping[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """Where what a message misses, or has too much, stands in a response: traces that findings on both have in common.

    `("respelled", path, letters)` is a name with nothing but its letters, `("wrapped", path, "")` the object that holds what is missed.
    """
    try:
        body = parse(text_of(response["body"]) or "")
    except (ValueError, RecursionError):
        return
    missed = ABSENT.fullmatch(message)
    extra = set(EXTRA.findall(message)) if ADDITIONAL in message else set()
    for path, names in _objects(body, ()):
        for name in names:
            if missed and _letters(name) == _letters(missed[1] or missed[2]):
                yield (
                    ("respelled", path, _letters(name))
                    if name != (missed[1] or missed[2])
                    else ("wrapped", path, "")
                )
            if name in extra:
                yield "respelled", path, _letters(name)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _objects(value: Any, path: Path) -> Iterator[tuple[Path, list[str]]]:
    """Every object with the names of its members, the first few levels deep."""
    if len(path) > DEEPEST:
        return
    if isinstance(value, Members):
        yield path, [name for name, _ in value]
        for name, child in value:
            yield from _objects(child, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _objects(child, (*path, index))
