"""Data by tool: what a tool gives is what its operation gives (What the service does, Versioning)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, Violation, defect
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.suite.test_arguments import known
from conformance.suite.tools.answers import refused, served
from conformance.suite.tools.parity import WHOLE, Place, added, promised, sound, unlike
from conformance.suite.tools.toolbox import Toolbox, arguments_of

ROUNDS = 3
PAGES = 3
"""Pages in a row that both faces are asked for."""


@requirement("tools/data")
def test_a_tool_gives_the_data_of_its_operation(operation: Operation, toolbox: Toolbox) -> None:
    """What a tool answers is what the operation answers over HTTP, page by page."""
    live, call = toolbox.live, toolbox.live.call(operation)
    toolbox.tool(operation)
    if operation.is_list:
        _same_pages(call, operation, toolbox)
    for one in (call, *_of_others(call, operation, live)):
        _same(one, operation, toolbox)
    if call.path:
        absent = {**arguments_of(call), parameter_of(operation): live.made_up(operation.id)}
        refused(toolbox.as_primary(operation, absent, "what does not exist"))


def _same_pages(call: Call, operation: Operation, toolbox: Toolbox) -> None:
    """The longest page and the shortest, and three short ones in a row; under each filter two."""
    name = _cursor(call, operation, toolbox)
    for limit in ("100", "1"):
        _same(call.asking(limit=limit), operation, toolbox)
    _in_a_row(call.asking(limit="5"), operation, toolbox, (name, PAGES))
    for filter, id in filters(operation, toolbox):
        with suppress(
            Inconclusive
        ):  # a cursor may bring its filter along, and be refused beside it
            _in_a_row(call.asking(limit="5", **{filter: id}), operation, toolbox, (name, PAGES - 1))


def _in_a_row(
    page: Call, operation: Operation, toolbox: Toolbox, way: tuple[str | None, int]
) -> None:
    """Some pages of a list, one after the other, given the name of the cursor and how many they may be."""
    name, most = way
    for _ in range(most):
        cursor = _same(page, operation, toolbox).cursor
        if cursor is None or name is None:
            break
        page = page.asking(**{name: cursor})


def _same(call: Call, operation: Operation, toolbox: Toolbox) -> Exchange:
    """What HTTP answers; Violation where the two faces keep telling different things; what changes over HTTP as well is none."""
    live = toolbox.live
    kept: set[Place] | None = None
    for number in range(ROUNDS):
        over_http = live.control(call, scheme=toolbox.scheme)
        answer = toolbox.served_to_primary(operation, arguments_of(call), "the data by tool")
        if (
            answer.refused
            and call.query
            and toolbox.live.send(call, scheme=toolbox.scheme, purpose="once more").status != 200
        ):
            return over_http  # A cursor may be good for one use.
        differing = (
            _differing(over_http, served(answer), operation, live)
            if over_http.data is not MISSING
            else set()
        )
        if not differing:
            return over_http  # Without data over HTTP, which is judged elsewhere, there is nothing to compare.
        for _ in range(
            number + 1
        ):  # more of them each time, or what takes turns would seem to stay
            again = toolbox.live.control(call, scheme=toolbox.scheme)
        changing = unlike(over_http.data, again.data)
        stable = {
            place
            for place in differing
            if not any(place[: len(other)] == other for other in changing)
        }
        if not stable and not changing & WHOLE:
            return over_http
        kept = stable if kept is None else kept & stable
    if not kept:
        raise Inconclusive(
            f"the data of {operation.id} change with every reading",
            needs=("data that stay as they are",),
        )
    told = ", ".join(sorted(".".join(map(str, place)) or "all of it" for place in kept)[:3])
    exchanges = [over_http.id, answer.exchange.id]
    raise Violation(
        defect(Kind.UNSORTED, f"tool and operation differ in {told}", expected="the same data"),
        exchanges=exchanges,
    )


def _differing(over_http: Exchange, by_tool: Any, operation: Operation, live: Live) -> set[Place]:
    """Where a tool tells other than its operation, but for what is malformed over HTTP, which is judged by the rules."""
    contract = live.session.contract
    differing = unlike(over_http.data, by_tool)
    found = promised(differing, contract) | added(
        differing, over_http.data, contract.schema(operation.resource)
    )
    return {place for place in found if sound(place, over_http.data, operation.resource, contract)}


def _cursor(call: Call, operation: Operation, toolbox: Toolbox) -> str | None:
    """The name of the cursor; None where it is not certain, or the tool has none, so that the two faces would show different pages."""
    with suppress(Inconclusive, NotApplicable):
        name = known(operation, "cursor", toolbox.live, call)
        return None if toolbox.argument(operation, name) is None else name
    return None


def _of_others(call: Call, operation: Operation, live: Live) -> list[Call]:
    """The same call for the last record and for that with the most in it, or for the parent with the longest page: tools may shorten."""
    if not call.path:
        return []
    name = parameter_of(operation)
    if operation.is_list:
        pages = live.children(operation.id)
        ids = [max(pages, key=lambda id: len(str(pages[id].items)))]
    else:
        records = [listed.record for listed in live.records(PARENTS[name])]
        ids = [records[-1]["id"], max(records, key=lambda record: len(str(record)))["id"]]
    return [call.at(**{name: id}) for id in dict.fromkeys(ids) if id != call.path[name]]


def filters(operation: Operation, toolbox: Toolbox) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain and that the tool takes, each with the value of the first record."""
    live = toolbox.live
    for role, member in operation.filters.items():
        with suppress(Inconclusive, NotApplicable):
            name = known(operation, role, live, Call(operation.id))
            value = str(live.records(operation.id)[0].record.get(member))
            if toolbox.argument(operation, name) is not None and is_uuid(value):
                yield name, value
