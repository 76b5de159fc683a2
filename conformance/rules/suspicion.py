"""What two sightings suggest that one defect would explain, and a change of the data as well.

Nobody is blamed before both are repeated.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

from conformance.contract.openapi import Contract
from conformance.contract.verdict import Defect
from conformance.rules.sighting import Sighting


@dataclass(frozen=True)
class Variant:
    """Equal sightings of one record: the first at each place, and how many there are."""

    places: tuple[Sighting, ...]
    count: int


@dataclass(frozen=True)
class Suspicion(ABC):
    """Two sightings that contradict each other in some properties, and what they violate."""

    requirement: str
    usual: Sighting
    odd: Sighting
    properties: tuple[str, ...]

    @property
    def operation(self) -> str:
        """The operation that is blamed."""
        return self.odd.answer.way.operation.id

    @property
    def is_about_records(self) -> bool:
        """Whether it is about what records state, however they are read."""
        return False

    @property
    def kind(self) -> tuple[str, ...]:
        """What it has in common with others that one defect causes."""
        return (self.requirement, self.operation, *self.properties)

    @abstractmethod
    def contradicting(self, usual: Sighting, odd: Sighting, contract: Contract) -> Collection[str]:
        """The properties in which these two, read later, contradict each other."""

    def unchanged(self, changing: Collection[str]) -> set[str]:
        """The properties that still say something where some have changed between two reads."""
        return set(self.properties).difference(changing)

    @abstractmethod
    def defect(self, usual: Sighting, odd: Sighting) -> Defect:
        """The defect, as these later sightings show it."""
