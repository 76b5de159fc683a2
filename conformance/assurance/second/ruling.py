"""What the judge says of one requirement, and the exchanges that it says it of."""

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.assurance.second.exchange import Exchange


@dataclass(frozen=True)
class Ruling:
    """A requirement that exchanges meet or, where there is a flaw, violate.

    `otherwise` are requirements that may be named in its place: the words of the contract cover
    the same flaw.
    """

    requirement: str
    operation: str | None
    exchanges: tuple[str, ...]
    flaw: str | None = None
    otherwise: tuple[str, ...] = ()


Rulings = Iterator[Ruling]


def ruling(
    requirement: str, exchange: Exchange, flaw: str | None = None, *otherwise: str
) -> Ruling:
    """A ruling on one exchange."""
    return Ruling(requirement, exchange.operation.id, (exchange.id,), flaw, otherwise)


def meets(
    requirement: str, exchange: Exchange, holds: object, flaw: str, *otherwise: str
) -> Ruling:
    """A ruling on one exchange, with this flaw unless the requirement holds."""
    return ruling(requirement, exchange, None if holds else flaw, *otherwise)
