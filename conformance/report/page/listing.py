"""A body laid out in lines: what matters is shown whole, the rest is counted, and nothing of it is changed."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markupsafe import Markup, escape

from conformance.report.page.text import short, visible

Path = tuple[str | int, ...]
"""A place in a JSON value: names of members and indices."""

LONGEST_TEXT = 2_000
LONGEST_STRING = 160
MOST_LINES = 160
MOST_MEMBERS = 40
MOST_ITEMS = 2
DEEPEST = 7
WIDTH = 60


class Members(list[tuple[str, Any]]):
    """A JSON object as it was written: in its order, with names that stand twice."""


class Number(str):
    """A JSON number as it was written."""

    __slots__ = ()


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

    def is_on_the_way(self, path: Path) -> bool:
        """Whether a mark is here or below."""
        return any(mark[: len(path)] == path for mark in self.marks)


def parse(text: str) -> Any:
    """A JSON text with nothing lost of how it was written. Raises ValueError, and RecursionError where it is too deep."""
    return json.loads(
        text, object_pairs_hook=Members, parse_int=Number, parse_float=Number, parse_constant=Number
    )


def text_of(body: Mapping[str, Any] | None) -> str | None:
    """A recorded body as text; None where there is none, or no text in it."""
    return body.get("text") if body else None


def markup(
    body: Mapping[str, Any] | None, marks: Mapping[Path, str], *, whole: str | None = None
) -> Markup:
    """A recorded body ({text} or {base64}, see evidence) as lines of HTML; `whole` says what is wrong with all of it."""
    lines = list(islice(_lines(body, marks, whole), MOST_LINES))
    if len(lines) == MOST_LINES:
        lines[-1] = Line(0, "… and more, in report.json", cut=True)
    return Markup("\n").join(map(_shown, lines))


def _shown(line: Line) -> Markup:
    text = escape("  " * line.depth + visible(line.text))
    if line.note is not None:
        return Markup('<mark>{}<span class="note"> ← {}</span></mark>').format(
            text, visible(line.note)
        )
    return Markup("<i>{}</i>").format(text) if line.cut else text


def _lines(
    body: Mapping[str, Any] | None, marks: Mapping[Path, str], whole: str | None
) -> Iterator[Line]:
    text = text_of(body)
    if text is None:
        yield Line(0, _told(body), cut=True)
    else:
        yield from _text(text, marks, whole)
    if body and "padding" in body:
        yield Line(0, f"… followed by {body['padding']:,} blanks", cut=True)
    if body and "length" in body:
        yield Line(0, f"… {body['length']:,} bytes in all", cut=True)


def _told(body: Mapping[str, Any] | None) -> str:
    return f"no text; in base64: {short(body['base64'], LONGEST_STRING)}" if body else "no body"


def _text(text: str, marks: Mapping[Path, str], whole: str | None) -> Iterator[Line]:
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        for line in short(text, LONGEST_TEXT).split("\n") if text else []:
            yield Line(0, line, whole)
        if not text:
            yield Line(0, "an empty body", whole, cut=True)
        return
    yield from _value(value, (), "", View(marks))


def _value(value: Any, path: Path, head: str, view: View) -> Iterator[Line]:
    """A value under its name (`head`), one line or several."""
    note = view.marks.get(path)
    children = _children(value)
    inline = _scalar(value) if children is None else _inline(value, path, view)
    if inline is not None:
        yield Line(len(path), head + inline, note)
        return
    opening, closing = "{}" if isinstance(value, Members) else "[]"
    yield Line(len(path), head + opening, note)
    yield from _inner(value, path, view)
    yield Line(len(path), closing)


def _inner(value: list[Any], path: Path, view: View) -> Iterator[Line]:
    # Of a list with something wrong in it, only what is wrong needs room.
    most = (
        MOST_MEMBERS if isinstance(value, Members) else 0 if _has_marks(path, view) else MOST_ITEMS
    )
    left_out = 0
    for number, (key, name, child) in enumerate(_children(value) or ()):
        if number >= most and not view.is_on_the_way((*path, key)):
            left_out += 1
            continue
        yield from _gap(left_out, path)
        left_out = 0
        yield from _value(child, (*path, key), name, view)
    yield from _gap(left_out, path)


def _gap(left_out: int, path: Path) -> Iterator[Line]:
    if left_out:
        yield Line(len(path) + 1, f"… {left_out:,} more", cut=True)


def _has_marks(path: Path, view: View) -> bool:
    return any(len(mark) > len(path) and mark[: len(path)] == path for mark in view.marks)


def _children(value: Any) -> list[tuple[str | int, str, Any]] | None:
    """What a value holds: (its place, its name as it is shown, itself); None where it is no container."""
    if isinstance(value, Members):
        return [(name, f"{_scalar(name)}: ", child) for name, child in value]
    if isinstance(value, list):
        return [(index, "", child) for index, child in enumerate(value)]
    return None


def _inline(value: list[Any], path: Path, view: View) -> str | None:
    """A container on one line: where it is small, or too deep to be looked into."""
    if _has_marks(path, view):
        return None
    opening, closing = "{}" if isinstance(value, Members) else "[]"
    if len(path) >= DEEPEST:
        return f"{opening} … {len(value):,} … {closing}" if value else opening + closing
    children = _children(value) or []
    if len(children) > 4 or any(isinstance(child, list) for _, _, child in children):
        return None
    text = opening + ", ".join(name + _scalar(child) for _, name, child in children) + closing
    return text if len(text) <= WIDTH else None


def _scalar(value: Any) -> str:
    if isinstance(value, Number):
        return short(value, LONGEST_STRING)
    if isinstance(value, str) and len(value) > LONGEST_STRING:
        return f'{json.dumps(value[:LONGEST_STRING], ensure_ascii=False)[:-1]}…" ({len(value):,} characters)'
    return json.dumps(value, ensure_ascii=False)
