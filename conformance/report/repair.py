"""What has to hold of the responses once a failure is repaired, derived from its defect."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

from conformance.contract.pointer import steps
from conformance.contract.verdict import Kind, Part
from conformance.report import recorded_body
from conformance.report.document_types import (
    DefectEntry,
    ExchangeEntry,
    FindingEntry,
    LocationEntry,
)

ABSENT = object()
"""The value at a place that a body does not have."""


class Condition(Protocol):
    """One thing that has to hold of the responses to the steps of a finding."""

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""

    def source(self) -> str:
        """The same as a Python expression on `responses`, see pytest_file."""


@dataclass(frozen=True)
class Status:
    """The status of a step is allowed, or at least another one than before."""

    step: int
    wrong: int
    allowed: tuple[int, ...]
    must_be_rejected: bool

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        status = status_of(responses[self.step])
        if status is None:
            return False
        if self.allowed:
            return status in self.allowed
        return 400 <= status < 500 if self.must_be_rejected else status != self.wrong

    def source(self) -> str:
        """As a Python expression."""
        status = f"responses[{self.step}].status_code"
        if self.allowed:
            return f"{status} in {self.allowed!r}"
        return f"400 <= {status} < 500" if self.must_be_rejected else f"{status} != {self.wrong}"


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
        return bool(at(responses[self.step], self.pointer) != self.wrong)

    def source(self) -> str:
        """As a Python expression."""
        return f"at(responses[{self.step}], {self.pointer!r}) != {self._wrong()}"

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
        return at(responses[self.step], self.pointer) is ABSENT

    def source(self) -> str:
        """As a Python expression."""
        return f"at(responses[{self.step}], {self.pointer!r}) is ABSENT"


@dataclass(frozen=True)
class Pair:
    """Two places have equal values, or different ones."""

    places: tuple[tuple[int, str], tuple[int, str]]
    are_equal: bool

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        one, other = (at(responses[step], pointer) for step, pointer in self.places)
        return bool(one == other) is self.are_equal

    def source(self) -> str:
        """As a Python expression."""
        one, other = (f"at(responses[{step}], {pointer!r})" for step, pointer in self.places)
        return f"{one} {'==' if self.are_equal else '!='} {other}"


@dataclass(frozen=True)
class ToolError:
    """The error result of a tool has a property with a text, or the tool rejects in another way."""

    step: int
    name: str

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        response = responses[self.step]
        if at(response, "/result/isError") is not True:
            return at(response, "/error") is not ABSENT
        bodies = (at(response, "/result/structuredContent"), *_texts(response))
        return any(
            isinstance(each, dict) and isinstance(each.get(self.name), str) for each in bodies
        )

    def source(self) -> str:
        """As a Python expression."""
        return f"has_error_text(responses[{self.step}], {self.name!r})"


def conditions(defect: DefectEntry, exchanges: Sequence[ExchangeEntry]) -> list[Condition]:
    """The conditions of a finding; none where its defect has no place in the responses."""
    places = [(_step(place, exchanges), place) for place in defect["where"]]
    known = [(step, place) for step, place in places if step is not None]
    bodies = [(step, place["name"]) for step, place in known if place["part"] == Part.BODY]
    pair = _pair(defect, bodies)
    if pair is not None:
        return [pair]
    found: list[Condition] = []
    for step, place in known:
        found += _at_place(defect, step, place, exchanges[step])
    return found


def _step(place: LocationEntry, exchanges: Sequence[ExchangeEntry]) -> int | None:
    if not place["exchange"]:
        return len(exchanges) - 1
    ids = [exchange["id"] for exchange in exchanges]
    return ids.index(place["exchange"]) if place["exchange"] in ids else None


def _pair(defect: DefectEntry, bodies: Sequence[tuple[int, str]]) -> Pair | None:
    if len(bodies) < 2 or bodies[0] == bodies[1]:
        return None
    if defect["kind"] == Kind.DIFFERENCE:
        return Pair((bodies[0], bodies[1]), are_equal=True)
    if defect["kind"] == Kind.REPEATED:
        one, other = ((step, f"{pointer}/id") for step, pointer in bodies[:2])
        return Pair((one, other), are_equal=False)
    return None


def _at_place(
    defect: DefectEntry, step: int, place: LocationEntry, exchange: ExchangeEntry
) -> Iterator[Condition]:
    if place["part"] == Part.STATUS:
        status = status_of(exchange)
        if status is not None:
            rejected = defect["kind"] == Kind.ACCEPTED
            yield Status(step, status, _allowed(defect), rejected)
    elif place["part"] == Part.HEADER:
        yield Header(step, place["name"], header_of(exchange, place["name"]))
    elif defect["kind"] == Kind.ABSENT and defect["fields"]:
        is_of_tool = place["name"] == "/result/isError"
        for name in defect["fields"]:
            pointer = f"{place['name']}/{name}"
            yield ToolError(step, name) if is_of_tool else Value(step, pointer, ABSENT)
    elif defect["kind"] == Kind.EXTRA:
        yield Absent(step, place["name"])
    else:
        yield from _of_value(defect, step, place["name"], exchange)


def _allowed(defect: DefectEntry) -> tuple[int, ...]:
    stated = defect["values"].get("allowed", ())
    if not isinstance(stated, list | tuple):
        return ()
    return tuple(each for each in stated if type(each) is int)


def _of_value(
    defect: DefectEntry, step: int, pointer: str, exchange: ExchangeEntry
) -> Iterator[Condition]:
    """The value is another one; a container never compares equal, since it has a `requestId`."""
    value = at(exchange, pointer)
    if not isinstance(value, dict | list):
        yield Value(step, pointer, value)
    elif defect["kind"] == Kind.ACCEPTED and isinstance(value, dict):
        is_error = value.get("isError")
        if isinstance(is_error, bool):
            yield Value(step, f"{pointer}/isError", is_error)


def are_equal(
    found: FindingEntry, before: Sequence[ExchangeEntry], after: Sequence[ExchangeEntry]
) -> bool:
    """Whether responses are those of the finding again, so that they show its defect as well.

    Every response has another `requestId`. Of headers, only the defect says which ones count.
    """
    places = found["defect"]["where"] if "defect" in found else []
    if any(place["part"] == Part.HEADER for place in places):
        return False
    pairs = zip(before, after, strict=True)
    return all(
        status_of(one) == status_of(other) and _content(one) == _content(other)
        for one, other in pairs
    )


def _content(exchange: ExchangeEntry) -> Any:
    response = exchange.get("response")
    text = response["body"].get("text", "") if response else ""
    return _without_ids(recorded_body.value(response, text))


def _without_ids(value: Any) -> Any:
    """A value without the ids of requests, also in a JSON text that a tool returns."""
    if isinstance(value, dict):
        return {name: _without_ids(each) for name, each in value.items() if name != "requestId"}
    if isinstance(value, list):
        return [_without_ids(each) for each in value]
    if isinstance(value, str) and '"requestId"' in value:
        try:
            return _without_ids(json.loads(value))
        except (ValueError, RecursionError):
            return value
    return value


def status_of(exchange: ExchangeEntry) -> int | None:
    """The status of a response; None where there was none."""
    response = exchange.get("response")
    return response["status"] if response else None


def header_of(exchange: ExchangeEntry, name: str) -> str | None:
    """The value of a header of a response; None where it is absent."""
    response = exchange.get("response")
    pairs: Mapping[str, str] = dict(map(tuple, response["headers"])) if response else {}  # type: ignore[arg-type]
    return pairs.get(name)


def _texts(exchange: ExchangeEntry) -> Iterator[Any]:
    """The JSON values in the texts of a tool's result."""
    parts = at(exchange, "/result/content")
    for part in parts if isinstance(parts, list) else ():
        try:
            yield json.loads(part["text"])
        except (ValueError, LookupError, TypeError, RecursionError):
            continue


def at(exchange: ExchangeEntry, pointer: str) -> Any:
    """The value at a JSON Pointer of a response; ABSENT where there is none."""
    value: Any = recorded_body.value(exchange.get("response"), ABSENT)
    try:
        for step in steps(pointer):
            value = value[int(step)] if isinstance(value, list) else value[step]
    except (ValueError, LookupError, TypeError):
        return ABSENT
    return value
