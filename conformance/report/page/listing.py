"""A body laid out in lines: what matters is shown completely, the rest is counted."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markupsafe import Markup, escape

from conformance.contract.pointer import Path
from conformance.report.document_types import BodyEntry
from conformance.report.recorded_body import UNPARSED, Members, Number, parse, text_of
from conformance.report.text import short_with_length, visible

LONGEST_TEXT = 2_000
LONGEST_STRING = 160
MOST_LINES = 160
MOST_MEMBERS = 40
MOST_ITEMS = 2
MOST_INLINE = 4
DEEPEST = 7
WIDTH = 60


@dataclass(frozen=True)
class Line:
    """One line; `note` says what is wrong in it, `cut` that it stands for what is left out."""

    depth: int
    text: str
    note: str | None = None
    cut: bool = False


@dataclass(frozen=True)
class View:
    """What to look at: `marks` are the wrong places with what is wrong there."""

    marks: Mapping[Path, str] = field(default_factory=dict)

    def leads_to_mark(self, path: Path) -> bool:
        """Whether a mark is here or below."""
        return any(mark[: len(path)] == path for mark in self.marks)

    def has_marks_below(self, path: Path) -> bool:
        """Whether a mark is below."""
        return any(len(mark) > len(path) and mark[: len(path)] == path for mark in self.marks)


def markup(
    body: BodyEntry | None, marks: Mapping[Path, str], *, whole: str | None = None
) -> Markup:
    """A recorded body as lines of HTML; `whole` says what is wrong with all of it."""
    lines = list(islice(_lines(body, marks, whole), MOST_LINES))
    if len(lines) == MOST_LINES:
        lines[-1] = Line(0, "… and more, in report.json", cut=True)
    return Markup("\n").join(map(_markup, lines))


def _markup(line: Line) -> Markup:
    text = escape("  " * line.depth + visible(line.text))
    if line.note is not None:
        marked = Markup('<mark>{}<span class="note"> ← {}</span></mark>')
        return marked.format(text, visible(line.note))
    return Markup("<i>{}</i>").format(text) if line.cut else text


def _lines(body: BodyEntry | None, marks: Mapping[Path, str], whole: str | None) -> Iterator[Line]:
    text = text_of(body)
    if text is not None:
        yield from _text(text, marks, whole)
    elif body:
        shown = short_with_length(body["base64"], LONGEST_STRING)
        yield Line(0, f"no text; in base64: {shown}", cut=True)
    else:
        yield Line(0, "no body", cut=True)
    if body and "padding" in body:
        yield Line(0, f"… followed by {body['padding']:,} blanks", cut=True)
    if body and "length" in body:
        yield Line(0, f"… {body['length']:,} bytes in all", cut=True)


def _text(text: str, marks: Mapping[Path, str], whole: str | None) -> Iterator[Line]:
    value = parse(text)
    if value is not UNPARSED:
        yield from _value(value, (), "", View(marks))
    elif not text:
        yield Line(0, "an empty body", whole, cut=True)
    else:
        for line in short_with_length(text, LONGEST_TEXT).split("\n"):
            yield Line(0, line, whole)


def _value(value: Any, path: Path, head: str, view: View) -> Iterator[Line]:
    """A value after its name (`head`), in one line or several."""
    note = view.marks.get(path)
    inline = _inline(value, path, view)
    if inline is not None:
        yield Line(len(path), head + inline, note)
        return
    opening, closing = _brackets(value)
    yield Line(len(path), head + opening, note)
    yield from _children_of(value, path, view)
    yield Line(len(path), closing)


def _children_of(value: list[Any], path: Path, view: View) -> Iterator[Line]:
    most = _most(value, path, view)
    left_out = 0
    for number, (key, name, child) in enumerate(_children(value)):
        if number >= most and not view.leads_to_mark((*path, key)):
            left_out += 1
            continue
        yield from _gap(left_out, path)
        left_out = 0
        yield from _value(child, (*path, key), name, view)
    yield from _gap(left_out, path)


def _most(value: list[Any], path: Path, view: View) -> int:
    """How many children are shown whether or not they are marked."""
    if isinstance(value, Members):
        return MOST_MEMBERS
    return 0 if view.has_marks_below(path) else MOST_ITEMS


def _gap(left_out: int, path: Path) -> Iterator[Line]:
    if left_out:
        yield Line(len(path) + 1, f"… {left_out:,} more", cut=True)


def _brackets(value: list[Any]) -> tuple[str, str]:
    return ("{", "}") if isinstance(value, Members) else ("[", "]")


def _children(value: list[Any]) -> list[tuple[str | int, str, Any]]:
    """The contents of a container: key or index, the name as it is shown, and value."""
    if isinstance(value, Members):
        return [(name, f"{_scalar(name)}: ", child) for name, child in value]
    return [(index, "", child) for index, child in enumerate(value)]


def _inline(value: Any, path: Path, view: View) -> str | None:
    """A value in one line: a scalar, and a container that is small or too deep; else None."""
    if not isinstance(value, list):
        return _scalar(value)
    if view.has_marks_below(path):
        return None
    opening, closing = _brackets(value)
    if len(path) >= DEEPEST:
        return f"{opening} … {len(value):,} … {closing}" if value else opening + closing
    children = _children(value)
    if len(children) > MOST_INLINE or any(isinstance(child, list) for _, _, child in children):
        return None
    text = opening + ", ".join(name + _scalar(child) for _, name, child in children) + closing
    return text if len(text) <= WIDTH else None


def _scalar(value: Any) -> str:
    if isinstance(value, Number):
        return short_with_length(value, LONGEST_STRING)
    if isinstance(value, str) and len(value) > LONGEST_STRING:
        start = json.dumps(value[:LONGEST_STRING], ensure_ascii=False).removesuffix('"')
        return f'{start}…" ({len(value):,} characters)'
    return json.dumps(value, ensure_ascii=False)
