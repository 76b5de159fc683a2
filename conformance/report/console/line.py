"""One line of text for a terminal, in spans with a style each."""

import re
from collections.abc import Iterable, Iterator, Sequence

from conformance.report import text

Span = tuple[str, str]
"""A piece of a line and its style: bad, warn, good, strong, dim, none (""), or "laid-out".

A line that begins with a laid-out span is a command or a body: it is never wrapped.
"""

LAID_OUT = "laid-out"
LABEL = 15
"""Columns of a label in front of a text, which is wrapped beside it."""

WORD = re.compile(r"\s*\S+\s*$|\s*\S+(?=\s)")
ASCII = str.maketrans(
    {"←": "<-", "…": "...", "·": "-", "≥": ">=", "±": "+-", "“": '"', "”": '"', "µ": "u"}
)


def plain(line: Sequence[Span]) -> str:
    """The text of a line."""
    return "".join(piece for piece, _ in line)


def visible(line: Iterable[Span]) -> list[Span]:
    """A line without invisible characters, see report.text, and without a workflow command."""
    shown = [(text.visible(piece), style) for piece, style in line]
    if plain(shown).lstrip().startswith("::"):  # GitHub Actions would obey the line
        start = next(index for index, (piece, _) in enumerate(shown) if piece.strip())
        piece, style = shown[start]
        shown[start] = (piece.replace(":", r"\u003a", 1), style)
    return shown


def shown(one: str) -> str:
    """A text as one line without a style, made visible."""
    return plain(visible([(one, "")]))


def in_ascii(line: Iterable[Span]) -> list[Span]:
    """A line with ASCII in place of the symbols of the report; texts of the target stay."""
    return [(piece.translate(ASCII), style) for piece, style in line]


def label(name: str) -> Span:
    """The label in front of a text."""
    return f"  {name:{LABEL - 2}}", "dim"


def wrapped(line: Sequence[Span], width: int) -> Iterator[list[Span]]:
    """A line in as many lines as it takes; no word is broken, and a longer one overhangs."""
    if not line or line[0][1] == LAID_OUT or len(plain(line)) <= width:
        yield list(line)
        return
    indent = " " * _hanging(line)
    current: list[Span] = []
    used = 0
    for piece, style in line:
        for word in WORD.findall(piece):
            if used + len(word.rstrip()) > width and used > len(indent):
                yield current
                current, used = [(indent, "")], len(indent)
                current.append((word.lstrip(), style))
                used += len(word.lstrip())
            else:
                current.append((word, style))
                used += len(word)
    yield current


def _hanging(line: Sequence[Span]) -> int:
    """The column in which the second line begins."""
    first = line[0][0]
    if len(first) == LABEL and line[0][1] == "dim":
        return LABEL
    return len(first) - len(first.lstrip()) + 2
