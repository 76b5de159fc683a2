"""What a description says otherwise than the contract, and whom that concerns."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Effect(StrEnum):
    """Whom a difference concerns, worst first."""

    CLIENTS = "breaks-clients"
    """A client that is written to the specification would meet something that it need not expect."""
    CALLERS = "breaks-callers"
    """A request that the specification allows would be refused."""
    OPEN = "open"
    """In a place that the specification leaves open."""
    HARMLESS = "harmless"
    """The description promises more than it has to, allows more than it has to, or says less without taking anything back."""


BREAKING = frozenset({Effect.CLIENTS, Effect.CALLERS})


class Aspect(StrEnum):
    """What a difference is about; each breaking one breaks the requirement `description/<aspect>`."""

    VALID = "valid"
    VERSION = "version"
    API_VERSION = "api-version"
    OPERATIONS = "operations"
    PARAMETERS = "parameters"
    BODY = "body"
    RESPONSES = "responses"
    SCHEMAS = "schemas"
    SECURITY = "security"
    COMPLETE = "complete"
    """What the specification states and the description passes over."""


@dataclass(frozen=True)
class Difference:
    """One difference: `where` in the contract's words, `lines` from 1 in the text of the description where they are known."""

    aspect: Aspect
    effect: Effect
    where: str
    message: str
    specified: str = ""
    described: str = ""
    operations: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        told = (
            f" (specified: {self.specified}; described: {self.described})"
            if self.specified or self.described
            else ""
        )
        return f"{self.where}: {self.message}{told}"


def gathered(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """The same difference on several operations or lines told once; the worst come first."""
    found: dict[tuple[object, ...], Difference] = {}
    for each in differences:
        key = (each.aspect, each.effect, each.where, each.message, each.specified, each.described)
        known = found.get(key, replace(each, operations=(), lines=()))
        operations = tuple(dict.fromkeys(known.operations + each.operations))
        found[key] = replace(
            known, operations=operations, lines=tuple(sorted({*known.lines, *each.lines}))
        )
    order = list(Effect)
    return tuple(
        sorted(
            found.values(),
            key=lambda each: (order.index(each.effect), list(Aspect).index(each.aspect)),
        )
    )
