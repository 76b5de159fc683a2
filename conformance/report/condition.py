"""What may have to hold of the responses to the steps of a finding, once it is repaired."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

from conformance.report import recorded_body
from conformance.report.body_values import (
    ABSENT,
    at,
    has_error_text,
    have_one_code,
    is_rejected_call,
    length,
)
from conformance.report.document_types import (
    ExchangeEntry,
)


class Condition(Protocol):
    """One thing that has to hold of the responses to the steps of a finding."""

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""

    def source(self) -> str:
        """The same as a Python expression on `responses`, see pytest_file."""


@dataclass(frozen=True)
class Status:
    """The status of a step is one of `allowed`; without any, it is none of `excluded`.

    `shown` is an earlier step and an id: what is not shown there any more need not be served.
    """

    step: int
    allowed: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    shown: tuple[int, str] | None = None

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        status = status_of(responses[self.step])
        if status is None:
            return False
        if self.shown is not None and self.shown[1] not in text_of(responses[self.shown[0]]):
            return True
        return status in self.allowed if self.allowed else status not in self.excluded

    def source(self) -> str:
        """As a Python expression."""
        status = f"responses[{self.step}].status_code"
        listed = f" in {self.allowed!r}" if self.allowed else f" not in {self.excluded!r}"
        if self.shown is None:
            return f"{status}{listed}"
        step, id = self.shown
        return f"{id!r} not in responses[{step}].text or {status}{listed}"


@dataclass(frozen=True)
class Rejected:
    """A step is rejected, with any status of 4xx; `is_of_tool`: or as tools reject."""

    step: int
    is_of_tool: bool = False

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        status = status_of(responses[self.step])
        if status is not None and 400 <= status < 500:
            return True
        return self.is_of_tool and is_rejected_call(body_of(responses[self.step]))

    def source(self) -> str:
        """As a Python expression."""
        status = f"responses[{self.step}].status_code"
        rejected = f"400 <= {status} < 500"
        by_tool = f" or is_rejected_call(bodies[{self.step}])" if self.is_of_tool else ""
        return f"{rejected}{by_tool}"


@dataclass(frozen=True)
class Header:
    """A header of a step is there, with another value than before."""

    step: int
    name: str
    wrong: str | None

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return header_of(responses[self.step], self.name) not in (None, "", self.wrong)

    def source(self) -> str:
        """As a Python expression."""
        value = f"responses[{self.step}].headers.get({self.name!r})"
        return f"{value} not in (None, '', {self.wrong!r})"


@dataclass(frozen=True)
class Value:
    """A place in the body of a step has another value than before, or is absent where it was."""

    step: int
    pointer: str
    wrong: Any

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return bool(at(body_of(responses[self.step]), self.pointer) != self.wrong)

    def source(self) -> str:
        """As a Python expression."""
        return f"at(bodies[{self.step}], {self.pointer!r}) != {self._wrong()}"

    def _wrong(self) -> str:
        if self.wrong is ABSENT:
            return "ABSENT"
        # NaN and Infinity, which some parsers accept, are no literals of Python.
        is_literal = not isinstance(self.wrong, float) or isfinite(self.wrong)
        return repr(self.wrong) if is_literal else f"float({str(self.wrong)!r})"


@dataclass(frozen=True)
class Absent:
    """A place in the body of a step that the contract excludes is no longer there."""

    step: int
    pointer: str

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return at(body_of(responses[self.step]), self.pointer) is ABSENT

    def source(self) -> str:
        """As a Python expression."""
        return f"at(bodies[{self.step}], {self.pointer!r}) is ABSENT"


@dataclass(frozen=True)
class AtMost:
    """An array in the body of a step has no more items than that."""

    step: int
    pointer: str
    most: int

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return length(at(body_of(responses[self.step]), self.pointer)) <= self.most

    def source(self) -> str:
        """As a Python expression."""
        return f"length(at(bodies[{self.step}], {self.pointer!r})) <= {self.most}"


@dataclass(frozen=True)
class Pair:
    """Two places have equal values, or different ones."""

    places: tuple[tuple[int, str], tuple[int, str]]
    are_equal: bool

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        one, other = (at(body_of(responses[step]), pointer) for step, pointer in self.places)
        return bool(one == other) is self.are_equal

    def source(self) -> str:
        """As a Python expression."""
        one, other = (f"at(bodies[{step}], {pointer!r})" for step, pointer in self.places)
        return f"{one} {'==' if self.are_equal else '!='} {other}"


@dataclass(frozen=True)
class ToolError:
    """The error result of a tool has a property with a text, or the tool rejects in another way."""

    step: int
    name: str

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return has_error_text(body_of(responses[self.step]), self.name)

    def source(self) -> str:
        """As a Python expression."""
        return f"has_error_text(bodies[{self.step}], {self.name!r})"


@dataclass(frozen=True)
class OneCode:
    """The errors of two steps have the same code, by whichever interface."""

    steps: tuple[int, int]

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return have_one_code(*(body_of(responses[step]) for step in self.steps))

    def source(self) -> str:
        """As a Python expression."""
        one, other = self.steps
        return f"have_one_code(bodies[{one}], bodies[{other}])"


def status_of(exchange: ExchangeEntry) -> int | None:
    """The status of a response; None where there was none."""
    response = exchange.get("response")
    return response["status"] if response else None


def header_of(exchange: ExchangeEntry, name: str) -> str | None:
    """The value of a header of a response; None where it is absent."""
    response = exchange.get("response")
    headers = response["headers"] if response else []
    return next((value for each, value in headers if each == name), None)


def text_of(exchange: ExchangeEntry) -> str:
    """The text of the body of a response."""
    response = exchange.get("response")
    return response["body"].get("text", "") if response else ""


def body_of(exchange: ExchangeEntry) -> Any:
    """The JSON body of a response; ABSENT where it has none."""
    return recorded_body.value(exchange.get("response"), ABSENT)
