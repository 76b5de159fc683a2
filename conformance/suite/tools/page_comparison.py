"""Pages of a list by tool and over HTTP, which have to show the same records in the end."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call
from conformance.rules.judgement import shown
from conformance.rules.lag import PAUSES
from conformance.suite.callers import expect
from conformance.suite.tools.comparison import ROUNDS, Comparison, Pair
from conformance.suite.tools.results import by_id, data_of
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

        Violation where the tool repeats a record, also after the last page over HTTP, or where only
        one of the interfaces ever shows a record.
        """
        pairs = self._pages(call, most)
        for pair in pairs:
            _check_cursor(pair)
        self._check_not_repeated(call, most, pairs)
        shown = set(_ids_over_http(pairs)), set(_ids_by_tool(pairs))
        if shown[0] != shown[1]:
            self.check_same_records(call)
        self._check_goes_on(call, most, pairs)
        return pairs

    def check_same_records(self, call: Call) -> None:
        """Violation where, page by page to the end, only one interface ever shows a record."""
        only_over_http: set[str] | None = None
        only_by_tool: set[str] | None = None
        lists: list[set[str]] = []
        counts = 0, 0
        for seconds in (0.0, *PAUSES):
            self.comparison.toolbox.live.session.transport.wait(seconds)
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
            self._report(Kind.OMITTED, "no page of the tool", call, only_over_http, counts)
        if only_by_tool and all(each == lists[0] for each in lists):
            self._report(Kind.FOREIGN, "no page over HTTP", call, only_by_tool, counts)
        raise Inconclusive(
            f"the records of {call.operation} change with every read",
            needs=("data that stay the same",),
        )

    def _ends_early(self, pairs: list[Pair]) -> bool:
        """Whether the last page by tool has no cursor, and that over HTTP has one."""
        if self.cursor is None or not pairs:
            return False
        return pairs[-1].tool_cursor is None and pairs[-1].over_http.cursor is not None

    def _check_goes_on(self, call: Call, most: int, pairs: list[Pair]) -> None:
        """Violation where the tool repeatedly has no cursor, and HTTP goes on with more records."""
        for _ in range(ROUNDS):
            if not self._ends_early(pairs):
                return
            short, pairs = pairs, self._pages(call, most)
        last = short[-1].over_http
        items, _ = self._page_over_http(last.call.asking(**{str(self.cursor): str(last.cursor)}))
        violation = defect(
            Kind.OMITTED,
            "the tool has no further page, and HTTP has one",
            expected="a nextCursor",
        ).on("nextCursor")
        is_whole = by_id(items).keys() <= set(_ids_by_tool(short))
        expect.that(is_whole, violation, last, short[-1].by_tool.exchange)

    def _pages(self, call: Call, most: int) -> list[Pair]:
        pairs: list[Pair] = []
        over_http, by_tool = call, call
        for _ in range(most):
            pair = self.comparison.pair(over_http, by_tool)
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
        repeated = self._repeated(pairs)
        for _ in range(1, ROUNDS):
            if not repeated:
                return
            pairs = self._pages(call, most)
            repeated &= self._repeated(pairs)
        if repeated:
            violation = defect(
                Kind.REPEATED,
                "the tool shows {id} on more than one page",
                expected="each record once",
                id=min(repeated),
            ).on("id")
            expect.violated(violation, *(pair.by_tool.exchange for pair in pairs))

    def _repeated(self, pairs: list[Pair]) -> set[str]:
        """The ids that the tool shows more than once, and HTTP does not."""
        by_tool = Counter([*_ids_by_tool(pairs), *self._ids_after(pairs)])
        over_http = Counter(_ids_over_http(pairs))
        return {id for id, count in by_tool.items() if count > 1 >= over_http[id]}

    def _ids_after(self, pairs: list[Pair]) -> list[str]:
        """The ids on the page to which the tool leads after the last page over HTTP."""
        last = pairs[-1] if pairs else None
        if last is None or self.cursor is None or last.over_http.cursor is not None:
            return []
        if last.tool_cursor is None:
            return []
        items, _ = self._page_by_tool(last.over_http.call.asking(**{self.cursor: last.tool_cursor}))
        return [*by_id(items)]

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

    def _report(
        self, kind: Kind, text: str, call: Call, ids: set[str], counts: tuple[int, int]
    ) -> NoReturn:
        raise Violation(
            defect(
                kind,
                f"{text} shows {{id}} (items over HTTP: {{over_http}}, by tool: {{by_tool}})",
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


def _ids_by_tool(pairs: list[Pair]) -> list[str]:
    return [id for pair in pairs for id in by_id(pair.tool_items)]


def _ids_over_http(pairs: list[Pair]) -> list[str]:
    return [id for pair in pairs for id in by_id(pair.over_http.items)]
