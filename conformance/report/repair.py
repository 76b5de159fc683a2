"""The conditions of a failure, derived from its defect: what has to hold once it is repaired."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.contract.verdict import Kind, Part
from conformance.report import finding, recorded_body
from conformance.report.body_values import (
    ABSENT,
    at,
)
from conformance.report.condition import (
    Absent,
    AtMost,
    Condition,
    Header,
    OneCode,
    Pair,
    Rejected,
    Status,
    ToolError,
    Value,
    body_of,
    header_of,
    status_of,
    text_of,
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

TOOL_ERRORS = frozenset({"/result/content", "/result/structuredContent"})
"""The places of what is wrong with the error of a tool, whose body may be in a text."""

WHOLE = frozenset({Kind.OMITTED, Kind.ENDLESS, Kind.EFFECT})
"""Kinds of defects that show in more responses than a finding has."""

SUCCESS = 200

THROTTLED = "throttled"
"""The caller whose responses depend on how many requests came before."""


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
    """Whether a response depends on those before it."""
    return exchange.get("credential") == THROTTLED


def _step(place: LocationEntry, exchanges: Sequence[ExchangeEntry]) -> int | None:
    if not place["exchange"]:
        return len(exchanges) - 1
    ids = [exchange["id"] for exchange in exchanges]
    return ids.index(place["exchange"]) if place["exchange"] in ids else None


def _pairs(defect: DefectEntry, known: Sequence[tuple[int, LocationEntry]]) -> Iterator[Condition]:
    bodies = [(step, place["name"]) for step, place in known if place["part"] == Part.BODY]
    if len(bodies) == 1 and bodies[0][0] == 1 and bodies[0][1] in TOOL_ERRORS:
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
            is_of_tool = place["name"] in TOOL_ERRORS
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
    value = at(body_of(exchange), pointer)
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
    What is nested too deeply to be compared is not called equal.
    """
    places = found["defect"]["where"] if "defect" in found else []
    if any(place["part"] == Part.HEADER for place in places):
        return False
    pairs = zip(before, after, strict=True)
    try:
        return all(
            status_of(one) == status_of(other) and _content(one) == _content(other)
            for one, other in pairs
        )
    except RecursionError:
        return False


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
