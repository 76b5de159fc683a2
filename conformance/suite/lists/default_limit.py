"""Pages without a limit, beside those with the default limit."""

from collections import Counter
from collections.abc import Iterator

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.changing_lists import ROUNDS, desynchronize
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import DEFAULT_LIMIT


def calls_without_limit(operation: Operation, live: Live) -> Iterator[tuple[Call, str | None]]:
    """The first page, the second, and the first of the company with the most records."""
    plain, longest = Call(operation.id), live.longest(operation.id).pages[0].scheme
    yield plain, longest
    stated = plain.asking(limit=str(DEFAULT_LIMIT))
    first = live.callers.send(stated, scheme=longest, purpose="the first page")
    if first.cursor is not None:
        yield plain.asking(cursor=first.cursor), first.scheme
    records = live.listing(operation.id).records
    companies = Counter(str(record.get("companyId")) for record in records)
    for id, count in companies.most_common(1):
        for scheme in live.callers.credential("primary").schemes if count > 1 else ():
            yield plain.asking(companyId=id), scheme


def compare_with_default(call: Call, scheme: str | None, live: Live) -> None:
    """Violation where the page without a limit repeatedly differs from the one with limit=25."""
    stating = call.asking(limit=str(DEFAULT_LIMIT))
    for number in range(ROUNDS):
        desynchronize(Call(call.operation), number, live)
        plain = live.callers.send(call, scheme=scheme, purpose="without a limit")
        purpose = "with the default limit"
        stated = live.callers.send(stating, scheme=plain.scheme, purpose=purpose)
        again = live.callers.send(stating, scheme=plain.scheme, purpose=purpose)
        statuses = {plain.status, stated.status, again.status}
        if statuses != {200} or _ids(plain) == _ids(stated):
            return
        if _is_explained(plain, stated, again):
            return
        # A cursor may be bound to the limit that it was issued under, and find nothing without it.
        if call.query and not (plain.items and stated.items):
            return
        anew = live.callers.send(call, scheme=plain.scheme, purpose="without a limit again")
        # What was added between the two pages, the list shows now.
        if len(plain.items) <= DEFAULT_LIMIT and _ids(anew) != _ids(plain):
            return
    _report_default(plain, stated)


def _is_explained(plain: Exchange, stated: Exchange, again: Exchange) -> bool:
    """Whether the list changes: then only the lengths of two pages can be compared."""
    if len(plain.items) == len(stated.items) and _ids(stated) != _ids(again):
        return True
    # Pages may be shorter than their limit, each time by another number.
    return len(stated.items) != len(again.items) and len(plain.items) <= DEFAULT_LIMIT


def _report_default(plain: Exchange, stated: Exchange) -> None:
    count = len(plain.items)
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "the page without a limit has {plain} items, the page with limit=25 has {stated}"
            if count != len(stated.items)
            else "the page without a limit has other items than the page with limit=25",
            expected="the same page",
            actual=count,
            plain=count,
            stated=len(stated.items),
        ).at(in_data(plain, "items"), in_data(stated, "items")),
        plain,
        stated,
    )


def _ids(page: Exchange) -> set[object]:
    return {item.get("id") for item in page.items}
