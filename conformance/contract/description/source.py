"""A parsed description as plain values, with the line of every key and item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = "dict[str, Any]"
Lines: TypeAlias = dict[int, dict[str | int, int]]
"""By the `id` of a mapping or list: the line, from 1, of each of its keys or indices."""

MOST_LEVELS = 100
"""Levels of nesting that a description may have."""


class SourceError(ValueError):
    """The text is not a usable description.

    `message` is a predicate ("is not valid JSON: …"). `line` counts from 1, and is None where the
    whole text is meant.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class UnbundledError(SourceError):
    """The description refers to other documents."""


class TooLargeError(SourceError):
    """The text takes more than a description may use; nothing is wrong with it otherwise."""


@dataclass(frozen=True)
class Source:
    """A parsed text; `document` is its outermost mapping."""

    document: Json
    _lines: Mapping[int, Mapping[str | int, int]] = field(repr=False)

    def line(self, container: object, key: str | int) -> int | None:
        """The line, from 1, of a key or an index; None for values that come from no text."""
        return self._lines.get(id(container), {}).get(key)


def parsed(document: Json) -> Source:
    """A document that comes from no text; it has no lines."""
    return Source(document, {})


def nested_too_deeply(line: int) -> SourceError:
    """The error for a text with more than MOST_LEVELS levels."""
    return SourceError(f"has more than {MOST_LEVELS} levels of nesting", line)
