"""A body laid out in lines: what matters is shown, the rest is counted.

The page and the terminal render these lines; they differ in the extent alone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from conformance.contract.pointer import Path
from conformance.report.document_types import BodyEntry
from conformance.report.recorded_body import (
    UNPARSED,
    Members,
    Number,
    end_of_json,
    parse,
    text_of,
)
from conformance.report.text import short_with_length

MOST_INLINE = 4
IDENTITY = "id"
"""The property that is shown of every object: it says which record it is."""


@dataclass(frozen=True)
class Extent:
    """How much of a body is shown.

    `members` and `items` are the properties and items that are shown of an object and an array
    without a mark. `neighbours` are the properties on each side of a marked one, and what a marked
    container holds is shown one level deep; with None everything is.
    """

    lines: int
    members: int
    items: int
    text: int
    string: int
    width: int
    neighbours: int | None = None
    deepest: int = 7


PAGE = Extent(lines=160, members=40, items=2, text=2_000, string=160, width=60)


Child = tuple[str | int, str, Any]
"""The key or index of a value in its container, its name as it is shown, and the value."""


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
    extent: Extent = PAGE

    def leads_to_mark(self, path: Path) -> bool:
        """Whether a mark is here or below."""
        return any(mark[: len(path)] == path for mark in self.marks)

    def is_beside_the_point(self, path: Path) -> bool:
        """Whether what a container holds is not marked: beside a mark, or below a marked one.

        Shown in full it could fill the excerpt before the mark comes.
        """
        has_marks = bool(self.marks) and self.extent.neighbours is not None
        return has_marks and not self.leads_to_mark(path)

    def steps_to_marks(self, path: Path) -> set[str | int]:
        """The keys and indexes of what a container holds that lead to a mark."""
        below = (mark for mark in self.marks if len(mark) > len(path))
        return {mark[len(path)] for mark in below if mark[: len(path)] == path}


def lines(
    body: BodyEntry | None,
    marks: Mapping[Path, str],
    *,
    whole: str | None = None,
    extent: Extent = PAGE,
) -> list[Line]:
    """The lines of a recorded body; `whole` says what is wrong with all of it."""
    view = View(marks, extent)
    found = list(islice(_lines(body, view, whole), extent.lines))
    if len(found) == extent.lines:
        found[-1] = Line(0, "… and more, in report.json", cut=True)
    return found


def _lines(body: BodyEntry | None, view: View, whole: str | None) -> Iterator[Line]:
    text = text_of(body)
    if text is not None:
        yield from _text(text, view, whole)
    elif body:
        shown = short_with_length(body["base64"], view.extent.string)
        yield Line(0, f"no text; in base64: {shown}", cut=True)
    else:
        yield Line(0, "no body", cut=True)
    if body and "padding" in body:
        yield Line(0, f"… followed by {body['padding']:,} blanks", cut=True)
    if body and "length" in body:
        yield Line(0, f"… {body['length']:,} bytes in all", cut=True)


def _text(text: str, view: View, whole: str | None) -> Iterator[Line]:
    value = parse(text)
    if value is not UNPARSED:
        yield from _value(value, (), ("", ""), view)
    elif not text:
        yield Line(0, "an empty body", whole, cut=True)
    else:
        yield from _unparsed(text, view.extent, whole)


def _unparsed(text: str, extent: Extent, note: str | None) -> Iterator[Line]:
    """A text that is no JSON, from shortly before the place where it ceases to be."""
    place = end_of_json(text)
    start = _start(text, place, extent) if note else 0
    if start:
        yield Line(0, f"… {start:,} characters before", cut=True)
    marked = text.count("\n", start, place)
    for number, line in enumerate(short_with_length(text[start:], extent.text).split("\n")):
        yield Line(0, line, note if number == marked else None)


def _start(text: str, place: int, extent: Extent) -> int:
    """Where an excerpt starts that has a place in its first half; 0 where the beginning has it."""
    if place < extent.text // 2 and text.count("\n", 0, place) < extent.lines // 2:
        return 0
    lines = text[max(place - extent.text // 2, 0) : place].split("\n")
    return place - len("\n".join(lines[-(extent.lines // 2) :]))


def _value(value: Any, path: Path, frame: tuple[str, str], view: View) -> Iterator[Line]:
    """A value in one line or several, between its name and its comma (`frame`)."""
    head, comma = frame
    note = view.marks.get(path)
    inline = _inline(value, path, view)
    if inline is not None:
        yield Line(len(path), head + inline + comma, note)
        return
    opening, closing = _brackets(value)
    yield Line(len(path), head + opening, note)
    yield from _children_of(value, path, view)
    yield Line(len(path), closing + comma)


def _children_of(value: list[Any], path: Path, view: View) -> Iterator[Line]:
    children = _children(value)
    shown = _shown(value, children, path, view)
    left_out = 0
    for number, (key, name, child) in enumerate(children):
        if number not in shown:
            left_out += 1
            continue
        yield from _gap(left_out, path)
        left_out = 0
        comma = "," if number + 1 < len(children) else ""
        yield from _value(child, (*path, key), (name, comma), view)
    yield from _gap(left_out, path)


def _shown(value: list[Any], children: Sequence[Child], path: Path, view: View) -> set[int]:
    """The numbers of the children that are shown: the marked ones, and some beside them."""
    numbers = range(len(children))
    is_object = isinstance(value, Members)
    steps = view.steps_to_marks(path)
    if not steps:
        most = view.extent.members if is_object else view.extent.items
        return set(numbers[:most])
    marked = {number for number in numbers if children[number][0] in steps}
    if not is_object:
        return marked
    if view.extent.neighbours is None:
        return marked | set(numbers[: view.extent.members])
    identities = {number for number in numbers if children[number][0] == IDENTITY}
    return marked | identities | set(_beside(marked, view.extent.neighbours)) & set(numbers)


def _beside(marked: set[int], distance: int) -> Iterator[int]:
    for number in marked:
        yield from range(number - distance, number + distance + 1)


def _gap(left_out: int, path: Path) -> Iterator[Line]:
    if left_out:
        yield Line(len(path) + 1, f"… {left_out:,} more", cut=True)


def _brackets(value: list[Any]) -> tuple[str, str]:
    return ("{", "}") if isinstance(value, Members) else ("[", "]")


def _children(value: list[Any]) -> list[Child]:
    """The contents of a container: key or index, the name as it is shown, and value."""
    if isinstance(value, Members):
        return [(name, f"{_scalar(name, PAGE.string)}: ", child) for name, child in value]
    return [(index, "", child) for index, child in enumerate(value)]


def _inline(value: Any, path: Path, view: View) -> str | None:
    """A value in one line: a scalar, and a container that is small or too deep; else None."""
    if not isinstance(value, list):
        is_marked = path in view.marks
        return _scalar(value, view.extent.text if is_marked else view.extent.string)
    if view.steps_to_marks(path):
        return None
    is_too_deep = len(path) >= view.extent.deepest
    text = None if is_too_deep and value else _small(value, view.extent)
    if text is None and (is_too_deep or view.is_beside_the_point(path)):
        return _collapsed(value, view)
    return text


def _small(value: list[Any], extent: Extent) -> str | None:
    """A container of a few scalars in one line; else None."""
    opening, closing = _brackets(value)
    children = _children(value)
    if len(children) > MOST_INLINE or any(isinstance(child, list) for _, _, child in children):
        return None
    shown = (name + _scalar(child, extent.string) for _, name, child in children)
    text = opening + ", ".join(shown) + closing
    return text if len(text) <= extent.width else None


def _collapsed(value: list[Any], view: View) -> str:
    """What is left of a container that is too deep: the number of its contents, and its id."""
    opening, closing = _brackets(value)
    children = _children(value)
    for key, name, child in children:
        if key == IDENTITY and isinstance(child, str):
            shown = name + _scalar(child, view.extent.string)
            return f"{opening}{shown}, … {len(children) - 1:,} more{closing}"
    return f"{opening} … {len(value):,} … {closing}"


def _scalar(value: Any, longest: int) -> str:
    if isinstance(value, Number):
        return short_with_length(value, longest)
    if isinstance(value, str) and len(value) > longest:
        start = json.dumps(value[:longest], ensure_ascii=False).removesuffix('"')
        return f'{start}…" ({len(value):,} characters)'
    return json.dumps(value, ensure_ascii=False)
