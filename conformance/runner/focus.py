"""What a narrowed run looks at: so much that one check again takes few requests."""

from collections.abc import Iterable
from dataclasses import dataclass

FEW_PARENTS = 12
"""Records below which a narrowed run looks for others."""


@dataclass(frozen=True)
class Focus:
    """The requirements that a narrowed run checks, and what their last failures were about.

    `ids` are those of records, in lower case, `limits` the page sizes.
    """

    requirements: frozenset[str]
    ids: frozenset[str] = frozenset()
    limits: frozenset[int] = frozenset()

    def wants(self, requirements: Iterable[str]) -> bool:
        """Whether what is found for one of these requirements is asked for."""
        return not self.requirements.isdisjoint(requirements)
