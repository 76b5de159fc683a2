"""Agreement: one caller is shown a record with the same values by every way of reading it.

A rule on all that a run has seen (Resources and their fields). What it suspects, it names: the
data may have changed between two reads, so that nobody is blamed before both are repeated.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from conformance.contract.openapi import Contract
from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules.answer import TOOL, Way
from conformance.rules.records import differing_by_tool, differing_of_contract, in_lower_case
from conformance.rules.sighting import Sighting
from conformance.rules.suspicion import Suspicion, Variant

BELOW, LISTED, SPELLED, BY_ID, BY_TOOL = (
    "read/parent",
    "pagination/agreement",
    "arguments/case",
    "read/agreement",
    "tools/data",
)
REQUIREMENTS = (BELOW, LISTED, SPELLED, BY_ID, BY_TOOL)
"""What this rule names: first what separates the two sightings by the least."""


@dataclass(frozen=True)
class Disagreement(Suspicion):
    """Two sightings of one record that differ in some properties."""

    @property
    def operation(self) -> str:
        """The operation that is blamed: the one by id where a list is the other."""
        ways = (self.odd.answer.way, self.usual.answer.way)
        by_id = [way for way in ways if not way.operation.is_list]
        chosen = by_id if self.requirement == BY_ID and by_id else ways
        return chosen[0].operation.id

    def contradicting(self, usual: Sighting, odd: Sighting, contract: Contract) -> list[str]:
        """The properties in which they differ."""
        return differing(usual, odd, contract)

    def defect(self, usual: Sighting, odd: Sighting) -> Defect:
        """The defect, as these later sightings show it."""
        text = {
            BELOW: "one record is listed below two records, with the {properties} of each",
            BY_ID: "list and record differ in {properties}",
            LISTED: "two pages show one record with different {properties}",
            SPELLED: "a UUID in the other case selects other data: {properties}",
            BY_TOOL: "the tool and HTTP differ in {properties}",
        }[self.requirement]
        return (
            defect(
                Kind.DIFFERENCE,
                text,
                expected="the same values",
                properties=", ".join(self.properties),
            )
            .on(*self.properties)
            .at(
                *(
                    each.answer.located(*each.path, name)
                    for each in (usual, odd)
                    for name in self.properties
                )
            )
        )


def disagreements(variants: Iterable[Variant], contract: Contract) -> Iterator[Disagreement]:
    """How the variants of one record differ from the usual one, which most sightings show."""
    ordered = sorted(variants, key=lambda each: -each.count)
    for other in ordered[1:]:
        found = _between(ordered[0], other, contract)
        if found is not None:
            yield found


def restless(variants: Sequence[Variant], contract: Contract) -> set[str]:
    """The properties in which a record differs from itself where it was asked for alike."""
    return {
        name
        for one, other in combinations(variants, 2)
        for first, second in product(one.places, other.places)
        if first.place == second.place and first.answer.way.shape == second.answer.way.shape
        for name in differing(first, second, contract)
    }


def differing(usual: Sighting, odd: Sighting, contract: Contract) -> list[str]:
    """The properties in which two sightings of a record differ.

    The case of letters does not count where the two were asked for with ids in different cases: a
    URL may repeat an id as it was spelled.
    """
    one, other = usual.record, odd.record
    if _is_spelled_otherwise(usual.answer.way, odd.answer.way):
        one, other = in_lower_case(one), in_lower_case(other)
    ways = (usual.answer.way.operation, odd.answer.way.operation)
    resource, is_by_tool = ways[0].resource, usual.answer.way.face == TOOL
    # A text beside structured content may be a summary of it.
    if is_by_tool == (odd.answer.way.face == TOOL) or usual.part or odd.part:
        names = differing_of_contract(contract, resource, one, other)
    else:
        sides = (other, one) if is_by_tool else (one, other)
        names = differing_by_tool(contract, resource, *sides)
    # Where a list is not the other side, its items need not name the record that it is below.
    parents = {each.name for way in ways for each in way.parameters if each.location == "path"}
    return [name for name in names if name not in parents or _are_listed(usual, odd)]


def _are_listed(*sightings: Sighting) -> bool:
    """Whether pages over HTTP show all of these."""
    ways = [each.answer.way for each in sightings]
    return all(way.operation.is_list and way.face != TOOL for way in ways)


def _between(usual: Variant, odd: Variant, contract: Contract) -> Disagreement | None:
    """The plainest difference between two variants; None where nothing states that they agree."""
    pairs = [
        (REQUIREMENTS.index(requirement), number, requirement, one, other)
        for number, (one, other) in enumerate(product(usual.places, odd.places))
        if (requirement := _requirement(one, other)) is not None
    ]
    if not pairs:
        return None
    _, _, requirement, one, other = min(pairs, key=lambda pair: pair[:2])
    properties = differing(one, other, contract)
    return Disagreement(requirement, one, other, tuple(properties)) if properties else None


def _requirement(usual: Sighting, odd: Sighting) -> str | None:
    """What states that two ways of reading show the same; None where nothing does."""
    one, other = usual.answer.way, odd.answer.way
    if TOOL in (one.face, other.face):
        return BY_TOOL if one.face != other.face and one.shape == other.shape else None
    if _is_spelled_otherwise(one, other):
        return SPELLED
    if _are_listed(usual, odd):
        return LISTED if _parent(usual) == _parent(odd) else BELOW
    return BY_ID if one.operation.is_list or other.operation.is_list else None


def _parent(sighting: Sighting) -> str:
    """The record that a listed one names as that which it is below; "" without."""
    in_path = [each for each in sighting.answer.way.operation.parameters if each.location == "path"]
    return "".join(str(sighting.record.get(each.name, "")).lower() for each in in_path)


def _is_spelled_otherwise(one: Way, other: Way) -> bool:
    """Whether one and the same id was asked for in upper case and in lower case."""
    if one.operation != other.operation or one.subject is None or other.subject is None:
        return False
    return one.subject != other.subject and one.subject.lower() == other.subject.lower()
