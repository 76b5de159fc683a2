"""The parents that the items of a list below a record name."""

from collections.abc import Sequence, Set

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.lag import PAUSES
from conformance.suite.lists.live import Live, parameter_of

MOST_CONFIRMED = 3
"""Pairs of pages that are read again: a defect is seen again in the first of them."""


def with_cursor_of_another(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    """The list below a record with a cursor of the list below another, which may be rejected."""
    name, cursor = parameter_of(operation), live.session.name(operation, "cursor")
    first, *others = live.parents(operation.id)
    call = Call(operation.id, {name: first}).asking(limit="1")
    issued = live.callers.send(call, purpose="a cursor for another parent")
    if issued.cursor is None or cursor is None or not others:
        return []
    below_other = Call(operation.id, {name: others[0]}).asking(**{cursor: issued.cursor})
    purpose = "the cursor of another parent"
    page = live.callers.send(below_other, scheme=issued.scheme, purpose=purpose)
    return [(others[0], page)]


def require_one_parent(pages: Sequence[tuple[str, Exchange]], name: str, live: Live) -> None:
    """Violation where one record is listed below two others, and names each as its parent.

    It may have been moved between the two: both lists are read again.
    """
    seen: dict[str, tuple[str, Exchange]] = {}
    shared: dict[tuple[str, str], tuple[Exchange, Exchange]] = {}
    for parent, page in pages:
        for key in _children(page, name):
            other, earlier = seen.setdefault(key, (parent, page))
            if other.lower() != parent.lower():
                shared[earlier.id, page.id] = earlier, page
    for both in list(shared.values())[:MOST_CONFIRMED]:
        confirmed = _again(both, name, live)
        if confirmed is not None:
            _report_two_parents(name, *confirmed)


def _children(page: Exchange, name: str) -> Set[str]:
    """The records of a page that name their parent, by ids that are one record's anywhere.

    They are in the order of the page, so that the same pages are read again in every run.
    """
    items = (item for item in page.items if name in item and is_uuid(item.get("id")))
    return dict.fromkeys(map(record_key, items)).keys()


def _again(
    both: tuple[Exchange, Exchange], name: str, live: Live
) -> tuple[Exchange, Exchange] | None:
    """The pages that show one and the same record below two others every time; None otherwise."""
    again = both
    shared = set(_children(both[0], name) & _children(both[1], name))
    for pause in PAUSES:
        live.session.transport.wait(pause)
        before, page, after = (
            live.callers.send(each.call, scheme=each.scheme, purpose="below two records, again")
            for each in (both[0], both[1], both[0])
        )
        for each in (before, page, after):
            shared &= _children(each, name)
        if not shared:
            return None
        again = after, page
    return again


def _report_two_parents(name: str, *pages: Exchange) -> None:
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "one record is listed below two records, with the {name} of each",
            expected=f"one {name}",
            name=name,
        ).on(name),
        *pages,
    )
