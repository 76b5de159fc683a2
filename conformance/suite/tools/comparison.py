"""Requests by tool and over HTTP whose data have to agree."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.pointer import Path, pointer
from conformance.contract.verdict import (
    Defect,
    Inconclusive,
    Kind,
    Location,
    Part,
    Violation,
    defect,
)
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.rules.tool_result import ToolResult
from conformance.suite.tools.parity import (
    by_id,
    differing_paths,
    is_absent,
    is_omitted,
    is_sound,
)
from conformance.suite.tools.results import data_of
from conformance.suite.tools.toolbox import Toolbox, arguments_of

ROUNDS = 3
"""How often two interfaces are read before a difference counts."""

PagePath = tuple[str, Path]
"""The id of a record on a page ("" for a response with a single record) and a path in it."""


@dataclass(frozen=True)
class Pair:
    """The responses of both interfaces to the same arguments."""

    over_http: Exchange
    by_tool: ToolResult

    @property
    def tool_items(self) -> list[Any]:
        """The items of the tool's page; [] where it returned no page."""
        return _items(self.by_tool.data) or []

    @property
    def tool_cursor(self) -> str | None:
        """`nextCursor` of the tool's page where it is a string."""
        data = self.by_tool.data
        cursor = data.get("nextCursor") if isinstance(data, dict) else None
        return cursor if isinstance(cursor, str) else None


@dataclass(frozen=True)
class Comparison:
    """Compares the tool of one read operation with the operation over HTTP."""

    operation: Operation
    toolbox: Toolbox

    def check_data(self, call: Call, tool_call: Call | None = None) -> Pair | None:
        """The responses of both interfaces; Violation where their shared records differ repeatedly.

        `tool_call` is the call by tool where its cursor is another one. None where the cursor
        cannot be used twice. A property that also changes between two reads over HTTP is not a
        difference.
        """
        stable: set[PagePath] | None = None
        for number in range(ROUNDS):
            # One interface may read a copy of the data that lags behind a write.
            self.toolbox.live.session.transport.wait(float(number))
            pair = self._read(call, tool_call or call)
            if pair.by_tool.is_rejected and self._is_used_up(call):
                return None
            data_of(pair.by_tool)
            differences = self._differences(pair)
            if not differences:
                return pair
            changing = self._changing(pair.over_http, number + 1)
            differences = {each for each in differences if not _is_within(each, changing)}
            if not differences:
                return pair
            stable = differences if stable is None else stable & differences
        if not stable:
            raise Inconclusive(
                f"the data of {self.operation.id} change with every read",
                needs=("data that stay the same",),
            )
        evidence = [pair.over_http.id, pair.by_tool.exchange.id]
        raise Violation(_difference(stable, pair), exchanges=evidence)

    def _read(self, call: Call, tool_call: Call) -> Pair:
        over_http = self.toolbox.live.callers.baseline(call, scheme=self.toolbox.scheme)
        arguments = arguments_of(tool_call)
        return Pair(
            over_http,
            self.toolbox.call_until_served(self.operation, arguments, "the data by tool"),
        )

    def _is_used_up(self, call: Call) -> bool:
        """Whether HTTP rejects a call that it served before: a cursor may be valid only once."""
        if not call.query:
            return False
        again = self.toolbox.live.callers.send(
            call, scheme=self.toolbox.scheme, purpose="once more"
        )
        return again.status != 200

    def _differences(self, pair: Pair) -> set[PagePath]:
        if pair.over_http.data is MISSING:
            return set()  # reported by the rules of the response
        contract, resource = self.toolbox.live.session.contract, self.operation.resource
        found = {
            (id, path)
            for id, path, record, other in self._differing(pair.over_http.data, pair.by_tool.data)
            if is_sound(path, record, resource, contract)
            and not is_omitted(path, other, resource, contract)
        }
        # A text beside structured content may be a summary of it.
        return found | {
            (id, path)
            for data in pair.by_tool.further
            for id, path, record, other in self._differing(pair.over_http.data, data)
            if is_sound(path, record, resource, contract) and not is_absent(path, other)
        }

    def _differing(self, over_http: Any, by_tool: Any) -> Iterator[tuple[str, Path, Any, Any]]:
        """Each path in which a shared record differs, with the record of either interface."""
        for id, record, other in self._shared(over_http, by_tool):
            for path in differing_paths(record, other, self.toolbox.live.session.contract):
                yield id, path, record, other

    def _shared(self, over_http: Any, by_tool: Any) -> Iterator[tuple[str, Any, Any]]:
        """The records that both responses show."""
        if not self.operation.is_list:
            yield "", over_http, by_tool
            return
        listed, tool_listed = _items(over_http), _items(by_tool)
        if listed is None:
            return  # reported by the rules of the response
        if tool_listed is None:
            yield "", over_http, MISSING
            return
        records, others = by_id(listed), by_id(tool_listed)
        for id in records.keys() & others.keys():
            yield id, records[id], others[id]

    def _changing(self, over_http: Exchange, reads: int) -> set[PagePath]:
        """The paths that differ between reads over HTTP.

        There are more reads each time: a value that alternates would seem to stay the same.
        """
        for _ in range(reads):
            again = self.toolbox.live.callers.baseline(over_http.call, scheme=self.toolbox.scheme)
        return {(id, path) for id, path, *_ in self._differing(over_http.data, again.data)}


def _items(data: Any) -> list[Any] | None:
    """The items of a page; None where the data are not a page."""
    items = data.get("items") if isinstance(data, dict) else None
    return items if isinstance(items, list) else None


def _is_within(difference: PagePath, changing: set[PagePath]) -> bool:
    """Whether a path is, or is below, one that changes over HTTP as well."""
    id, path = difference
    return any(id == other and path[: len(way)] == way for other, way in changing)


def _difference(stable: set[PagePath], pair: Pair) -> Defect:
    id, path = min(stable, key=str)
    name = ".".join(map(str, path))
    violation = defect(
        Kind.DIFFERENCE,
        "the tool and HTTP differ in {property}",
        expected="the same data",
        property=name or "their data",
    )
    properties = (str(step) for step in path[:1])
    return violation.on(*properties).at(_place(id, path, pair.over_http))


def _place(id: str, path: Path, over_http: Exchange) -> Location:
    items = over_http.items
    index = [index for index, item in enumerate(items) if str(item.get("id")).lower() == id]
    start: Path = ("data", "items", index[0]) if index else ("data",)
    return Location(Part.BODY, pointer((*start, *path)), over_http.id)
