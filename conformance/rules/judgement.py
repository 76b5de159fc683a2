"""The judgement of a rule on one exchange."""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from conformance.contract.pointer import pointer
from conformance.contract.verdict import Defect, Location, Part


class Judgement(NamedTuple):  # a run makes tens of thousands
    """An exchange exercised a requirement: it violates it as `defect` says, or conforms (None).

    `unsure` is set where the two JSON Schema validators disagree, which is an internal error, and
    `is_counted` where the responses that conform are judged as well.
    """

    requirement: str
    defect: Defect | None = None
    unsure: bool = False
    is_counted: bool = True

    @property
    def problem(self) -> str | None:
        """The sentence of the defect; None for a pass."""
        return self.defect.sentence if self.defect else None

    @property
    def expected(self) -> str:
        """What the contract requires instead; "" for a pass."""
        return self.defect.expected if self.defect else ""


Judgements = Iterator[Judgement]


def hold(
    requirement: str,
    conforms: bool,  # noqa: FBT001
    otherwise: Callable[[], Defect],
) -> Judgement:
    """The judgement of a condition; a defect is made only where it does not hold.

    It may quote a whole body.
    """
    return Judgement(requirement, None if conforms else otherwise())


def body(*path: str | int) -> Location:
    """A place in the body of the response."""
    return Location(Part.BODY, pointer(path))


def header(name: str) -> Location:
    """A header of the response, by its name in lower case."""
    return Location(Part.HEADER, name)


STATUS_LINE = Location(Part.STATUS)


def shown(value: object, limit: int = 120) -> str:
    """A value of the target as JSON, short enough for one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply to be shown"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
