"""JSON Pointers (RFC 6901): one place in a JSON document, as text."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

Path = tuple[str | int, ...]
"""The names and indices that lead to a place, from the root."""

LONGEST_INDEX = 9
"""Digits of an index: no list has as many items."""


def pointer(path: Iterable[str | int]) -> str:
    """The pointer to a place; "" for the whole document."""
    return "".join(f"/{_escaped(str(step))}" for step in path)


def steps(text: str) -> tuple[str, ...]:
    """The names that lead to the place of a pointer; an index is a name of digits."""
    return tuple(map(_unescaped, text.split("/")[1:]))


def referred(reference: object) -> tuple[str, ...] | None:
    """The names that lead to what "#/…" refers to; None for anything else, an anchor too."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    text = unquote(reference[1:])
    return None if text and not text.startswith("/") else steps(text)


def find(root: Any, reference: object) -> Any:
    """The value that "#/…" refers to in a document; None if there is none."""
    path = referred(reference)
    node = root
    for step in path or ():
        if isinstance(node, list) and step.isdecimal() and len(step) < LONGEST_INDEX:
            node = node[int(step)] if int(step) < len(node) else None
        else:
            node = node.get(step) if isinstance(node, dict) else None
    return None if path is None else node


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")
