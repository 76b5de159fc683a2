"""Absent and extra properties that are in the body under another name or in another place."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.contract.pointer import Path
from conformance.contract.verdict import Kind
from conformance.report.document_types import DefectEntry, ResponseEntry
from conformance.report.recorded_body import UNPARSED, objects, parsed

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
    body: Any = parsed(response)
    names = set(defect["fields"])
    if body is UNPARSED or defect["kind"] not in {Kind.ABSENT, Kind.EXTRA}:
        return
    find = _absent if defect["kind"] == Kind.ABSENT else _extra
    for path, held in objects(body, DEEPEST):
        for name, _ in held:
            yield from find(names, name, path)


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
