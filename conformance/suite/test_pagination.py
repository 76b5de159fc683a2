"""Pagination: limits and cursors of lists (Endpoints, Limits)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.contract import api
from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Defect,
    Inconclusive,
    Kind,
    NotApplicable,
    defect,
)
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, status_line
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.filters import LIMITS as FILTERED
from conformance.suite.lists.filters import certain_filters
from conformance.suite.lists.live import PAUSES, Live, parameter_of
from conformance.suite.lists.pagination import DEFAULT_LIMIT, GROWING, End, Pagination, Plan
from conformance.suite.lists.pagination_comparison import (
    ROUNDS,
    agree,
    confirm_missing,
    confirm_repeated,
    confirm_skipped,
    desynchronize,
    has_valid_id,
    is_rejected_by_scheme,
    lists,
    loses,
    repeated,
    with_all_limits,
)
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.lists.parts import is_too_long, part_with, parts
from conformance.suite.lists.records import values

SIZES = ("2", "3", "24", "26", "99", "100")
MOST_READ = 12
MOST_REPORTED = 5
WHOLE = frozenset({"project_list", "video_list"})
"""Lists of all records; one of reviews may show those that wait for the caller only."""
STATES = (
    "status",
    "ingestionStatus",
    "transcriptReviewStatus",
    "voiceAssignmentStatus",
    "approvable",
    "requestedAudience",
    "subjectType",
)
"""Properties with the state of a record, or with the audience that it waits for."""


# --- limits ---


@requirement("pagination/limit")
def test_a_page_has_at_most_as_many_items_as_its_limit(operation: Operation, live: Live) -> None:
    """A rule counts the items of every page; this check requests pages of several sizes."""
    calls = lists(operation, live)
    filled = [call for call in calls if live.callers.baseline(call.asking(limit="1")).items]
    if not filled:
        raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))
    primary = live.callers.credential("primary")
    sendings = {limit: Sending(primary, purpose=f"limit={limit}") for limit in SIZES}
    for call in filled:
        requests = [(call.asking(limit=limit), sending) for limit, sending in sendings.items()]
        live.callers.send_each(requests)


@requirement("pagination/default-limit")
def test_the_default_limit_is_25(operation: Operation, live: Live) -> None:
    """The first page without a limit is the first page with limit=25."""
    live.callers.baseline(Call(operation.id))
    for call, scheme in _calls_without_limit(operation, live):
        _compare_with_default(call, scheme, live)
    # A shorter list shows a default below 25, but none above.
    if len(live.records(operation.id)) <= DEFAULT_LIMIT:
        raise Inconclusive(f"no more than {DEFAULT_LIMIT} records", needs=("data in the target",))


def _calls_without_limit(operation: Operation, live: Live) -> Iterator[tuple[Call, str | None]]:
    """The first page, the second, and the first of the company with the most records."""
    plain = Call(operation.id)
    yield plain, None
    stated = plain.asking(limit=str(DEFAULT_LIMIT))
    first = live.callers.send(stated, purpose="the first page")
    if first.cursor is not None:
        yield plain.asking(cursor=first.cursor), first.scheme
    records = live.listing(operation.id).records
    companies = Counter(str(record.get("companyId")) for record in records)
    for id, count in companies.most_common(1):
        if count > 1:
            yield plain.asking(companyId=id), None


def _compare_with_default(call: Call, scheme: str | None, live: Live) -> None:
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
        if scheme is not None and not (plain.items and stated.items):
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


# --- every record once ---


@requirement("pagination/once")
def test_following_cursors_returns_no_record_twice(operation: Operation, live: Live) -> None:
    """With every limit, and under a filter."""
    for pagination in (*_paginations(operation, live), *_filtered(operation, live)):
        # Under a filter a loop shows that the filter or the cursor is ignored: another requirement.
        is_filter_ignored = pagination.end is End.LOOP and pagination.call.query
        if repeated(pagination) and not is_filter_ignored:
            confirm_repeated(pagination, live)


@requirement("pagination/complete")
def test_following_cursors_returns_every_record(operation: Operation, live: Live) -> None:
    """Every limit returns the same records, and an empty list is not full of readable records."""
    if operation.id in WHOLE:
        _require_records(operation, live)
    compared = [_compare(call, live) for call in _calls_or_parts(operation, live)]
    if not any(compared):
        raise Inconclusive(
            f"{operation.id} has no two pages to compare", needs=("data in the target",)
        )


def _calls_or_parts(operation: Operation, live: Live) -> Iterator[Call]:
    """The lists of an operation, and the parts of those that are too long to be read whole."""
    for call in lists(operation, live):
        yield call
        if is_too_long(with_all_limits(call, live)[0]):
            yield from (part.call for part in parts(operation, live))


def _compare(call: Call, live: Live) -> bool:
    """Whether several paginations of more than one record could be compared.

    Violation where one of them repeatedly lacks a record.
    """
    paginations = with_all_limits(call, live)
    whole = [each for each in paginations if each.is_whole]
    longest, *others = paginations
    if is_too_long(longest):
        # A target that ignores an unknown name returns the first page for every cursor.
        confirmed_name(live.operation(call.operation), "cursor", live)
        _compare_beginnings(longest, others, live)
        return any(len(set(each.ids) & set(longest.ids)) > 1 for each in others)
    for pagination in paginations:
        if loses(pagination, whole, live):
            confirm_missing(pagination, whole, live)
    return len(whole) > 1 and any(len(set(each.ids)) > 1 for each in whole)


def _compare_beginnings(longest: Pagination, others: Sequence[Pagination], live: Live) -> None:
    """Violation where the beginning of a long list repeatedly lacks records with some limit."""
    for other in others:
        if other.is_whole and loses(other, [longest, other], live):
            confirm_missing(other, [longest, other], live)
        confirm_skipped(other, longest, live)
        confirm_skipped(longest, other, live)


def _paginations(operation: Operation, live: Live) -> list[Pagination]:
    """Paginations with all limits; Inconclusive where none has a second page."""
    calls = lists(operation, live)
    confirmed_name(operation, "cursor", live)
    paginations = [each for call in calls for each in with_all_limits(call, live)]
    if not any(len(each.pages) > 1 for each in paginations):
        raise Inconclusive(f"{operation.id} has no second page", needs=("data in the target",))
    return paginations


def _filtered(operation: Operation, live: Live) -> list[Pagination]:
    """Paginations under each filter, most of which the check of filters reads too."""
    if "{" in operation.path or not live.listing(operation.id).records:
        return []
    plans = [
        plan
        for name, restricted in certain_filters(operation, live)
        for plan in _filter_plans(operation, name, restricted, live)
    ]
    live.paginations.read_ahead(plans)
    return [live.paginations.follow(plan) for plan in plans]


def _filter_plans(operation: Operation, name: str, restricted: str, live: Live) -> list[Plan]:
    records = live.listing(operation.id).records
    plans = []
    for id in values(records, restricted)[:2]:
        count = sum(record.get(restricted) == id for record in records)
        limits = [each for each in FILTERED if each != DEFAULT_LIMIT or count > each]
        call = Call(operation.id).asking(**{name: id})
        plans += [live.paginations.plan(call, limit, count) for limit in limits]
    return plans


# --- the end of a list ---


@requirement("pagination/end")
def test_following_cursors_comes_to_an_end(operation: Operation, live: Live) -> None:
    """No cursor leads back, and the last page of projects has a null cursor."""
    for pagination in _paginations(operation, live):
        if _unending(pagination, operation) is None:
            continue
        again = live.paginations.again(pagination)
        last = again.pages[-1]
        violation = _unending(again, operation)
        if violation is not None and not is_rejected_by_scheme(last, live):
            expect.violated(violation, last)


def _unending(pagination: Pagination, operation: Operation) -> Defect | None:
    """How a pagination fails to end; None where it ends.

    An empty page whose cursor is null ends a list: that the page before has a cursor says no more
    than that there is this page.
    """
    last = pagination.pages[-1]
    cursor = in_data(last, "nextCursor")
    if pagination.end is End.LOOP:
        text = "a cursor leads back to an earlier page with {size}"
        return _endless(text, pagination, "a last page").on("nextCursor").at(cursor)
    if _is_cursor_rejected(pagination):
        text = "the cursor of a page returned {response} with {size}"
        return _endless(text, pagination, "200", last).at(status_line(last))
    is_closing = operation.id in api.load().closing_lists
    if is_closing and pagination.is_whole and last.cursor is not None:
        text = "empty pages of projects have cursors without end with {size}"
        return _endless(text, pagination, "nextCursor: null").on("nextCursor").at(cursor)
    return None


def _endless(
    text: str, pagination: Pagination, expected: str, response: Exchange | None = None
) -> Defect:
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


@requirement("pagination/last-page")
def test_the_last_page_with_items_is_the_last(operation: Operation, live: Live) -> None:
    """No empty page follows the projects: it is unclear whether one counts as a further page."""
    filtered = _filtered(operation, live)
    paginations = _paginations(operation, live)
    ending = [each for each in filtered if _shows_its_end(each, live)]
    others = [*paginations, *filtered]
    for pagination in (*paginations, *ending):
        if not _has_needless_page(pagination) or _lacks_any(pagination, others):
            continue
        again = live.paginations.again(pagination)
        if not _has_needless_page(again) or _lacks_any(again, others):
            continue
        text = "the last page of projects with items has a cursor to an empty page, with {size}"
        needless = _endless(text, pagination, "nextCursor: null").on("nextCursor")
        last = again.pages[-2]
        expect.violated(needless.at(in_data(last, "nextCursor")), last, again.pages[-1])


def _lacks_any(pagination: Pagination, others: Sequence[Pagination]) -> bool:
    """Whether other limits return more: then an empty page stands where a record is missing."""
    own = set(pagination.ids)
    return any(set(other.ids) - own for other in others if other.call == pagination.call)


def _has_needless_page(pagination: Pagination) -> bool:
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


def _shows_its_end(pagination: Pagination, live: Live) -> bool:
    """Whether the target filters before it cuts pages: then an empty page is needless.

    That shows where no page of one is empty, although other records lie between those that pass.
    """
    whole, own = live.listing(pagination.call.operation).ids, set(pagination.ids)
    is_apart = own != set(whole[: len(own)])
    is_filled = all(page.items for page in pagination.pages[:-1])
    return pagination.limit == 1 and pagination.is_whole and is_apart and is_filled


# --- records that agree ---


@requirement("pagination/agreement")
def test_a_record_is_the_same_on_every_page(operation: Operation, live: Live) -> None:
    """Limits, cursors and filters select records, and change no property of them."""
    compared = False
    for call in lists(operation, live):
        # The longest pages were often read long before the others: they are not the base.
        longest, *others = with_all_limits(call, live)
        base, others = (others[0], [longest, *others[1:]]) if others else (longest, [])
        filtered = [call.asking(**{name: id}) for name, id in _filter_values(operation, live)]
        others += [live.paginations.read(each, longest.limit) for each in filtered]
        compared = compared or has_valid_id(base)
        for pagination in others:
            agree(base, pagination, live)
    if not compared:
        raise Inconclusive(
            f"{operation.id} shows no record with an id", needs=("data in the target",)
        )


def _filter_values(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain, each with the id that the first record has."""
    for name, restricted in certain_filters(operation, live):
        ids = values(live.listing(operation.id).records, restricted)
        yield from ((name, id) for id in ids[:1])


# --- records that can be read are listed ---


@requirement("pagination/listed")
def test_a_record_that_others_name_is_listed(operation: Operation, live: Live) -> None:
    """The project of a video, the video of a review, a review of the profile."""
    listing = live.listing(operation.id)
    if len(listing.ids) < len(listing.records):
        raise Inconclusive(
            f"{operation.id} shows records without ids", needs=("data in the target",)
        )
    _require_records(operation, live)
    missing = _named_ids(operation, live) - set(listing.ids)
    # A record that other limits return is listed; that one limit misses it is another requirement.
    if missing:
        missing -= {id for each in with_all_limits(listing.call, live) for id in each.ids}
    for id in sorted(missing)[:MOST_REPORTED]:
        _require_listed(operation, id, listing, live)


def _require_listed(operation: Operation, id: str, listing: Pagination, live: Live) -> None:
    read, name = _reader(operation, live)
    response = live.callers.send(Call(read, {name: id}), purpose="a record that another one names")
    if response.status != 200 or _is_in_another_state(response, listing):
        return
    where = listing if listing.is_whole else part_with(operation, response.data, live)
    # Of a list that is too long under any filter, the named records in its beginning are checked.
    if where is None or id in where.ids:
        return
    expect.that(
        id in live.paginations.again(where).ids,
        defect(
            Kind.OMITTED,
            "{id} can be read by its id, but is not among the {n} records of the list",
            expected="every record that can be read",
            id=id,
            n=len(set(listing.ids)),
        ).at(in_data(response, "id")),
        response,
    )


def _require_records(operation: Operation, live: Live) -> None:
    """Violation where a list stays empty, and records in several states can be read.

    A list of one state only would show some of them.
    """
    readable = _readable(operation, live)
    if not readable:
        return
    for pause in PAUSES:
        live.session.transport.wait(pause)
        if live.paginations.again(live.listing(operation.id)).records:
            return
    expect.violated(
        defect(
            Kind.OMITTED,
            "the list is empty, but records in several states can be read by their ids",
            expected="every record that can be read",
        ),
        *readable[:2],
    )


def _readable(operation: Operation, live: Live) -> list[Exchange]:
    """Responses to reading records in several states, where the list shows no record."""
    listing = live.listing(operation.id)
    if listing.records or not listing.is_whole:
        return []
    read, name = _reader(operation, live)
    calls = [Call(read, {name: id}) for id in sorted(_named_ids(operation, live))[:MOST_READ]]
    responses = live.callers.send_all(calls, "a record that another one names")
    read_by_id = [
        response
        for response in responses
        if isinstance(response.data, dict)
        and str(response.data.get("id")).lower() == response.call.path[name]
    ]
    states = {tuple(str(each.data.get(name)) for name in STATES) for each in read_by_id}
    return read_by_id if len(states) > 1 else []


def _reader(operation: Operation, live: Live) -> tuple[str, str]:
    """The operation that reads a record of a list by its id, and the name of its parameter."""
    operations = live.session.contract.operations.values()
    reader = next(
        each
        for each in operations
        if each.resource == operation.resource and not each.is_list and not each.writes
    )
    return reader.id, parameter_of(reader)


def _is_in_another_state(response: Exchange, listing: Pagination) -> bool:
    """Whether no listed record is in the state of this one: a list may be restricted to a state."""
    record = response.data if isinstance(response.data, dict) else {}
    return any(
        record[name] not in [listed.get(name) for listed in listing.records]
        for name in STATES
        if name in record
    )


def _named_ids(operation: Operation, live: Live) -> set[str]:
    """The ids, in lower case, of records of a list that other records or the profile name."""
    if operation.resource == "Review":
        fixtures = live.session.target.fixtures
        return {id.lower() for id in (*fixtures.approvable_reviews, *fixtures.unapprovable_reviews)}
    _, name = _reader(operation, live)
    found: set[str] = set()
    for other in ("video_list", "review_list"):
        try:
            records = [listed.record for listed in live.records(other)]
        except (Inconclusive, NotApplicable):
            continue
        found |= {str(each[name]).lower() for each in records if isinstance(each.get(name), str)}
    return found
