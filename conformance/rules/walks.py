"""Walks: the pages of one list that a caller has read, from cursor to cursor (Endpoints)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules.answer import Answer, Way
from conformance.rules.ruling import Ruling, Rulings
from conformance.rules.sighting import Sighting, sightings

ONCE = "pagination/once"
LIMIT = "limit"
List = tuple[object, ...]
"""What two requests for the same list have in common, whatever the page."""


@dataclass(frozen=True)
class Walk:
    """Pages of one list, each of which was asked for by a cursor of the one before it."""

    pages: tuple[Answer, ...]

    @cached_property
    def sightings(self) -> tuple[Sighting, ...]:
        """The records with an id, in their order."""
        return tuple(each for page in self.pages for each in sightings(page) if not each.part)

    @property
    def ids(self) -> list[str]:
        """Their ids in lower case."""
        return [each.key[1] for each in self.sightings]

    @property
    def repeated(self) -> set[str]:
        """The ids of the records that are shown more than once."""
        return {id for id, count in Counter(self.ids).items() if count > 1}

    @property
    def way(self) -> Way:
        """How its first page was asked for."""
        return self.pages[0].way

    @property
    def is_whole(self) -> bool:
        """Whether its last page has no cursor, or no record."""
        last = self.pages[-1:]
        return any(cursor_of(page) is None or not any(page.records) for page in last)

    def lacks(self, other: "Walk") -> set[str]:
        """The records that another walk alone shows; nothing where one without an id may be any."""
        number = sum(1 for page in self.pages for _ in page.records)
        is_open = number > len(self.sightings) or not self.is_whole
        return set() if is_open else set(other.ids) - set(self.ids)

    def showing(self, id: str) -> list[str]:
        """The exchanges that show a record; that of the first page where none does."""
        shown = (each.answer.exchange.id for each in self.sightings if each.key[1] == id)
        return list(dict.fromkeys(shown)) or [self.pages[0].exchange.id]


def cursor_of(page: Answer) -> str | None:
    """`nextCursor` of a page where it is a string."""
    cursor = page.data.get("nextCursor") if isinstance(page.data, dict) else None
    return cursor if isinstance(cursor, str) else None


def walks(answers: Iterable[Answer]) -> list[Walk]:
    """The longest walks among answers in the order in which they were asked for.

    An argument that has the value of a cursor continues its list, whatever its name.
    """
    issued: dict[List, Walk] = {}
    found: dict[int, Walk] = {}
    for answer in answers:
        if not answer.way.operation.is_list:
            continue
        before = next((issued[key] for key in _continued(answer) if key in issued), None)
        walk = Walk((*(before.pages if before else ()), answer))
        if before is not None:
            found.pop(id(before), None)
        found[id(walk)] = walk
        cursor = cursor_of(answer)
        if cursor is not None:
            issued[*_reader(answer.way), cursor] = walk
    return [*found.values()]


def _continued(answer: Answer) -> Iterator[List]:
    return ((*_reader(answer.way), value) for _, value in answer.way.arguments)


def _reader(way: Way) -> List:
    return way.face, way.operation.id, (way.subject or "").lower(), way.caller, way.scheme


def examine(found: Sequence[Walk]) -> Rulings:
    """Whether following `nextCursor` returns each record once.

    Nothing is said of one whose records were shown with other values meanwhile, or whose list began
    with others when it was read again.
    """
    for walk in found:
        if len(walk.pages) < 2 or _has_changed(walk, found):
            continue
        id = min(walk.repeated, default="")
        shown = [each for each in walk.sightings if each.key[1] == id]
        otherwise = _repeated(shown) if shown else None
        yield Ruling(ONCE, walk.way.operation.id, tuple(walk.showing(id)), otherwise)


def _repeated(shown: Sequence[Sighting]) -> Defect:
    last = shown[-1]
    return (
        defect(
            Kind.REPEATED,
            "following the cursors of a list shows {id} {times} times",
            expected="each record once",
            actual=len(shown),
            id=last.key[1],
            times=len(shown),
        )
        .on("id")
        .at(*(each.answer.located(*each.path, "id") for each in shown))
    )


def _has_changed(walk: Walk, others: Sequence[Walk]) -> bool:
    """Whether the list was another one while it was read, or right after."""
    digests = {(each.key, each.digest) for each in walk.sightings}
    if len(digests) != len(set(walk.ids)):
        return True
    first = Walk(walk.pages[:1]).ids
    again = (each for each in others if each is not walk and _is_of_same_list(each, walk))
    return any(Walk(each.pages[:1]).ids[: len(first)] != first for each in again)


def _is_of_same_list(one: Walk, other: Walk) -> bool:
    """Whether two walks began in the same way: with the same arguments, and at the beginning."""
    return (*_reader(one.way), sorted(one.way.arguments)) == (
        *_reader(other.way),
        sorted(other.way.arguments),
    )
