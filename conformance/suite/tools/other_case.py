"""UUIDs in the other case by tool (Resources and their fields; What the service does)."""

from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call
from conformance.suite.callers import expect
from conformance.suite.reading.other_case import (
    in_other_case,
    lasting,
    properties_that_differ,
    spelled,
    strays,
)
from conformance.suite.tools.comparison import ROUNDS, Comparison, Pair
from conformance.suite.tools.parity import by_id
from conformance.suite.tools.toolbox import arguments_of

PURPOSE = "a UUID in the other case"


def check_id(call: Call, comparison: Comparison) -> None:
    """Violation where a tool accepts the id in the other case, and returns other data each time."""
    other = _page(spelled(call), comparison)
    plain = _page(call, comparison)
    names, plain, other = lasting(
        (plain, other),
        again=lambda: [_page(each, comparison) for each in (call, spelled(call), call)],
        differing=lambda one, another: (
            _differing(one, another, comparison) | strays(another.by_tool.data, call)
        ),
        pauses=map(float, range(ROUNDS)),
        wait=comparison.toolbox.live.session.transport.wait,
    )
    if names:
        _report("a tool shows other data for an id in the other case", plain, other)


def check_cursor(call: Call, comparison: Comparison, cursor: str) -> None:
    """Violation where a tool's cursor in the other case leads back to its page.

    `cursor` is the name of the argument. A target that knows no cursor in the other case may treat
    it as one that was never issued.
    """
    page = _page(call, comparison)
    if page.tool_cursor is None or page.tool_cursor == in_other_case(page.tool_cursor):
        return
    back = call.asking(**{cursor: in_other_case(page.tool_cursor)})
    if not _repeats(_page(back, comparison), page):
        return
    unknown = comparison.toolbox.live.made_up("cursor")
    following, never_issued = (
        _page(call.asking(**{cursor: each}), comparison) for each in (page.tool_cursor, unknown)
    )
    again = _page(back, comparison)
    leads_on = bool(following.tool_items) and not _repeats(following, page)
    if leads_on and not _repeats(never_issued, page) and _repeats(again, page):
        _report("a tool's cursor in the other case leads back to its page", following, again)


def _page(call: Call, comparison: Comparison) -> Pair:
    """What a tool returns, without the same request over HTTP."""
    arguments = arguments_of(call)
    result = comparison.toolbox.call_as_primary(comparison.operation, arguments, PURPOSE)
    return Pair(result.exchange, result)


def _differing(one: Pair, other: Pair, comparison: Comparison) -> set[str]:
    """What differs in two results; a tool need not find the other spelling."""
    if not (one.by_tool.is_served and other.by_tool.is_served):
        return set()
    operation, live = comparison.operation, comparison.toolbox.live
    return properties_that_differ(one.by_tool.data, other.by_tool.data, operation, live)


def _repeats(page: Pair, former: Pair) -> bool:
    return bool(by_id(page.tool_items).keys() & by_id(former.tool_items).keys())


def _report(text: str, plain: Pair, other: Pair) -> None:
    otherwise = defect(Kind.DIFFERENCE, text, expected="the same data, or no success").on("items")
    expect.violated(otherwise, plain.by_tool.exchange, other.by_tool.exchange)
