"""What a narrowed run was asked for: requirements, operations, or the one on the other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from conformance.contract.requirements import Requirement
from conformance.report.document_types import SuiteEntry

ON = " on "
Place = tuple[str | None, str | None]
"""A requirement and an operation; None stands for any."""


@dataclass(frozen=True)
class Selection:
    """The places that a narrowed run checks; what it sees go wrong elsewhere counts as well."""

    places: tuple[Place, ...]

    @classmethod
    def of(cls, suite: SuiteEntry) -> Self | None:
        """That of a report; None where the run was not narrowed."""
        return cls(tuple(map(_place, suite["only"]))) if "only" in suite else None

    @property
    def names(self) -> list[str]:
        """The places as a report names them."""
        return [ON.join(filter(None, place)) for place in self.places]

    def operations(self, stated: Requirement) -> tuple[str, ...] | None:
        """The operations on which a requirement was asked for; None where it was not."""
        if any(id == stated.id and operation is None for id, operation in self.places):
            return stated.operations
        named = [operation for id, operation in self.places if id in (None, stated.id)]
        chosen = tuple(name for name in stated.operations if name in named)
        is_whole = not stated.operations and (stated.id in {id for id, _ in self.places})
        return chosen if chosen or is_whole else None

    def narrowed(self, catalogue: Mapping[str, Requirement]) -> dict[str, Requirement]:
        """The requirements that were asked for, with the operations."""
        asked = ((stated, self.operations(stated)) for stated in catalogue.values())
        return {
            stated.id: replace(stated, operations=chosen)
            for stated, chosen in asked
            if chosen is not None
        }


def of_names(names: Iterable[str]) -> Selection:
    """Each of these requirements on each of these operations."""
    known = list(dict.fromkeys(names))
    ids: list[str | None] = [name for name in known if "/" in name]
    operations: list[str | None] = [name for name in known if "/" not in name]
    return Selection(tuple((id, name) for id in ids or [None] for name in operations or [None]))


def _place(name: str) -> Place:
    first, _, operation = name.partition(ON)
    return (first, operation or None) if "/" in first else (None, first)
