"""Relations: what a record states agrees with the records that it names (Resources and their
fields), and a record in another belongs to that one alone (What the service does).

A rule on all that a run has seen. What a record is shown with in two ways is not judged here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.contract import api
from conformance.contract.identifiers import EXTREMES, is_uuid
from conformance.contract.openapi import Contract
from conformance.contract.verdict import Defect, Kind, Location, defect
from conformance.rules.judgement import shown
from conformance.rules.records import Record
from conformance.rules.sighting import Key, Sighting
from conformance.rules.suspicion import Suspicion, Variant

NAMES, BELONGING = "read/names", "read/belonging"
REQUIREMENTS = (NAMES, BELONGING)
NAME = "name"

Records = Mapping[Key, Sequence[Variant]]


@dataclass(frozen=True)
class Tie:
    """A record of a list names another by an id, and repeats a property of it as its own."""

    listing: str
    id: str
    own: str
    owner: str

    @property
    def resource(self) -> str:
        """The resource of the other record: "Project" for projectId."""
        return self.id.removesuffix("Id").capitalize()

    @property
    def requirement(self) -> str:
        """What it violates where they differ."""
        return NAMES if self.owner == NAME else BELONGING

    def values(self, record: Record, owner: Record) -> tuple[str, str] | None:
        """What both state, alike where it agrees; None where one of them states nothing."""
        stated = record.get(self.own), owner.get(self.owner)
        fits = _is_text if self.owner == NAME else is_uuid
        if not all(map(fits, stated)):
            return None
        one, other = map(str, stated)
        return (one, other) if self.owner == NAME else (one.lower(), other.lower())


TIES = (
    Tie("video_list", "projectId", "companyId", "companyId"),
    Tie("review_list", "projectId", "companyId", "companyId"),
    Tie("review_list", "projectId", "projectName", NAME),
    Tie("review_list", "videoId", "projectId", "projectId"),
    Tie("review_list", "videoId", "videoName", NAME),
    Tie("activity_list", "videoId", "projectId", "projectId"),
)


@dataclass(frozen=True)
class Apart(Suspicion):
    """A record (odd) and its owner (usual) state two values."""

    tie: Tie

    @property
    def operation(self) -> str:
        """That of the list of the record."""
        return self.tie.listing

    @property
    def is_about_records(self) -> bool:
        """Read by their ids, where an operation does: a list may differ from its records."""
        return True

    def contradicting(self, usual: Sighting, odd: Sighting, _: Contract) -> tuple[str, ...]:
        """Both properties, where they differ."""
        values = self.tie.values(odd.record, usual.record)
        return self.properties if values is not None and values[0] != values[1] else ()

    def unchanged(self, changing: Collection[str]) -> set[str]:
        """Both, or none: where one of them changes, they were not read at the same time."""
        own = set(self.properties)
        return own if own.isdisjoint(changing) else set()

    def defect(self, usual: Sighting, odd: Sighting) -> Defect:
        """What each of the two states."""
        tie = self.tie
        own, owner = odd.record.get(tie.own), usual.record.get(tie.owner)
        return (
            defect(
                Kind.DIFFERENCE,
                "{name} is {own}, the {property} of its {resource} is {owner}",
                expected=f"the {tie.owner} of its {tie.resource.lower()}",
                actual=own,
                name=tie.own,
                property=tie.owner,
                resource=tie.resource.lower(),
                own=shown(own),
                owner=shown(owner),
            )
            .on(tie.own)
            .at(_at(odd, tie.own), _at(usual, tie.owner))
        )


@dataclass(frozen=True)
class Common(Suspicion):
    """Two records show a record in them with one id; `properties` is the array that it is in."""

    listing: str

    @property
    def operation(self) -> str:
        """That of the list of the records."""
        return self.listing

    def contradicting(self, usual: Sighting, odd: Sighting, _: Contract) -> tuple[str, ...]:
        """The array, where it has an id in common."""
        (array,) = self.properties
        ids = set(_ids(usual.record, array)).intersection(_ids(odd.record, array))
        return self.properties if ids else ()

    def unchanged(self, _: Collection[str]) -> set[str]:
        """Other records in it may come and go."""
        return set(self.properties)

    def defect(self, usual: Sighting, odd: Sighting) -> Defect:
        """Where both of them show it."""
        (array,) = self.properties
        return (
            defect(
                Kind.REPEATED,
                "two records have one of their {array} in common",
                expected="each of them in one record",
                array=array,
            )
            .on(array, "id")
            .at(_at(usual, array), _at(odd, array))
        )


def examine(records: Records, contract: Contract) -> Iterator[Suspicion]:
    """What the records that one caller was shown by one scheme state of each other."""
    for key, variants in records.items():
        for tie in TIES:
            if contract.operation(tie.listing).resource == key[0]:
                yield from _apart(tie, key, variants, records)
    yield from _common(records, contract)


def _apart(tie: Tie, key: Key, variants: Sequence[Variant], records: Records) -> Iterator[Apart]:
    odd = _undisputed(variants, tie.id, tie.own)
    if odd is None or not is_uuid(odd.record.get(tie.id)):
        return
    owner = (tie.resource, str(odd.record[tie.id]).lower(), *key[2:])
    usual = _undisputed(records.get(owner, ()), tie.owner)
    values = tie.values(odd.record, usual.record) if usual is not None else None
    if usual is not None and values is not None and values[0] != values[1]:
        yield Apart(tie.requirement, usual, odd, tuple(dict.fromkeys((tie.own, tie.owner))), tie)


def _undisputed(variants: Sequence[Variant], *names: str) -> Sighting | None:
    """A sighting of a record, where all of them agree in some properties."""
    sightings = [each for variant in variants for each in variant.places]
    if not sightings or any(_differ(sightings, name) for name in names):
        return None
    return min(sightings, key=_plainness)


def _differ(sightings: Sequence[Sighting], name: str) -> bool:
    return len({str(each.record[name]) for each in sightings if name in each.record}) > 1


def _plainness(sighting: Sighting) -> tuple[object, ...]:
    """By its id rather than in a list, and without arguments rather than with them."""
    way = sighting.answer.way
    return (way.operation.is_list, len(way.arguments), sighting.place)


def _common(records: Records, contract: Contract) -> Iterator[Common]:
    nested, lists = api.derive(contract).nested, _lists(contract)
    holders: dict[tuple[object, ...], Sighting] = {}
    for (resource, _, *reader), variants in records.items():
        array, _ = nested.get(resource, ("", ""))
        for sighting in [variant.places[0] for variant in variants if array]:
            for id in _ids(sighting.record, array):
                first = holders.setdefault((resource, id, *reader), sighting)
                if first.key != sighting.key:
                    yield Common(BELONGING, first, sighting, (array,), lists[resource])


def _lists(contract: Contract) -> dict[str, str]:
    return {each.resource: each.id for each in contract.operations.values() if each.is_list}


def _ids(record: Record, array: str) -> Iterator[str]:
    """The ids of the records in a record, in lower case."""
    items = record.get(array)
    for item in items if isinstance(items, list) else ():
        id = item.get("id") if isinstance(item, dict) else None
        if is_uuid(id) and str(id).lower() not in EXTREMES:  # these may stand for no id
            yield str(id).lower()


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _at(sighting: Sighting, name: str) -> Location:
    return sighting.answer.located(*sighting.path, name)
