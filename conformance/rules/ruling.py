"""What a rule on many exchanges says of some of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.contract.verdict import Defect


@dataclass(frozen=True)
class Ruling:
    """Exchanges, by their ids, exercised a requirement of an operation, or of none (None).

    They violate it as `defect` says, or conform (None).
    """

    requirement: str
    operation: str | None
    exchanges: tuple[str, ...]
    defect: Defect | None = None


Rulings = Iterator[Ruling]
