"""One line of text for a terminal, in parts that may be shown each in its own way.

Whatever a target has sent may stand in it, so no character that cannot be seen is left as it is.
"""

import json
from collections.abc import Iterable, Sequence

Span = tuple[str, str]
"""A piece of a line and its part in it: bad, warn, good, strong, dim, or nothing in particular ("")."""


def plain(line: Sequence[Span]) -> str:
    """A line without its parts."""
    return "".join(text for text, _ in line)


def visible(line: Iterable[Span]) -> list[Span]:
    """A line in which control characters, invisible ones and those that turn the direction of writing are spelled out."""
    return [
        (text if text.isprintable() else "".join(map(_spelled, text)), part) for text, part in line
    ]


def _spelled(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def short(text: str, longest: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= longest else f"{text[:longest]}…"
