"""Lists that are short enough for one page, or another caller's, in pages where a defect may show.

Where a page ends between two records that share a moment, the next one may leave out the second.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.contract.openapi import Operation
from conformance.http.exchange import Exchange
from conformance.suite.lists.features import ties
from conformance.suite.lists.live import Live
from conformance.suite.lists.missing_records import confirm_missing, loses
from conformance.suite.lists.pagination import (
    BEGINNING,
    DEFAULT_LIMIT,
    PAGE,
    End,
    Pagination,
    Plan,
    enough,
)
from conformance.suite.reading.other_callers import listings, pages_below

Pair = tuple[Pagination, Pagination]
"""One list of one credential: in the longest pages, and in shorter ones."""
SEVERAL = 2
PAGES = 3
"""The shorter pages of a list that may be long: so many at least, and a remainder."""


def pairs(operation: Operation, live: Live) -> list[Pair]:
    """The lists of other callers, and those below records, each in pages of two sizes."""
    if not live.session.depth.sizes:
        return []
    whole = [each for each in _whole(operation, live) if len(each.ids) >= SEVERAL]
    plans = [_plan(each, live) for each in whole]
    live.paginations.read_ahead(plans)
    return list(zip(whole, map(live.paginations.follow, plans), strict=True))


def compare(pair: Pair, live: Live) -> None:
    """Violation where pages of one size repeatedly lack a record that those of the other have."""
    for one, other in (pair, pair[::-1]):
        if loses(one, [other], live):
            confirm_missing(one, [other], live)


def _whole(operation: Operation, live: Live) -> Iterator[Pagination]:
    if "{" not in operation.path:
        yield from (each for each in listings(operation, live) if each.is_whole)
        return
    yield from _unlike(live.children(operation.id).values(), live)
    for pages in pages_below(operation, live).values():
        yield from _unlike(pages, live)


def _unlike(pages: Iterable[Exchange], live: Live) -> list[Pagination]:
    """The lists on single pages where records share a moment, and others of different lengths."""
    alone = [_alone(page) for page in pages if _is_alone(page)]
    tied = [each for each in alone if ties(each.records)]
    of_each_length = {len(each.records): each for each in alone if each not in tied}
    return [*tied, *of_each_length.values()][: live.session.depth.records]


def _is_alone(page: Exchange) -> bool:
    """Whether a list was read from its beginning, and has this page only."""
    is_first = all(name == "limit" for name, _ in page.call.query)
    return page.status == 200 and is_first and page.cursor is None


def _alone(page: Exchange) -> Pagination:
    return Pagination(page.call.asking(limit=None), PAGE, (page,), End.LAST_PAGE)


def _plan(whole: Pagination, live: Live) -> Plan:
    """By the same credential, since another one may reach fewer records."""
    limit, number = _limit(whole), len(whole.ids)
    alike = live.paginations.like(whole, whole.call, whole.pages[0].scheme)
    return replace(alike, limit=limit, most=max(BEGINNING, enough(number, limit)))


def _limit(whole: Pagination) -> int:
    """Below a record, the largest with which a page ends between two records of one moment."""
    if not whole.call.path:
        return max(1, min(DEFAULT_LIMIT, len(whole.ids) // PAGES))
    return max(ties(whole.records), default=len(whole.records) - 1)
