"""What has to hold of the responses once a failure is repaired, derived from its defect."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

from conformance.contract.verdict import Kind, Part
from conformance.report import finding, recorded_body
from conformance.report.body_values import (
    ABSENT,
    at,
    has_error_text,
    have_one_code,
    is_rejected_call,
    length,
)
from conformance.report.document_types import (
    DefectEntry,
    ExchangeEntry,
    FindingEntry,
    LocationEntry,
)

ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

UNREACHED = frozenset({403, 404})
"""What responds to a read of a record that is not there for its caller."""

TOOL_ERROR = "/result/isError"
"""The place of what is wrong with the error of a tool, whose body may be in a text."""

WHOLE = frozenset({Kind.OMITTED, Kind.ENDLESS, Kind.EFFECT})
"""Kinds of defects that show in more responses than a finding has."""

SUCCESS = 200

THROTTLED = "throttled"
"""The caller whose responses depend on how many requests came before."""


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
        return self.is_of_tool and is_rejected_call(_body(responses[self.step]))

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
        return bool(at(_body(responses[self.step]), self.pointer) != self.wrong)

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
        return at(_body(responses[self.step]), self.pointer) is ABSENT

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
        return length(at(_body(responses[self.step]), self.pointer)) <= self.most

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
        one, other = (at(_body(responses[step]), pointer) for step, pointer in self.places)
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
        return has_error_text(_body(responses[self.step]), self.name)

    def source(self) -> str:
        """As a Python expression."""
        return f"has_error_text(bodies[{self.step}], {self.name!r})"


@dataclass(frozen=True)
class OneCode:
    """The errors of two steps have the same code, by whichever interface."""

    steps: tuple[int, int]

    def holds(self, responses: Sequence[ExchangeEntry]) -> bool:
        """Whether it holds."""
        return have_one_code(*(_body(responses[step]) for step in self.steps))

    def source(self) -> str:
        """As a Python expression."""
        one, other = self.steps
        return f"have_one_code(bodies[{one}], bodies[{other}])"


def conditions(defect: DefectEntry, exchanges: Sequence[ExchangeEntry]) -> list[Condition]:
    """The conditions of a finding; none where its responses alone do not say what has to hold."""
    if defect["kind"] in WHOLE or any(map(_is_beyond, exchanges)):
        return []
    places = [(_step(place, exchanges), place) for place in defect["where"]]
    known = [(step, place) for step, place in places if step is not None]
    if defect["kind"] in (Kind.DIFFERENCE, Kind.REPEATED):
        return list(_pairs(defect, known))
    found: list[Condition] = []
    for step, place in known:
        found += _at_place(defect, step, place, exchanges)
    return found


def _is_beyond(exchange: ExchangeEntry) -> bool:
    """Whether a response depends on those before it, or has no JSON with places."""
    media_type = header_of(exchange, "content-type") or ""
    return exchange.get("credential") == THROTTLED or media_type.startswith("text/event-stream")


def _step(place: LocationEntry, exchanges: Sequence[ExchangeEntry]) -> int | None:
    if not place["exchange"]:
        return len(exchanges) - 1
    ids = [exchange["id"] for exchange in exchanges]
    return ids.index(place["exchange"]) if place["exchange"] in ids else None


def _pairs(defect: DefectEntry, known: Sequence[tuple[int, LocationEntry]]) -> Iterator[Condition]:
    bodies = [(step, place["name"]) for step, place in known if place["part"] == Part.BODY]
    if len(bodies) == 1 and bodies[0] == (1, TOOL_ERROR):
        yield OneCode((0, 1))
    if len(bodies) < 2 or bodies[0] == bodies[1]:
        return
    if defect["kind"] == Kind.DIFFERENCE:
        yield Pair((bodies[0], bodies[1]), are_equal=True)
    else:
        one, other = ((step, f"{pointer}/id") for step, pointer in bodies[:2])
        yield Pair((one, other), are_equal=False)


def _at_place(
    defect: DefectEntry, step: int, place: LocationEntry, exchanges: Sequence[ExchangeEntry]
) -> Iterator[Condition]:
    if place["part"] == Part.STATUS:
        yield from _of_status(defect, step, exchanges)
    elif place["part"] == Part.HEADER:
        yield Header(step, place["name"], header_of(exchanges[step], place["name"]))
    elif defect["kind"] == Kind.ABSENT and defect["fields"]:
        for name in defect["fields"]:
            pointer = f"{place['name']}/{name}"
            is_of_tool = place["name"] == TOOL_ERROR
            yield ToolError(step, name) if is_of_tool else Value(step, pointer, ABSENT)
    elif defect["kind"] == Kind.EXTRA:
        yield Absent(step, place["name"])
    else:
        yield from _of_value(defect, step, place["name"], exchanges[step])


def _of_status(
    defect: DefectEntry, step: int, exchanges: Sequence[ExchangeEntry]
) -> Iterator[Condition]:
    allowed, excluded = (_statuses(defect, name) for name in ("allowed", "excluded"))
    if defect["kind"] == Kind.ACCEPTED and _has_cursor(exchanges[step]):
        return
    if not allowed and defect["kind"] == Kind.ACCEPTED:
        yield Rejected(step)
    elif SUCCESS in allowed and status_of(exchanges[step]) in UNREACHED and _ids(exchanges[step]):
        # What a list has shown by mistake is rightly out of reach, once the list is mended.
        shown = _shown_before(step, exchanges)
        if shown is not None:
            yield Status(step, allowed, shown=shown)
    elif allowed or excluded:
        yield Status(step, allowed, excluded)


def _has_cursor(exchange: ExchangeEntry) -> bool:
    """Whether a request has a cursor, which another instance of the target may reject as unknown.

    So a rejection says nothing.
    """
    return "cursor" in finding.condition(exchange)


def _shown_before(step: int, exchanges: Sequence[ExchangeEntry]) -> tuple[int, str] | None:
    """The earlier step whose response shows an id of the requested address, and the id."""
    pairs = ((earlier, id) for earlier in range(step) for id in _ids(exchanges[step]))
    return next((pair for pair in pairs if pair[1] in text_of(exchanges[pair[0]])), None)


def _ids(exchange: ExchangeEntry) -> list[str]:
    """The ids in the address of a request."""
    return re.findall(ID, exchange["request"]["url"])


def _statuses(defect: DefectEntry, name: str) -> tuple[int, ...]:
    stated = defect["values"].get(name, ())
    if not isinstance(stated, list | tuple):
        return ()
    return tuple(each for each in stated if type(each) is int)


def _of_value(
    defect: DefectEntry, step: int, pointer: str, exchange: ExchangeEntry
) -> Iterator[Condition]:
    """The value is another one; a container never compares equal, since it has a `requestId`."""
    if defect["kind"] == Kind.ACCEPTED:
        if not _has_cursor(exchange):
            yield Rejected(step, is_of_tool=True)
        return
    value = at(_body(exchange), pointer)
    limit = defect["values"].get("limit")
    if defect["kind"] == Kind.COUNT and isinstance(value, list) and type(limit) is int:
        yield AtMost(step, pointer, limit)
    elif not isinstance(value, dict | list):
        yield Value(step, pointer, value)


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
    return _without_ids(recorded_body.value(exchange.get("response"), text_of(exchange)))


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


def text_of(exchange: ExchangeEntry) -> str:
    """The text of the body of a response."""
    response = exchange.get("response")
    return response["body"].get("text", "") if response else ""


def _body(exchange: ExchangeEntry) -> Any:
    return recorded_body.value(exchange.get("response"), ABSENT)
