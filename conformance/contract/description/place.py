"""A place in the contract at which a value is compared."""

from dataclasses import dataclass, replace
from enum import Enum

from conformance.contract.description.difference import Aspect, Difference, Effect
from conformance.contract.description.node import lines
from conformance.contract.description.schema import View


class Direction(Enum):
    """The sender of a value: the target in a response, or a caller in a body or a parameter."""

    RESPONSE = "response"
    BODY = "body"
    PARAMETER = "parameter"


@dataclass(frozen=True)
class Place:
    """The place of a value, its sender, and the aspect of a difference there."""

    where: str
    direction: Direction
    aspect: Aspect
    operation: str

    def below(self, name: str) -> "Place":
        """The place of a property."""
        return replace(self, where=f"{self.where}.{name}")

    @property
    def in_response(self) -> bool:
        """Whether the target sends the value."""
        return self.direction is Direction.RESPONSE

    @property
    def loss(self) -> Effect:
        """The effect of a description that omits or excludes the value."""
        return Effect.CLIENTS if self.in_response else Effect.CALLERS

    def difference(
        self, theirs: View, effect: Effect, message: str, said: tuple[str, str] = ("", "")
    ) -> Difference:
        """A difference here; `said` are the words for what is specified and what is described."""
        difference = Difference(self.aspect, effect, self.where, message, *said)
        return replace(difference, operations=(self.operation,), lines=lines(theirs.first))
