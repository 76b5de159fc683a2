"""JSON Pointers (RFC 6901): one place in a JSON document, as text."""

from collections.abc import Iterable

Path = tuple[str | int, ...]
"""The names and indices that lead to a place, from the root."""


def pointer(path: Iterable[str | int]) -> str:
    """The pointer to a place; "" for the whole document."""
    return "".join(f"/{_escaped(str(step))}" for step in path)


def steps(text: str) -> tuple[str, ...]:
    """The names that lead to the place of a pointer; an index is a name of digits."""
    return tuple(map(_unescaped, text.split("/")[1:]))


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")
