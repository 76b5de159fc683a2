"""One line of text for a terminal, in spans with a style each."""

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import east_asian_width

from conformance.http import secrecy
from conformance.report import text

Span = tuple[str, str]
"""A piece of a line and its style: bad, warn, good, strong, dim, none (""), or "laid-out".

A line that begins with a laid-out span is a command or a body: it is never wrapped.
"""

LAID_OUT = "laid-out"
WIDE = frozenset("FW")
"""The East Asian widths of characters that take two columns."""


class Copied(str):
    """A line that people copy, such as a command: it stays one line, however long it is."""

    __slots__ = ()


LABEL = 15
"""Columns of a label in front of a text, which is wrapped beside it."""

WORD = re.compile(r"\s*\S+\s*$|\s*\S+(?=\s)")
ASCII = str.maketrans(
    {"←": "<-", "…": "...", "·": "-", "≥": ">=", "±": "+-", "“": '"', "”": '"', "µ": "u"}
)


def plain(line: Sequence[Span]) -> str:
    """The text of a line; that of a laid-out one stays one line."""
    whole = "".join(piece for piece, _ in line)
    return Copied(whole) if line and line[0][1] == LAID_OUT else whole


def columns(one: str) -> int:
    """The columns of a terminal that a visible text takes."""
    return len(one) + (0 if one.isascii() else sum(map(_is_wide, one)))


def split(one: str, width: int) -> tuple[str, str]:
    """A text in two, of which the first takes at most so many columns."""
    end = max(width, 0)
    while columns(one[:end]) > width > 0:
        end -= -(-(columns(one[:end]) - width) // 2)
    return one[:end], one[end:]


def divided(one: str, width: int, indent: str = "") -> Iterator[str]:
    """A text in parts of so many columns, of which the further ones have an indent."""
    part, rest = split(one, width)
    yield part
    while rest:
        part, rest = split(rest, max(width - len(indent), 2))  # room for a wide character
        yield indent + part


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in WIDE


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
    if not line or line[0][1] == LAID_OUT or columns(plain(line)) <= width:
        yield list(line)
        return
    indent = " " * _hanging(line, width)
    current: list[Span] = []
    used = 0
    for piece, style in line:
        for word in WORD.findall(piece) if piece.strip() else ():
            if used + columns(word.rstrip()) > width and used > len(indent):
                yield current
                current, used = [(indent, "")], len(indent)
                current.append((word.lstrip(), style))
                used += columns(word.lstrip())
            else:
                current.append((word, style))
                used += columns(word)
    yield current


def rows(line: Sequence[Span], width: int) -> Iterator[list[Span]]:
    """The rows of a line on a terminal, which goes on at its edge in the first column by itself.

    There, a text would begin a line. So the longest word is broken as well, and each row but the
    first one is indented; what people copy is left to the terminal.
    """
    whole = plain(line)
    shown = secrecy.redacted(whole)  # as long as no secret is in two rows
    for one in wrapped(line if shown == whole else [(shown, "")], width):
        if not one or line[0][1] == LAID_OUT:
            yield one
        else:
            yield from _broken(one, width, _hanging(line, width))


def _broken(line: Sequence[Span], width: int, indent: int) -> Iterator[list[Span]]:
    row: list[Span] = []
    used = 0
    for piece, style in line:
        part, rest = split(piece, width - used)
        row.append((part, style))
        used += columns(part)
        while rest:
            yield row
            part, rest = split(rest, max(width - indent, 2))  # room for a wide character
            row, used = [(" " * indent, ""), (part, style)], indent + columns(part)
    yield row


def _hanging(line: Sequence[Span], width: int) -> int:
    """The column in which the second line begins, in the left half of the screen."""
    first = line[0][0]
    is_label = len(first) == LABEL and line[0][1] == "dim"
    return min(LABEL if is_label else len(first) - len(first.lstrip()) + 2, width // 2)
