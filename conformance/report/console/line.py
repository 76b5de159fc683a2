"""One line of text for a terminal, in spans with a style each."""

from collections.abc import Iterable, Sequence

from conformance.report import text

Span = tuple[str, str]
"""A piece of a line and its style: bad, warn, good, strong, dim, or none ("")."""


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
