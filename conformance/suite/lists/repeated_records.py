"""Records that a list shows more than once."""

from collections import Counter

from conformance.contract.verdict import Kind, Location, defect
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_item
from conformance.suite.lists.changing_lists import RESTLESS, are_at_rest, desynchronize, updated
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import Pagination

MOST_NAMED = 3
"""Ids that a sentence names."""


def repeated(pagination: Pagination) -> list[str]:
    """The ids that are shown more than once."""
    counts = Counter(pagination.ids)
    return sorted(id for id, count in counts.items() if count > 1)


def confirm_repeated(pagination: Pagination, live: Live) -> None:
    """Violation where further paginations repeat records too.

    Once a list has changed, they have to be the same records: it may look at rest by chance.
    """
    twice, is_at_rest = set(repeated(pagination)), True
    for number in range(RESTLESS):
        desynchronize(pagination.call, number, live)
        again = live.paginations.again(pagination)
        is_at_rest = is_at_rest and are_at_rest([pagination], [again])
        candidates = set(again.ids) if is_at_rest else twice
        twice = (set(repeated(again)) & candidates) - updated([pagination, again])
        if not twice or (is_at_rest and number):
            break
    if twice:
        _report_repeated(again, twice)


def _report_repeated(pagination: Pagination, ids: set[str]) -> None:
    places = [place for id in sorted(ids) for place in places_of(id, pagination)[:2]]
    evidence = {place.exchange for place in places[:2]}
    numbers = [n for n, page in enumerate(pagination.pages, 1) if page.id in evidence]
    where = "page {first}, and again on page {second} ({size})"
    text = "{ids} is on " + where
    several = "{n} records are repeated: {ids}; the first is on " + where
    expect.violated(
        defect(
            Kind.REPEATED,
            text if len(ids) == 1 else several,
            expected="each record once",
            actual=len(ids),
            n=len(ids),
            size=pagination.page_size,
            ids=some_ids(ids),
            first=numbers[0],
            second=numbers[-1],
        ).at(*places[: 2 * MOST_NAMED]),
        *(pagination.pages[number - 1] for number in numbers),
    )


def places_of(id: str, pagination: Pagination) -> list[Location]:
    """Where a pagination shows a record."""
    return [
        in_item(page, item)
        for page in pagination.pages
        for item in page.items
        if record_key(item) == id
    ]


def some_ids(ids: set[str]) -> str:
    """The first few ids, for a message."""
    return ", ".join(sorted(ids)[:MOST_NAMED])
