"""Whether a failure was seen again: what became of its requests when they were sent once more."""

from collections.abc import Sequence
from enum import StrEnum

from conformance.http import serialization
from conformance.report.document_types import (
    ExchangeEntry,
    ReproductionEntry,
)


class Outcome(StrEnum):
    """What became of a failure whose requests were sent once more."""

    REPRODUCED = "reproduced"  # seen on a fresh connection, at the first attempt
    AFTER_ANOTHER = "after-another"  # seen only after the same request of another caller
    KEPT_CONNECTION = "kept-connection"  # seen only after another request on the same connection
    SOMETIMES = "sometimes"  # seen in some attempts, the first of them the run itself
    NOT_COMPARED = "not-compared"  # the responses cannot be compared one by one
    NOT_REPEATED = "not-repeated"  # the requests were not sent; `reason` says why


RARE = frozenset({Outcome.SOMETIMES, Outcome.AFTER_ANOTHER, Outcome.KEPT_CONNECTION})
"""Of a failure that was not always seen, not being seen says less."""


def described(found: ReproductionEntry) -> str:
    """The outcome in a few words; how to see the failure again is in `again`."""
    match Outcome(found["outcome"]):
        case Outcome.REPRODUCED:
            return "reproduced on a fresh connection"
        case Outcome.AFTER_ANOTHER:
            return f"after the request of {found['reason']}: not seen without it"
        case Outcome.KEPT_CONNECTION:
            return "needs a kept connection: not seen on a fresh one"
        case Outcome.SOMETIMES:
            return f"seen {found['seen']} of {found['attempts']} times"
        case Outcome.NOT_COMPARED:
            return f"repeated, and not compared: {found['reason']}"
        case Outcome.NOT_REPEATED:
            return f"not repeated: {found['reason']}"


def not_repeated(reason: str) -> ReproductionEntry:
    """The outcome where nothing was sent."""
    return entry(Outcome.NOT_REPEATED, reason=reason)


def entry(
    outcome: Outcome,
    *,
    seen: int = 1,
    attempts: int = 1,
    reason: str = "",
    exchanges: Sequence[str] = (),
) -> ReproductionEntry:
    """An outcome; `attempts` counts the run itself, which has seen the failure."""
    return {
        "outcome": outcome.value,
        "seen": seen,
        "attempts": attempts,
        "reason": reason,
        "exchanges": list(exchanges),
        "again": "",
    }


def one_by_one(steps: Sequence[ExchangeEntry], connection: Sequence[str]) -> str:
    """A shell command that sends requests on a connection each."""
    return "; ".join(serialization.curl(each["request"], connection) for each in steps)


def on_one_connection(steps: Sequence[ExchangeEntry], connection: Sequence[str]) -> str:
    """A shell command that sends requests on one connection."""
    commands = [serialization.curl(each["request"], connection) for each in steps]
    return " --next ".join([commands[0], *(text.removeprefix("curl ") for text in commands[1:])])
