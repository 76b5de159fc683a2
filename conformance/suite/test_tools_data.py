"""Data by tool: a tool returns the data of its operation (What the service does, Versioning)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import cycle
from typing import Any

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call
from conformance.rules.records import every_value
from conformance.rules.tool_result import ToolResult
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.limits import filling
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.suite.lists.pagination import PAGE
from conformance.suite.reading.other_case import OtherCase
from conformance.suite.tools.comparison import ROUNDS, Comparison, Pair
from conformance.suite.tools.filtered_pages import (
    check_as_full,
    check_filtered,
    check_only_passing,
)
from conformance.suite.tools.filters import FilterCase, cursor_of, filter_cases, filters_of
from conformance.suite.tools.interfaces import ByTool, Received
from conformance.suite.tools.page_comparison import PageComparison
from conformance.suite.tools.results import by_id, check_rejected
from conformance.suite.tools.toolbox import Toolbox, arguments_of

PAGES = 3
"""Pages in a row that are compared."""
SHORTEST = 3
"""Records of a list whose pages in a row are compared one record at a time."""
FILTERED = ("2", "100", "1", "37")
"""The limits that filters are tried with, in turn."""


@requirement("tools/data")
def test_a_tool_returns_the_data_of_its_operation(operation: Operation, toolbox: Toolbox) -> None:
    """A tool and its operation show the same records with the same properties."""
    live, call = toolbox.live, toolbox.live.call(operation)
    toolbox.tool(operation)
    comparison = Comparison(operation, toolbox)
    if operation.is_list:
        _compare_pages(call, comparison)
        _compare_filters(call, comparison)
        _compare_without_limit(call, comparison)
    _compare_other_case(call, comparison)
    comparison.pair(call)
    by_another = Comparison(operation, toolbox.by_another_scheme())
    for each in _other_calls(call, operation, live):
        by_another.pair(each)
        if operation.is_list:
            _compare_longest_pages(each, by_another)
    if _has_default_limit(operation):
        _compare_lengths(call, comparison)
    if not call.path and not operation.is_list:
        by_another.pair(call)
        _compare_as_outsider(call, comparison)
        if by_another.toolbox.scheme != toolbox.scheme:
            _compare_as_outsider(call, by_another)
    if call.path:
        absent = {**arguments_of(call), parameter_of(operation): live.made_up(operation.id)}
        check_rejected(toolbox.call_as_primary(operation, absent, "an id that nothing has"))


def _compare_pages(call: Call, comparison: Comparison) -> None:
    """The longest and the shortest page, short ones in a row, full ones, and some by filter."""
    operation, toolbox = comparison.operation, comparison.toolbox
    pages = PageComparison(comparison, cursor_of(call, operation, toolbox))
    by_another = replace(comparison, toolbox=toolbox.by_another_scheme())
    _compare_longest_pages(call, comparison)
    replace(pages, comparison=by_another).check_pages(call.asking(limit="1"), 1)
    pairs = pages.check_pages(call.asking(limit="5"), PAGES)
    if len(pairs) == 1:  # a later page of a short list
        limit = "2" if len(pairs[0].over_http.items) > SHORTEST else "1"
        pages.check_pages(call.asking(limit=limit), PAGES)
    is_closing = operation.id in api.load().closing_lists
    if is_closing:
        _compare_full_page(call, len(toolbox.live.listing(operation.id).ids), pages)
    for name, restricted, value in filters_of(operation, toolbox):
        records = every_value(toolbox.live.listing(operation.id).records, restricted).count(value)
        # A cursor may imply its filter, and be rejected beside it.
        with suppress(Inconclusive):
            # The second page is the last one: a longer one would show what does not pass.
            filtered = call.asking(limit=str(min(max(records - 1, 1), PAGE)), **{name: value})
            check_filtered(pages.check_pages(filtered, PAGES - 1), restricted, value)
        if is_closing:
            _compare_full_page(call.asking(**{name: value}), records, pages)


def _compare_longest_pages(call: Call, comparison: Comparison) -> None:
    """What follows the hundredth record: some tools end there."""
    cursor = cursor_of(call, comparison.operation, comparison.toolbox)
    PageComparison(comparison, cursor).check_pages(call.asking(limit="100"), PAGES)


def _compare_full_page(call: Call, records: int, pages: PageComparison) -> None:
    """The last page of a list of so many records, which they fill: it has no cursor."""
    for limit in filling(records):
        with suppress(Inconclusive):
            pages.check_pages(call.asking(limit=str(limit)), records // limit)


def _compare_without_limit(call: Call, comparison: Comparison) -> None:
    """A page by tool without a limit leads on to the records that it does not show."""
    operation, toolbox = comparison.operation, comparison.toolbox
    cursor = cursor_of(call, operation, toolbox)
    result = toolbox.call_as_primary(operation, arguments_of(call), "a page without a limit")
    page = Received(result.exchange, result)
    if not result.is_served or cursor is None:
        return
    shown = by_id(page.items).keys()
    if page.cursor is not None:
        arguments = arguments_of(call.asking(**{cursor: page.cursor}))
        after = toolbox.call_as_primary(operation, arguments, "the page after it")
        is_again = bool(shown) and by_id(Received(after.exchange, after).items).keys() == shown
        text = "the cursor of a page without a limit leads back to it"
        loop = defect(Kind.ENDLESS, text, expected="the following page")
        expect.that(not is_again, loop, result.exchange, after.exchange)
    # Without a cursor, neither interface leads on; their first pages may have other lengths.
    elif by_id(_longest_page(call, toolbox.live)).keys() - shown:
        PageComparison(comparison, cursor).check_same_records(call)


def _longest_page(call: Call, live: Live) -> Sequence[Mapping[str, Any]]:
    """The records of a list over HTTP, or those of its longest page below a record."""
    if not call.path:
        return live.listing(call.operation).records
    (id,) = call.path.values()
    page = live.children(call.operation).get(id)
    return [] if page is None else page.items


def _compare_filters(call: Call, comparison: Comparison) -> None:
    """Filters that the first record does not show, alone and together, with several limits."""
    operation, toolbox = comparison.operation, comparison.toolbox
    pages = PageComparison(comparison, cursor_of(call, operation, toolbox))
    limits = cycle(FILTERED)
    by_another = replace(comparison, toolbox=toolbox.by_another_scheme())
    turns = cycle((comparison, by_another))
    for case in filter_cases(operation, toolbox):
        comparison = next(turns)
        limit = "1" if case.in_capitals else next(limits)
        filtered = call.asking(limit=limit, **case.filters)
        if not case.has_records:
            result = check_only_passing(filtered, case.owners, comparison)
            if case.in_capitals:
                check_as_full(filtered, result, comparison)
                _check_following(filtered, result, case, replace(pages, comparison=comparison))
            continue
        # A cursor may imply its filters, and be rejected beside them.
        with suppress(Inconclusive):
            shown = replace(pages, comparison=comparison).check_pages(filtered, PAGES)
            for restricted, id in case.owners.items():
                check_filtered(shown, restricted, id)


def _check_following(
    call: Call, result: ToolResult, case: FilterCase, pages: PageComparison
) -> None:
    """The page after this one keeps to the filters too."""
    cursor = Received(result.exchange, result).cursor
    if cursor is not None and pages.cursor is not None:
        following = call.asking(limit="100", **{pages.cursor: cursor})
        check_only_passing(following, case.owners, pages.comparison)


def _compare_other_case(call: Call, comparison: Comparison) -> None:
    """An id and a cursor in the other case."""
    operation, toolbox = comparison.operation, comparison.toolbox
    other_case = OtherCase(operation, toolbox.live, ByTool(toolbox), toolbox.scheme)
    if call.path:
        other_case.check_id(toolbox.live.richest(operation))
    cursor = cursor_of(call, operation, toolbox)
    if cursor is not None:
        other_case.check_cursor(call.asking(limit="1"), cursor)


def _has_default_limit(operation: Operation) -> bool:
    limit = operation.parameter("limit")
    return limit is not None and "default" in limit.schema


def _compare_lengths(call: Call, comparison: Comparison) -> None:
    """Violation where the first page without `limit` stays of another length than over HTTP."""
    lengths = set()
    for _ in range(ROUNDS):
        pair = comparison.pair(call)
        if pair is None or len(pair.by_tool.items) == len(pair.over_http.items):
            return
        last = pair
        lengths.add((len(pair.over_http.items), len(pair.by_tool.items)))
    if len(lengths) > 1:
        return  # pages may be shorter than their limit, each time by another number
    violation = defect(
        Kind.COUNT,
        "the default limit of the tool is not that of the operation",
        expected=f"{len(last.over_http.items)} items",
        actual=len(last.by_tool.items),
    ).on("items")
    expect.violated(violation, last.over_http.exchange, last.by_tool.exchange)


def _compare_as_outsider(call: Call, comparison: Comparison) -> None:
    """Violation where the outsider, right after primary, is served another record than by HTTP."""
    operation, toolbox = comparison.operation, comparison.toolbox
    outsider = toolbox.live.session.target.credentials.get("outsider")
    if outsider is None or toolbox.scheme not in outsider.schemes:
        return
    purpose = "the outsider, after primary"
    over_http = toolbox.live.callers.send(call, outsider, toolbox.scheme, purpose=purpose)
    by_tool = toolbox.call(operation, {}, outsider, toolbox.scheme, purpose=purpose)
    if over_http.status == 200 and by_tool.is_served:
        comparison.check_record(Pair(Received(over_http), Received(by_tool.exchange, by_tool)))


def _other_calls(call: Call, operation: Operation, live: Live) -> list[Call]:
    """The call for the last and the longest record, or for the longest and the shortest page.

    Some tools shorten long data, or take a page without items for an absent one.
    """
    if not call.path:
        return []
    name = parameter_of(operation)
    if operation.is_list:
        pages = live.children(operation.id)
        lengths = {id: len(str(page.items)) for id, page in pages.items()}
        ids = [max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)]
    else:
        ids = [live.records(PARENTS[name])[-1].record["id"], live.richest(operation).path[name]]
    return [call.at(**{name: id}) for id in dict.fromkeys(ids) if id != call.path[name]]
