"""Pages of a list by tool and over HTTP, which have to show the same records in the end."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call
from conformance.rules.judgement import shown
from conformance.suite.callers import expect
from conformance.suite.tools.comparison import ROUNDS, Comparison, Pair
from conformance.suite.tools.parity import by_id
from conformance.suite.tools.results import data_of
from conformance.suite.tools.toolbox import arguments_of

MAX_LIMIT = 100
"""The longest page that the contract allows."""

Page = tuple[list[Any], str | None]
"""The items of a page and its `nextCursor`."""


@dataclass(frozen=True)
class WholeList:
    """The ids on all pages of one interface; `hides_ids` where an item shows none."""

    ids: set[str]
    hides_ids: bool = False

    def and_page(self, items: list[Any]) -> "WholeList":
        """The list with one page more."""
        hides_ids = any(not by_id([item]) for item in items)
        return WholeList(self.ids | by_id(items).keys(), self.hides_ids or hides_ids)

    def only(self, other: "WholeList") -> set[str]:
        """The ids that the other interface does not show; an item without an id may be any."""
        return set() if other.hides_ids else self.ids - other.ids


@dataclass(frozen=True)
class PageComparison:
    """Compares pages of one list; `cursor` is the name of its cursor parameter, None if unknown.

    Each interface follows its own cursors, since the order of items may differ.
    """

    comparison: Comparison
    cursor: str | None

    def check_pages(self, call: Call, most: int) -> list[Pair]:
        """At most so many pages in a row, which are returned.

        Violation where shared records differ, a page is too long, the tool repeats a record, or
        only one of the interfaces ever shows a record.
        """
        pairs = self._pages(call, most)
        for pair in pairs:
            _check_length(pair)
            _check_cursor(pair)
        self._check_not_repeated(call, most, pairs)
        shown = set(_ids_over_http(pairs)), set(_ids_by_tool(pairs))
        if shown[0] != shown[1]:
            self._check_same_records(call)
        return pairs

    def _pages(self, call: Call, most: int) -> list[Pair]:
        pairs: list[Pair] = []
        over_http, by_tool = call, call
        for _ in range(most):
            pair = self.comparison.check_data(over_http, by_tool)
            if pair is None:
                break
            pairs.append(pair)
            cursors = pair.over_http.cursor, pair.tool_cursor
            if self.cursor is None or None in cursors:
                break
            over_http = over_http.asking(**{self.cursor: cursors[0]})
            by_tool = by_tool.asking(**{self.cursor: cursors[1]})
        return pairs

    def _check_not_repeated(self, call: Call, most: int, pairs: list[Pair]) -> None:
        repeated = _repeated(pairs)
        for _ in range(1, ROUNDS):
            if not repeated:
                return
            pairs = self._pages(call, most)
            repeated &= _repeated(pairs)
        if repeated:
            violation = defect(
                Kind.REPEATED,
                "the tool shows {id} on more than one page",
                expected="each record once",
                id=min(repeated),
            ).on("id")
            expect.violated(violation, *(pair.by_tool.exchange for pair in pairs))

    def _check_same_records(self, call: Call) -> None:
        """Violation where, page by page to the end, only one interface ever shows a record."""
        only_over_http: set[str] | None = None
        only_by_tool: set[str] | None = None
        lists: list[set[str]] = []
        counts = 0, 0
        for number in range(ROUNDS):
            self.comparison.toolbox.live.session.transport.wait(float(number))
            over_http = self._all_ids(call, self._page_over_http)
            by_tool = self._all_ids(call, self._page_by_tool)
            if over_http is None or by_tool is None:
                self._leave_open(call)
                return
            lists.append(over_http.ids)
            counts = len(over_http.ids), len(by_tool.ids)
            ours, theirs = over_http.only(by_tool), by_tool.only(over_http)
            only_over_http = ours if only_over_http is None else only_over_http & ours
            only_by_tool = theirs if only_by_tool is None else only_by_tool & theirs
            if not only_over_http and not only_by_tool:
                return
        if only_over_http:
            self._omitted(call, only_over_http, counts)
        if only_by_tool and all(each == lists[0] for each in lists):
            self._foreign(call, only_by_tool, counts)
        raise Inconclusive(
            f"the records of {call.operation} change with every read",
            needs=("data that stay the same",),
        )

    def _leave_open(self, call: Call) -> None:
        """Inconclusive for the longest pages; shorter ones end later and show no more."""
        if dict(call.query).get("limit") == str(MAX_LIMIT):
            raise Inconclusive(
                f"the list of {call.operation} is too long to be compared as a whole",
                needs=("a larger --depth",),
            )

    def _all_ids(self, call: Call, read: Callable[[Call], Page]) -> WholeList | None:
        """The ids on all pages; None where there are more pages than the run may read."""
        whole = WholeList(set())
        for _ in range(self.comparison.toolbox.live.session.depth.pages):
            items, cursor = read(call)
            whole = whole.and_page(items)
            if cursor is None or self.cursor is None or not items:
                return whole
            call = call.asking(**{self.cursor: cursor})
        return None

    def _page_over_http(self, call: Call) -> Page:
        page = self.comparison.toolbox.live.callers.baseline(
            call, scheme=self.comparison.toolbox.scheme
        )
        if not isinstance(page.data, dict) or not isinstance(page.data.get("items"), list):
            raise Inconclusive(  # reported by the rules of the response
                f"a page of {call.operation} over HTTP has no items", exchanges=[page.id]
            )
        return page.items, page.cursor

    def _page_by_tool(self, call: Call) -> Page:
        operation, toolbox = self.comparison.operation, self.comparison.toolbox
        result = toolbox.call_until_served(operation, arguments_of(call), "a page by tool")
        data = data_of(result)
        items = data.get("items") if isinstance(data, dict) else None
        cursor = data.get("nextCursor") if isinstance(data, dict) else None
        return (
            items if isinstance(items, list) else [],
            cursor if isinstance(cursor, str) else None,
        )

    def _omitted(self, call: Call, ids: set[str], counts: tuple[int, int]) -> None:
        raise Violation(
            defect(
                Kind.OMITTED,
                "no page of the tool shows {id} (items over HTTP: {over_http}, by tool: {by_tool})",
                expected="the records of the operation",
                id=min(ids),
                over_http=counts[0],
                by_tool=counts[1],
            ).on("id"),
            exchanges=self._evidence(call),
        )

    def _foreign(self, call: Call, ids: set[str], counts: tuple[int, int]) -> None:
        raise Violation(
            defect(
                Kind.FOREIGN,
                "no page over HTTP shows {id} (items over HTTP: {over_http}, by tool: {by_tool})",
                expected="the records of the operation",
                id=min(ids),
                over_http=counts[0],
                by_tool=counts[1],
            ).on("id"),
            exchanges=self._evidence(call),
        )

    def _evidence(self, call: Call) -> list[str]:
        """The first page of each interface, read once more."""
        toolbox, operation = self.comparison.toolbox, self.comparison.operation
        over_http = toolbox.live.callers.send(
            call, scheme=toolbox.scheme, purpose="the page over HTTP"
        )
        by_tool = toolbox.call_as_primary(operation, arguments_of(call), "the page by tool")
        return [over_http.id, by_tool.exchange.id]


def check_only_passing(call: Call, owners: Mapping[str, str], comparison: Comparison) -> None:
    """Violation where a tool shows a record of another owner than its filters name.

    A rejection is allowed, and so is what the filters return over HTTP.
    """
    toolbox = comparison.toolbox
    purpose = "a filter by tool"
    result = toolbox.call_as_primary(comparison.operation, arguments_of(call), purpose)
    if not _strays(Pair(result.exchange, result).tool_items, owners):
        return
    over_http = toolbox.live.callers.send(call, scheme=toolbox.scheme, purpose="the same over HTTP")
    if _strays(over_http.items, owners):
        return
    violation = defect(
        Kind.FOREIGN,
        "the tool shows records with another {property} than the filter",
        expected="records that fit the filter",
        property=" or ".join(owners),
    ).on(*owners)
    expect.violated(violation, result.exchange, over_http)


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
        for record in by_id(pair.tool_items).values():
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


def _check_length(pair: Pair) -> None:
    """Violation where a page by tool is longer than its limit, and the page over HTTP is not."""
    limit, length = int(dict(pair.over_http.call.query)["limit"]), len(pair.tool_items)
    is_too_long = length > limit >= len(pair.over_http.items)
    violation = defect(
        Kind.COUNT,
        "the tool shows more items than its limit",
        expected=f"at most {limit}",
        actual=length,
    ).on("items")
    expect.that(not is_too_long, violation, pair.by_tool.exchange)


def _check_cursor(pair: Pair) -> None:
    """Violation where `nextCursor` by tool is neither a string nor null, and it is over HTTP."""
    by_tool, over_http = _next_cursor(pair.by_tool.data), _next_cursor(pair.over_http.data)
    violation = defect(
        Kind.VALUE,
        "nextCursor by tool is {value}",
        expected="a UUID, or null",
        actual=by_tool,
        value=shown(by_tool),
    ).on("nextCursor")
    is_right = _is_cursor(by_tool) or not _is_cursor(over_http)
    expect.that(is_right, violation.at(pair.by_tool.where), pair.by_tool.exchange)


def _next_cursor(data: object) -> object:
    return data.get("nextCursor") if isinstance(data, dict) else None


def _is_cursor(value: object) -> bool:
    return value is None or isinstance(value, str)


def _repeated(pairs: list[Pair]) -> set[str]:
    """The ids that the tool shows more than once, and HTTP does not."""
    by_tool, over_http = Counter(_ids_by_tool(pairs)), Counter(_ids_over_http(pairs))
    return {id for id, count in by_tool.items() if count > 1 >= over_http[id]}


def _ids_by_tool(pairs: list[Pair]) -> list[str]:
    return [id for pair in pairs for id in by_id(pair.tool_items)]


def _ids_over_http(pairs: list[Pair]) -> list[str]:
    return [id for pair in pairs for id in by_id(pair.over_http.items)]
