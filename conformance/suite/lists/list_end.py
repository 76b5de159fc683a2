"""How a pagination ends: cursors that lead back, and needless pages."""

from collections.abc import Sequence

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Kind, defect
from conformance.http.exchange import Exchange
from conformance.suite.callers.places import in_data, status_line
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import DEFAULT_LIMIT, GROWING, End, Pagination


def unending(pagination: Pagination, operation: Operation) -> Defect | None:
    """How a pagination fails to end; None where it ends.

    An empty page whose cursor is null ends a list: that the page before has a cursor says no more
    than that there is this page.
    """
    last = pagination.pages[-1]
    cursor = in_data(last, "nextCursor")
    if pagination.end is End.LOOP:
        text = "a cursor leads back to an earlier page with {size}"
        return endless(text, pagination, "a last page").on("nextCursor").at(cursor)
    if _is_cursor_rejected(pagination):
        text = "the cursor of a page returned {response} with {size}"
        return endless(text, pagination, "200", last).at(status_line(last))
    is_closing = operation.id in api.load().closing_lists
    if is_closing and pagination.is_whole and last.cursor is not None:
        text = "empty pages of projects have cursors without end with {size}"
        return endless(text, pagination, "nextCursor: null").on("nextCursor").at(cursor)
    return None


def endless(
    text: str, pagination: Pagination, expected: str, response: Exchange | None = None
) -> Defect:
    """A pagination that does not end as it should; `text` may name {size} and {response}."""
    return defect(
        Kind.ENDLESS,
        text,
        expected=expected,
        actual=response.status if response else None,
        size=pagination.page_size,
        response=response.describe() if response else "",
    )


def _is_cursor_rejected(pagination: Pagination) -> bool:
    """Whether the cursor of a page is rejected beside the limit that it was issued under.

    A page with items under another status than 200 violates a rule.
    """
    if pagination.end is not End.REJECTED or pagination.limit == GROWING:
        return False
    return len(pagination.pages) > 1 and not pagination.pages[-1].items


def lacks_any(pagination: Pagination, others: Sequence[Pagination]) -> bool:
    """Whether other limits return more: then an empty page stands where a record is missing."""
    own = set(pagination.ids)
    return any(set(other.ids) - own for other in others if other.call == pagination.call)


def has_needless_page(pagination: Pagination) -> bool:
    """Whether an empty page follows full ones, and ends the list.

    After a shorter page, it may be what remains of a page without the records that are hidden.
    """
    *before, last = pagination.pages
    if not pagination.is_whole or last.cursor is not None:
        return False
    if not before or last.items or not before[-1].items:
        return False
    return all(len(page.items) == _requested(page) for page in before[:-1])


def _requested(page: Exchange) -> int:
    return int(dict(page.call.query).get("limit", DEFAULT_LIMIT))


def shows_its_end(pagination: Pagination, live: Live) -> bool:
    """Whether the target filters before it cuts pages: then an empty page is needless.

    That shows where no page of one is empty, although other records lie between those that pass.
    """
    whole, own = live.listing(pagination.call.operation).ids, set(pagination.ids)
    is_apart = own != set(whole[: len(own)])
    is_filled = all(page.items for page in pagination.pages[:-1])
    return pagination.limit == 1 and pagination.is_whole and is_apart and is_filled
