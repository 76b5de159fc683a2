"""UUIDs in the other case by tool (Resources and their fields; What the service does)."""

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.reading.other_case import in_other_case, spelled
from conformance.suite.tools.comparison import ROUNDS, Comparison, Pair
from conformance.suite.tools.parity import by_id
from conformance.suite.tools.toolbox import arguments_of

PURPOSE = "a UUID in the other case"


def check_id(call: Call, comparison: Comparison) -> None:
    """Violation where a tool accepts the id in the other case, and returns other data for it."""
    other = spelled(call)
    if not _page(other, comparison).by_tool.is_served:
        return
    for _ in range(ROUNDS):
        pair = comparison.check_data(call, other)
        if pair is None or pair.tool_items or not pair.over_http.items:
            return
        last = pair
    _report("the tool shows nothing for an id in the other case", last.over_http, last)


def check_cursor(call: Call, comparison: Comparison, cursor: str) -> None:
    """Violation where a tool's cursor in the other case leads back to its page.

    `cursor` is the name of the argument.
    """
    page = _page(call, comparison)
    if page.tool_cursor is None:
        return
    forward = call.asking(**{cursor: page.tool_cursor})
    back = call.asking(**{cursor: in_other_case(page.tool_cursor)})
    if forward == back or not _repeats(_page(back, comparison), page):
        return
    following, again = _page(forward, comparison), _page(back, comparison)
    if following.tool_items and not _repeats(following, page) and _repeats(again, page):
        text = "a tool's cursor in the other case leads back to its page"
        _report(text, following.by_tool.exchange, again)


def _page(call: Call, comparison: Comparison) -> Pair:
    """What a tool returns, without the same request over HTTP."""
    arguments = arguments_of(call)
    result = comparison.toolbox.call_as_primary(comparison.operation, arguments, PURPOSE)
    return Pair(result.exchange, result)


def _repeats(page: Pair, former: Pair) -> bool:
    return bool(by_id(page.tool_items).keys() & by_id(former.tool_items).keys())


def _report(text: str, plain: Exchange, other: Pair) -> None:
    otherwise = defect(Kind.DIFFERENCE, text, expected="the same data, or no success").on("items")
    expect.violated(otherwise, plain, other.by_tool.exchange)
