"""Absent and extra properties that are in the body under another name or in another place."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from conformance.contract.pointer import Path
from conformance.contract.verdict import Kind
from conformance.report.document_types import DefectEntry, ResponseEntry
from conformance.report.recorded_body import Members, objects, parse, read, text_of

DEEPEST = 6


class Misplaced(NamedTuple):
    """A property that is not where it has to be, in the object at `path`.

    `letters` is its name without case and punctuation where it is spelled otherwise, and ""
    where only its place is wrong.
    """

    path: Path
    letters: str


def misplaced(defect: DefectEntry, response: ResponseEntry) -> Iterator[Misplaced]:
    """Where in a response the absent or extra properties of a defect are."""
    names = set(defect["fields"])
    if defect["kind"] not in {Kind.ABSENT, Kind.EXTRA}:
        return
    find = _absent if defect["kind"] == Kind.ABSENT else _extra
    for path, held in _objects(text_of(read(response)) or ""):
        for name, _ in held:
            yield from find(names, name, path)


@lru_cache(maxsize=8)
def _objects(text: str) -> tuple[tuple[Path, Members], ...]:
    """Each defect of a body looks for its properties in the same objects, perhaps very many."""
    return tuple((path, held) for path, held in objects(parse(text), DEEPEST) if held)


def _absent(sought: set[str], name: str, path: Path) -> Iterator[Misplaced]:
    if name in sought:
        yield Misplaced(path, "")
    elif _letters(name) in map(_letters, sought):
        yield Misplaced(path, _letters(name))


def _extra(sought: set[str], name: str, path: Path) -> Iterator[Misplaced]:
    if name in sought:
        yield Misplaced(path, _letters(name))


def _letters(name: str) -> str:
    return "".join(character for character in name if character.isalnum()).lower()
