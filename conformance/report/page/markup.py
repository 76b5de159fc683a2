"""The lines of a body as HTML."""

from collections.abc import Mapping

from markupsafe import Markup, escape

from conformance.contract.pointer import Path
from conformance.report import listing
from conformance.report.document_types import BodyEntry
from conformance.report.listing import Line
from conformance.report.text import visible


def markup(
    body: BodyEntry | None, marks: Mapping[Path, str], *, whole: str | None = None
) -> Markup:
    """A recorded body as lines of HTML; `whole` says what is wrong with all of it."""
    return Markup("\n").join(map(_markup, listing.lines(body, marks, whole=whole)))


def _markup(line: Line) -> Markup:
    text = escape("  " * line.depth + visible(line.text))
    if line.note is not None:
        marked = Markup('<mark>{}<span class="note"> ← {}</span></mark>')
        return marked.format(text, visible(line.note))
    return Markup("<i>{}</i>").format(text) if line.cut else text
