"""Pagination: limits and cursors of lists (Endpoints, Limits)."""

from collections.abc import Iterator
from itertools import chain, islice

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.records import values
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.changing_lists import ROUNDS
from conformance.suite.lists.completeness import calls_or_parts, compare_limits
from conformance.suite.lists.default_limit import calls_without_limit, compare_with_default
from conformance.suite.lists.divided import compare, pairs
from conformance.suite.lists.filters import certain_filters, filtered_paginations
from conformance.suite.lists.limits import lists, with_all_limits
from conformance.suite.lists.list_end import (
    endless,
    has_needless_page,
    lacks_any,
    shows_its_end,
    unending,
)
from conformance.suite.lists.live import Live
from conformance.suite.lists.named_records import WHOLE, named_ids, require_listed, require_records
from conformance.suite.lists.pagination import DEFAULT_LIMIT, End, Pagination
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.lists.rejected_pages import is_rejected_by_scheme
from conformance.suite.lists.repeated_records import confirm_repeated, repeated

SIZES = ("2", "24", "26")
"""Limits beside those with which other checks read each list."""
MOST_REPORTED = 5


@requirement("pagination/limit")
def test_a_page_has_at_most_as_many_items_as_its_limit(operation: Operation, live: Live) -> None:
    """A rule counts the items of every page; this check requests pages of several sizes."""
    primary = live.callers.credential("primary")
    sizes = live.session.some(SIZES)
    sendings = {limit: Sending(primary, purpose=f"limit={limit}") for limit in sizes}
    pages: list[Exchange] = []
    for call in lists(operation, live):
        first = live.callers.baseline(call.asking(limit="1"))
        if not first.items and first.cursor is None:
            continue
        reached = live.page_with_items(first)
        # Longer pages from the beginning need not be empty either.
        start = reached.call if reached.items else call
        requests = [(start.asking(limit=limit), sending) for limit, sending in sendings.items()]
        pages += [reached, *live.callers.send_each(requests)]
    if not any(page.items for page in pages):
        raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))


@requirement("pagination/default-limit")
def test_the_default_limit_is_25(operation: Operation, live: Live) -> None:
    """The first page without a limit is the first page with limit=25."""
    live.callers.baseline(Call(operation.id))
    for call, scheme in calls_without_limit(operation, live):
        compare_with_default(call, scheme, live)
    # A shorter list shows a default below 25, but none above.
    if len(live.longest(operation.id).ids) <= DEFAULT_LIMIT:
        raise Inconclusive(f"no more than {DEFAULT_LIMIT} records", needs=("data in the target",))


@requirement("pagination/once")
def test_following_cursors_returns_no_record_twice(operation: Operation, live: Live) -> None:
    """With every limit, under a filter, below records, and as another caller."""
    usual = (*_paginations(operation, live), *filtered_paginations(operation, live))
    for pagination in (*usual, *chain.from_iterable(pairs(operation, live))):
        # Under a filter a loop shows that the filter or the cursor is ignored: another requirement.
        is_filter_ignored = pagination.end is End.LOOP and pagination.call.query
        if repeated(pagination) and not is_filter_ignored:
            confirm_repeated(pagination, live)


@requirement("pagination/complete")
def test_following_cursors_returns_every_record(operation: Operation, live: Live) -> None:
    """Every limit returns the same records, and an empty list is not full of readable records."""
    if operation.id in WHOLE:
        require_records(operation, live)
    compared = [compare_limits(call, live) for call in calls_or_parts(operation, live)]
    for pair in pairs(operation, live):
        compare(pair, live)
    if not any(compared):
        raise Inconclusive(
            f"{operation.id} has no two pages to compare", needs=("data in the target",)
        )


def _paginations(operation: Operation, live: Live) -> list[Pagination]:
    """Paginations with all limits; Inconclusive where none has a second page."""
    calls = lists(operation, live)
    confirmed_name(operation, "cursor", live)
    paginations = [each for call in calls for each in with_all_limits(call, live)]
    if not any(len(each.pages) > 1 for each in paginations):
        raise Inconclusive(f"{operation.id} has no second page", needs=("data in the target",))
    return paginations


@requirement("pagination/end")
def test_following_cursors_comes_to_an_end(operation: Operation, live: Live) -> None:
    """No cursor leads back, and the last page of projects has a null cursor."""
    for pagination in _paginations(operation, live):
        again, violation = pagination, unending(pagination, operation)
        for _ in range(ROUNDS):  # others may delete the record at which a cursor continues
            if violation is None:
                break
            again = live.paginations.again(pagination)
            violation = unending(again, operation)
        last = again.pages[-1]
        if violation is not None and not is_rejected_by_scheme(last, live):
            expect.violated(violation, last)


@requirement("pagination/last-page")
def test_the_last_page_with_items_is_the_last(operation: Operation, live: Live) -> None:
    """No empty page follows the projects: it is unclear whether one counts as a further page."""
    filtered = filtered_paginations(operation, live)
    paginations = _paginations(operation, live)
    ending = [each for each in filtered if shows_its_end(each, live)]
    others = [*paginations, *filtered]
    for pagination in (*paginations, *ending):
        if not has_needless_page(pagination) or lacks_any(pagination, others):
            continue
        again = live.paginations.again(pagination)
        if not has_needless_page(again) or lacks_any(again, others):
            continue
        text = "the last page of projects with items has a cursor to an empty page, with {size}"
        needless = endless(text, pagination, "nextCursor: null").on("nextCursor")
        last = again.pages[-2]
        expect.violated(needless.at(in_data(last, "nextCursor")), last, again.pages[-1])


@requirement("pagination/agreement")
def test_a_record_is_the_same_on_every_page(operation: Operation, live: Live) -> None:
    """With all limits and filters; the rule on all sightings of a record compares them."""
    paginations = [each for call in lists(operation, live) for each in with_all_limits(call, live)]
    for filters in _filters(operation, live):
        live.paginations.read(Call(operation.id).asking(**filters), live.longest_page(operation.id))
    filtered_paginations(operation, live)
    if not any(each.listed for each in paginations):
        raise Inconclusive(
            f"{operation.id} shows no record with an id", needs=("data in the target",)
        )


def _filters(operation: Operation, live: Live) -> Iterator[dict[str, str]]:
    """Each filter whose name is certain, with the first id of a record, and all of one record."""
    names = dict(certain_filters(operation, live))
    records = live.listing(operation.id).records if names else []
    for name, restricted in names.items():
        yield from ({name: id} for id in values(records, restricted)[:1])
    if len(names) > 1:
        owners = [{name: each.get(own) for name, own in names.items()} for each in records]
        yield from islice((each for each in owners if all(map(is_uuid, each.values()))), 1)


@requirement("pagination/listed")
def test_a_record_that_others_name_is_listed(operation: Operation, live: Live) -> None:
    """The project of a video, the video of a review, a review of the profile."""
    listing = live.listing(operation.id)
    if len(listing.ids) < len(listing.records):
        raise Inconclusive(
            f"{operation.id} shows records without ids", needs=("data in the target",)
        )
    require_records(operation, live)
    missing = named_ids(operation, live) - set(listing.ids)
    # A record that other limits return is listed; that one limit misses it is another requirement.
    if missing:
        missing -= {id for each in with_all_limits(listing.call, live) for id in each.ids}
    for id in sorted(missing)[:MOST_REPORTED]:
        require_listed(operation, id, listing, live)
