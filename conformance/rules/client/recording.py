"""A recording of what callers have sent, as the rules on their duties read it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.contract.openapi import Contract
from conformance.contract.verdict import Defect
from conformance.http.exchange import Exchange
from conformance.rules.client import asked
from conformance.rules.client.asked import Asked
from conformance.rules.ruling import Ruling

OTHER, TOOLS, DESCRIPTION = "other", "tools", "description"
"""What the exchanges of a recording call that call no operation: nothing that is known, the tool
interface with another message than a call, and the published description.
"""


@dataclass(frozen=True)
class Recording:
    """The exchanges of some callers.

    `roles` has the query parameters of each operation by their names. `secrets` are the variables
    that stand for credentials in what was recorded. The recording is `whole` if it has all that
    these callers have seen of the target: of an id, a cursor or a revision from elsewhere nobody
    can tell.
    """

    exchanges: Sequence[Exchange]
    contract: Contract
    roles: Mapping[str, Mapping[str, str]]
    secrets: Collection[str] = ()
    whole: bool = False

    @cached_property
    def ordered(self) -> tuple[Exchange, ...]:
        """The exchanges in the order in which they arrived."""
        return tuple(sorted(self.exchanges, key=lambda each: each.started))

    @cached_property
    def calls(self) -> tuple[Asked, ...]:
        """Those that call an operation, by either interface."""
        return tuple(self._calls())

    def _calls(self) -> Iterator[Asked]:
        for exchange in self.ordered:
            call = asked.of(exchange, self.roles, self.contract)
            if call is not None:
                yield call


def ruling(requirement: str, *exchanges: Exchange, otherwise: Defect | None = None) -> Ruling:
    """What a rule says of the last of some exchanges, by which the others are shown."""
    operation = exchanges[-1].operation
    is_named = operation not in (OTHER, TOOLS, DESCRIPTION)
    ids = tuple(each.id for each in exchanges)
    return Ruling(requirement, operation if is_named else None, ids, otherwise)
