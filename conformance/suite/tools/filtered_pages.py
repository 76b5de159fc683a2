"""Pages of a list by tool under filters, which show what passes them and nothing else."""

from collections.abc import Mapping
from typing import Any

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call
from conformance.rules.judgement import shown
from conformance.rules.tool_result import ToolResult
from conformance.suite.callers import expect
from conformance.suite.tools.comparison import ROUNDS, Comparison, Pair
from conformance.suite.tools.interfaces import Received
from conformance.suite.tools.results import by_id
from conformance.suite.tools.toolbox import arguments_of


def check_only_passing(call: Call, owners: Mapping[str, str], comparison: Comparison) -> ToolResult:
    """The page by tool; Violation where it shows a record of another owner than its filters name.

    A rejection is allowed, and so is what the filters return over HTTP.
    """
    toolbox = comparison.toolbox
    purpose = "a filter by tool"
    result = toolbox.call_as_primary(comparison.operation, arguments_of(call), purpose)
    _check_items(call, result, comparison)
    if not _strays(Received(result.exchange, result).items, owners):
        return result
    over_http = toolbox.live.callers.send(call, scheme=toolbox.scheme, purpose="the same over HTTP")
    violation = defect(
        Kind.FOREIGN,
        "the tool shows records with another {property} than the filter",
        expected="records that fit the filter",
        property=" or ".join(owners),
    ).on(*owners)
    fits_neither = bool(_strays(over_http.items, owners))
    expect.that(fits_neither, violation, result.exchange, over_http)
    return result


def check_as_full(call: Call, result: ToolResult, comparison: Comparison) -> None:
    """Violation where a page under filters in capitals stays empty by tool, and not over HTTP."""
    toolbox = comparison.toolbox
    for _ in range(1, ROUNDS):
        if not result.is_served or Received(result.exchange, result).items:
            return
        purpose = "the same over HTTP"
        over_http = toolbox.live.callers.send(call, scheme=toolbox.scheme, purpose=purpose)
        if not over_http.items:
            return
        purpose = "the page by tool in capitals, once more"
        result = toolbox.call_as_primary(comparison.operation, arguments_of(call), purpose)
    violation = defect(
        Kind.OMITTED,
        "the tool shows no record under filters in capitals, and HTTP shows some",
        expected=f"{len(over_http.items)} items",
        actual=0,
    ).on("items")
    is_empty = result.is_served and not Received(result.exchange, result).items
    expect.that(not is_empty, violation, over_http, result.exchange)


def _check_items(call: Call, result: ToolResult, comparison: Comparison) -> None:
    """Violation where the items of a page are an array over HTTP, and are none by tool."""
    items = _items_of(result.data)
    if isinstance(items, list):
        return
    toolbox = comparison.toolbox
    over_http = toolbox.live.callers.send(call, scheme=toolbox.scheme, purpose="the same over HTTP")
    violation = defect(
        Kind.VALUE,
        "the items by tool are {value}",
        expected="an array",
        actual=items,
        value=shown(items),
    ).on("items")
    is_same = not isinstance(_items_of(over_http.data), list)
    expect.that(is_same, violation.at(result.where), over_http, result.exchange)


def _items_of(data: Any) -> Any:
    return data.get("items", []) if isinstance(data, dict) else []


def _strays(items: list[Any], owners: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """The records that do not have all of these owners."""
    records = by_id(items).values()
    return [
        record
        for record in records
        if not all(_fits(record, name, id) for name, id in owners.items())
    ]


def check_filtered(pairs: list[Pair], name: str, value: str) -> None:
    """Violation where a tool shows a record with another value than the filter.

    A filter that fails over HTTP too is a defect of the list, which its own checks report.
    """
    over_http = (record for pair in pairs for record in by_id(pair.over_http.items).values())
    if not all(_fits(record, name, value) for record in over_http):
        return
    for pair in pairs:
        for record in by_id(pair.by_tool.items).values():
            shown = str(record.get(name, value))
            violation = defect(
                Kind.FOREIGN,
                "the tool shows a record with another {property} than the filter",
                expected="records that fit the filter",
                actual=shown,
                property=name,
            ).on(name)
            expect.that(_fits(record, name, value), violation, pair.by_tool.exchange)


def _fits(record: Mapping[str, Any], name: str, value: str) -> bool:
    """Whether a record has the value of the filter, or does not show the property."""
    return str(record.get(name, value)).lower() == value.lower()
