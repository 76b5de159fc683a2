"""One difference between a description and the contract, and who is affected by it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Effect(StrEnum):
    """Who is affected by a difference, worst first."""

    CLIENTS = "breaks-clients"
    """A client that follows the specification meets a response that it need not expect."""
    CALLERS = "breaks-callers"
    """A request that the specification allows is rejected."""
    OPEN = "open"
    """The specification leaves the point open."""
    HARMLESS = "harmless"
    """The description is stricter for responses, wider for requests, or less detailed."""


BREAKING = frozenset({Effect.CLIENTS, Effect.CALLERS})


class Aspect(StrEnum):
    """The subject of a difference; a breaking one violates `description/<aspect>`."""

    VALID = "valid"
    VERSION = "version"
    PATCH = "patch-version"
    API_VERSION = "api-version"
    OPERATIONS = "operations"
    PARAMETERS = "parameters"
    BODY = "body"
    RESPONSES = "responses"
    SCHEMAS = "schemas"
    SECURITY = "security"
    COMPLETE = "complete"
    """The description omits what the specification states."""


@dataclass(frozen=True)
class Difference:
    """One difference.

    `where` names the place in the contract. `lines` are the lines of the description, from 1,
    where they are known.
    """

    aspect: Aspect
    effect: Effect
    where: str
    message: str
    specified: str = ""
    described: str = ""
    operations: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        sentence = f"{self.where}: {self.message}"
        if not self.specified and not self.described:
            return sentence
        return f"{sentence} (specified: {self.specified}; described: {self.described})"


def merged(differences: Iterable[Difference]) -> tuple[Difference, ...]:
    """Equal differences of several operations or lines as one; the worst come first."""
    found: dict[Difference, Difference] = {}
    for each in differences:
        key = replace(each, operations=(), lines=())
        known = found.get(key, key)
        operations = tuple(dict.fromkeys(known.operations + each.operations))
        lines = tuple(sorted({*known.lines, *each.lines}))
        found[key] = replace(known, operations=operations, lines=lines)
    return tuple(sorted(found.values(), key=_rank))


def _rank(difference: Difference) -> tuple[int, int]:
    effects, aspects = list(Effect), list(Aspect)
    return effects.index(difference.effect), aspects.index(difference.aspect)
