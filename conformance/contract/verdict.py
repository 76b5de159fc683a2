"""Verdicts, defects as data, and the three ways in which a check ends other than by passing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Level(StrEnum):
    """How strongly the contract speaks.

    A failed `must` fails the run, a failed `should` is a warning, and `observe` is never checked.
    """

    MUST = "must"
    SHOULD = "should"
    OBSERVE = "observe"


class Verdict(StrEnum):
    """What is known about one requirement, worst first."""

    FAIL = "fail"
    ERROR = "error"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"
    NOT_APPLICABLE = "not-applicable"


class Conclusion(StrEnum):
    """What is known about the whole target."""

    CONFORMANT = "conformant"
    NON_CONFORMANT = "non-conformant"
    INCONCLUSIVE = "inconclusive"


class Kind(StrEnum):
    """The way in which a target violates a requirement."""

    STATUS = "status"  # another status than those that are allowed
    ACCEPTED = "accepted"  # a success where the request has to be rejected
    NO_RESPONSE = "no-response"  # the connection failed
    HEADER = "header"  # a header is absent, or has another value
    BODY = "body"  # the body as a whole: no JSON, another JSON type
    ABSENT = "absent"  # a property is absent
    EXTRA = "extra"  # a property that the contract excludes
    VALUE = "value"  # a property has another type or value
    DIFFERENCE = "difference"  # two responses that have to agree differ
    OMITTED = "omitted"  # a list leaves out a record
    REPEATED = "repeated"  # a list shows a record more than once
    FOREIGN = "foreign"  # a response shows a record that does not belong there
    ENDLESS = "endless"  # pagination does not come to its end
    COUNT = "count"  # another number than the allowed one
    EFFECT = "effect"  # a request changed what it must not change, or did not change what it must
    DECLARED = "declared"  # a description or an input schema differs from the contract
    ADDRESS = "address"  # the base URL


class Part(StrEnum):
    """The part of a response that a location is in."""

    STATUS = "status"
    HEADER = "header"
    BODY = "body"


@dataclass(frozen=True)
class Location:
    """A place in a response.

    `name` is the name of a header in lower case, or a JSON Pointer (RFC 6901) into the body.
    `exchange` is the id of the exchange; "" stands for the last one of the finding.
    """

    part: Part
    name: str = ""
    exchange: str = ""


@dataclass(frozen=True)
class Defect:
    """What is wrong, as data.

    `text` is the sentence with the names of `values` in braces. `keyword` is the JSON Schema
    keyword that a value violates. `fields` are the properties of a record that are wrong or differ.
    """

    kind: Kind
    text: str
    expected: str = ""
    actual: Any = None
    where: tuple[Location, ...] = ()
    keyword: str = ""
    fields: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def sentence(self) -> str:
        """The text with its values."""
        return self.text.format_map(self.values) if self.values else self.text

    def at(self, *where: Location) -> "Defect":
        """The same defect at these places."""
        return replace(self, where=where)

    def on(self, *fields: str) -> "Defect":
        """The same defect with the properties of a record that are wrong or differ."""
        return replace(self, fields=fields)

    def about(self, keyword: str, *fields: str) -> "Defect":
        """The same defect with the violated JSON Schema keyword and the wrong properties."""
        return replace(self, keyword=keyword, fields=fields)


def defect(
    kind: Kind, text: str, *, expected: str = "", actual: Any = None, **values: Any
) -> Defect:
    """A defect whose text names `values` in braces.

    With values, "{{" and "}}" stand for braces.
    """
    return Defect(kind, text, expected, actual, values=values)


@dataclass(frozen=True)
class Finding:
    """What one item of the run found on one operation.

    `exchanges` are the ids of its evidence. `defect` is there where the verdict is a failure.
    `responses` is the number of responses with this verdict where a rule checked each of them.
    `schemes` and `faces` ("http", "tool") are those of the requests that it is based on.
    """

    requirement: str
    verdict: Verdict
    operation: str | None = None
    message: str = ""
    expected: str = ""
    needs: tuple[str, ...] = ()
    exchanges: tuple[str, ...] = ()
    item: str = ""
    defect: Defect | None = None
    responses: int = 0
    schemes: tuple[str, ...] = ()
    faces: tuple[str, ...] = ()


class Violation(Exception):
    """The target violates the requirement that is being checked."""

    def __init__(
        self, defect: Defect, *, exchanges: Iterable[str] = (), operation: str | None = None
    ) -> None:
        super().__init__(defect.sentence)
        self.defect = defect
        self.exchanges = tuple(exchanges)
        self.operation = operation

    @property
    def message(self) -> str:
        """The sentence of the defect."""
        return self.defect.sentence

    @property
    def expected(self) -> str:
        """What the contract requires instead."""
        return self.defect.expected


class Inconclusive(Exception):
    """A prerequisite is missing; `needs` are the profile keys, or the data, that provide it."""

    def __init__(
        self, message: str, *, needs: Iterable[str] = (), exchanges: Iterable[str] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.needs = tuple(needs)
        self.exchanges = tuple(exchanges)


class NotApplicable(Exception):
    """The target does not have the subject of the requirement."""


FOUND = (Violation, Inconclusive, NotApplicable)
"""What a check raises about a target; anything else is an internal error."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that decides among several; inconclusive where there is none."""
    order = list(Verdict)
    return min(verdicts, key=order.index, default=Verdict.INCONCLUSIVE)


def conclude(musts: Iterable[Verdict]) -> Conclusion:
    """The conclusion from the verdicts of all `must` requirements.

    An error never lets a run be conformant.
    """
    seen = set(musts)
    if Verdict.FAIL in seen:
        return Conclusion.NON_CONFORMANT
    if Verdict.PASS in seen and seen <= {Verdict.PASS, Verdict.NOT_APPLICABLE}:
        return Conclusion.CONFORMANT
    return Conclusion.INCONCLUSIVE
