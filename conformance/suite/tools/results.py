"""Results of tool calls, as checks expect them to be."""

from collections.abc import Iterable
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Defect, Inconclusive, Kind, defect
from conformance.http.exchange import Exchange
from conformance.rules import tool_result as results
from conformance.rules.records import Record
from conformance.rules.tool_result import ToolResult
from conformance.suite.callers import expect

TRANSIENT = frozenset({429, 502, 503, 504})


def tool_result(exchange: Exchange, number: int) -> ToolResult:
    """The result of a tool call, by the number of its request; Inconclusive without a response."""
    if exchange.response is None or exchange.response.status in TRANSIENT:
        expect.clear(exchange)
    return results.read(exchange, number)


def by_id(items: Iterable[Any]) -> dict[str, Record]:
    """The records with a usable id among the items of a page, by their ids in lower case."""
    records = (item for item in items if isinstance(item, dict) and is_uuid(item.get("id")))
    return {record["id"].lower(): record for record in records}


def data_of(result: ToolResult) -> Any:
    """The data of a successful call; Violation if the call was rejected."""
    expect.that(result.is_served, _not_served(result), result.exchange)
    return result.data


def _not_served(result: ToolResult) -> Defect:
    return defect(
        Kind.STATUS,
        "{request}: {outcome}",
        expected="the data of the operation",
        actual=result.outcome,
        request=result.exchange.purpose,
        outcome=result.outcome,
    ).at(result.where)


def check_rejected(result: ToolResult) -> None:
    """Violation unless the call was rejected."""
    accepted = defect(
        Kind.ACCEPTED,
        "{request}: {outcome}",
        expected="a rejection",
        actual=result.outcome,
        request=result.exchange.purpose,
        outcome=result.outcome,
    ).at(result.located())
    expect.that(result.is_rejected, accepted, result.exchange)


def require_served(result: ToolResult) -> None:
    """Inconclusive unless the call was served: otherwise a later rejection says nothing."""
    if not result.is_served:
        raise Inconclusive(
            f"the baseline tool call returned {result.outcome}",
            needs=("a tool that serves primary",),
            exchanges=[result.exchange.id],
        )
