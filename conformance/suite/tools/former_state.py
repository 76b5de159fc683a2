"""The state before an approval, which the tools must not show after it (States and transitions)."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.contract.verdict import Inconclusive, Kind, Location
from conformance.http.exchange import Exchange
from conformance.rules.tool_result import ToolResult
from conformance.suite.approval.review import Record, Review, keeps_status
from conformance.suite.approval.settling import settle
from conformance.suite.callers import expect
from conformance.suite.tools.results import by_id
from conformance.suite.tools.toolbox import Arguments, Toolbox

AT_ONCE = 4
"""Results at once without the former state before a change counts as complete."""


@dataclass(frozen=True)
class Asked:
    """What a tool is asked for, and by whom."""

    id: str
    arguments: Arguments
    caller: str = "primary"


def check_left(review: Review, asked: Asked, toolbox: Toolbox, at_once: int = AT_ONCE) -> None:
    """Violation where a tool repeatedly shows the state that a review had before its approval."""
    operation = toolbox.live.operation(asked.id)
    with suppress(Inconclusive):  # other checks report tools that are not served
        toolbox.tool(operation)
        results: dict[str, ToolResult] = {}

        def call(number: int) -> list[Exchange]:
            purposes = [f"the state after the approval, {n}" for n in range(number)]
            requests = dict.fromkeys(purposes, asked.arguments)
            called = toolbox.call_all(operation, requests, toolbox.caller(asked.caller))
            results.update({result.exchange.id: result for result in called})
            return [result.exchange for result in called]

        def shows_former(exchange: Exchange) -> bool:
            return any(_shows(data, review) for data in results[exchange.id].shown)

        settling = settle(call, shows_former, toolbox.live.session, at_once)
        former = settling.former[-1:]
        status = review.record.get("status")
        kind = Kind.DIFFERENCE if settling.later else Kind.EFFECT
        text = "after its approval the tool shows the review with the status {status}"
        otherwise = keeps_status(status, text, kind)
        where = (_status_in(results[each.id], review) for each in former)
        expect.that(settling.is_settled, otherwise.at(*where), *settling.later[-1:], *former)


def _status_in(result: ToolResult, review: Review) -> Location:
    """Where a result shows the status of a review."""
    items = result.data.get("items") if isinstance(result.data, dict) else None
    for number, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and str(item.get("id")).lower() == review.id.lower():
            return result.located("items", number, "status")
    return result.where if items else result.located("status")


def _shows(data: Any, review: Review) -> bool:
    """Whether data of a tool show the former status of a review."""
    former = review.record.get("status")
    return former is not None and _record(data, review).get("status") == former


def _record(data: Any, review: Review) -> Record:
    """The review in data of a tool; empty where they do not show it."""
    if not isinstance(data, dict):
        return {}
    if "items" not in data:
        is_another = str(data.get("id", review.id)).lower() != review.id.lower()
        return {} if is_another else data
    # An item without an id may be any review: the specification does not require one.
    items = data["items"] if isinstance(data["items"], list) else []
    return dict(by_id(items).get(review.id.lower(), {}))
