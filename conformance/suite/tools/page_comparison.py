"""Pages of a list by tool and over HTTP, which have to show the same records in the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call
from conformance.rules import answer as answers
from conformance.rules.judgement import shown
from conformance.rules.walks import Walk
from conformance.suite.callers import expect
from conformance.suite.tools.comparison import Comparison, Pair
from conformance.suite.tools.interfaces import Received
from conformance.suite.tools.results import data_of
from conformance.suite.tools.toolbox import arguments_of

MAX_LIMIT = 100
"""The longest page that the contract allows."""


@dataclass(frozen=True)
class Difference:
    """What one interface shows and the other does not, by the kind of defect."""

    repeated: frozenset[str]
    omitted: frozenset[str]
    foreign: frozenset[str]

    @staticmethod
    def of(over_http: Walk, by_tool: Walk) -> "Difference":
        """The difference between two walks."""
        return Difference(
            frozenset(by_tool.repeated - over_http.repeated),
            frozenset(by_tool.lacks(over_http)),
            frozenset(over_http.lacks(by_tool)),
        )

    def __and__(self, other: "Difference") -> "Difference":
        """What two differences have in common."""
        return Difference(
            self.repeated & other.repeated,
            self.omitted & other.omitted,
            self.foreign & other.foreign,
        )

    def __bool__(self) -> bool:
        """Whether there is one."""
        return bool(self.repeated or self.omitted or self.foreign)


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
        if self._are_unlike(pairs):
            self.check_same_records(call)
        return pairs

    def _are_unlike(self, pairs: Sequence[Pair]) -> bool:
        """Whether pages show other records, or one of the interfaces alone leads on."""
        over_http = self._walk_of([pair.over_http for pair in pairs])
        by_tool = self._walk_of([pair.by_tool for pair in pairs])
        ends = {
            page.cursor is None for pair in pairs[-1:] for page in (pair.over_http, pair.by_tool)
        }
        is_going_on = self.cursor is not None and len(ends) > 1
        return is_going_on or sorted(over_http.ids) != sorted(by_tool.ids)

    def check_same_records(self, call: Call) -> None:
        """Violation where, page by page to the end, the interfaces keep showing other records."""
        lasting: Difference | None = None
        lists: list[set[str]] = []
        session = self.comparison.toolbox.live.session
        for seconds in (0.0, *session.lag.pauses):
            session.transport.wait(seconds)
            over_http = self._walk(call, self._page_over_http)
            by_tool = self._walk(call, self._page_by_tool)
            found = Difference.of(over_http, by_tool)
            lasting = found if lasting is None else lasting & found
            if not lasting:
                self._require_whole(call, over_http, by_tool)
                return
            lists.append(set(over_http.ids))
        assert lasting is not None
        if lasting.repeated:
            _report_repeated(by_tool, min(lasting.repeated))
        if lasting.omitted:
            _report(Kind.OMITTED, "no page of the tool", min(lasting.omitted), (over_http, by_tool))
        if all(each == lists[0] for each in lists):
            _report(Kind.FOREIGN, "no page over HTTP", min(lasting.foreign), (over_http, by_tool))
        raise Inconclusive(
            f"the records of {call.operation} change with every read",
            needs=("data that stay the same",),
        )

    def _require_whole(self, call: Call, *walks: Walk) -> None:
        """Inconclusive where the longest pages do not end; shorter ones show no more."""
        is_whole = all(walk.is_whole for walk in walks)
        if not is_whole and dict(call.query).get("limit") == str(MAX_LIMIT):
            raise Inconclusive(
                f"the list of {call.operation} is too long to be compared as a whole",
                needs=("a larger --depth",),
            )

    def _pages(self, call: Call, most: int) -> list[Pair]:
        pairs: list[Pair] = []
        over_http, by_tool = call, call
        for _ in range(most):
            pair = self.comparison.pair(over_http, by_tool)
            if pair is None:
                break
            pairs.append(pair)
            cursors = pair.over_http.cursor, pair.by_tool.cursor
            if self.cursor is None or None in cursors:
                break
            over_http = over_http.asking(**{self.cursor: cursors[0]})
            by_tool = by_tool.asking(**{self.cursor: cursors[1]})
        return pairs

    def _walk(self, call: Call, read: Callable[[Call], Received]) -> Walk:
        """All pages, or as many as the run may read."""
        pages: list[Received] = []
        for _ in range(self.comparison.toolbox.live.session.depth.pages):
            pages.append(page := read(call))
            if page.cursor is None or self.cursor is None or not page.items:
                break
            call = call.asking(**{self.cursor: page.cursor})
        return self._walk_of(pages)

    def _walk_of(self, pages: Sequence[Received]) -> Walk:
        contract = self.comparison.toolbox.live.session.contract
        shown = (answers.of(page.exchange, contract) for page in pages)
        return Walk(tuple(filter(None, shown)))

    def _page_over_http(self, call: Call) -> Received:
        toolbox = self.comparison.toolbox
        page = toolbox.live.callers.baseline(call, scheme=toolbox.scheme)
        if not isinstance(page.data, dict) or not isinstance(page.data.get("items"), list):
            raise Inconclusive(  # reported by the rules of the response
                f"a page of {call.operation} over HTTP has no items", exchanges=[page.id]
            )
        return Received(page)

    def _page_by_tool(self, call: Call) -> Received:
        operation, toolbox = self.comparison.operation, self.comparison.toolbox
        result = toolbox.call_until_served(operation, arguments_of(call), "a page by tool")
        data_of(result)
        return Received(result.exchange, result)


def _report(kind: Kind, text: str, id: str, walks: tuple[Walk, Walk]) -> NoReturn:
    over_http, by_tool = walks
    raise Violation(
        defect(
            kind,
            f"{text} shows {{id}} (items over HTTP: {{over_http}}, by tool: {{by_tool}})",
            expected="the records of the operation",
            id=id,
            over_http=len(set(over_http.ids)),
            by_tool=len(set(by_tool.ids)),
        ).on("id"),
        exchanges=[over_http.showing(id)[0], by_tool.showing(id)[0]],
    )


def _report_repeated(by_tool: Walk, id: str) -> NoReturn:
    raise Violation(
        defect(
            Kind.REPEATED,
            "the tool shows {id} on more than one page",
            expected="each record once",
            id=id,
        ).on("id"),
        exchanges=by_tool.showing(id),
    )


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
