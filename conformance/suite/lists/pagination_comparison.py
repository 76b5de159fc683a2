"""Paginations of one list with several limits, and the properties that they have to share."""

from collections import Counter
from collections.abc import Sequence, Set
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.pointer import pointer
from conformance.contract.verdict import (
    Kind,
    Location,
    Part,
    defect,
)
from conformance.http.exchange import Call, Exchange
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, in_item
from conformance.suite.lists import page_sizes
from conformance.suite.lists.live import LISTS, Live, parameter_of
from conformance.suite.lists.pagination import GROWING, UNSTATED, End, Pagination, Plan, record_key
from conformance.suite.lists.parts import skipped
from conformance.suite.lists.records import differing, of_contract, suits

LIMITS = (100, GROWING, 50, 25, 10, 7, 3, 1, UNSTATED)
ROUNDS = 2
ALONE = 3
"""Sizes of a list whose cursors are bound to the limit that they were issued under."""
SHORTEST_ALONE = 8
"""The smallest of them: each reads the whole list."""
PART = 3
"""A list below a record, or under a filter, is read with one size for so many of the others."""
RESTLESS = 8
"""How often a changing list is read before a violation is reported.

Where many records move, many are repeated or missing by chance.
"""
MOST_NAMED = 3
"""Ids that a sentence names."""


# --- reading ---


def lists(operation: Operation, live: Live) -> list[Call]:
    """The list itself, or the lists below the two parents with the most records."""
    if "{" not in operation.path:
        return [Call(operation.id)]
    name = parameter_of(operation)
    return [Call(operation.id, {name: id}) for id in live.parents(operation.id)[:2]]


def with_all_limits(call: Call, live: Live) -> list[Pagination]:
    """Paginations of one list with several limits, the longest pages first."""
    live.callers.require_baseline(call.asking(limit="1"))
    usual = _with_usual_limits(call, live)
    plans = _plans_beside(usual, live)
    live.paginations.read_ahead(plans)
    return [*usual, *map(live.paginations.follow, plans)]


def _with_usual_limits(call: Call, live: Live) -> list[Pagination]:
    paginations = live.paginations
    longest = paginations.follow(paginations.plan(call, LIMITS[0]))
    count = len(longest.ids)
    others = [paginations.plan(call, limit, count) for limit in _other_limits(longest)]
    paginations.read_ahead(others)
    usual = [longest, *map(paginations.follow, others)]
    # Where each limit has an order of its own, pages of several sizes have none.
    has_order = _has_one_order(usual)
    return [each for each in usual if each.limit != GROWING or has_order]


def _has_one_order(usual: Sequence[Pagination]) -> bool:
    """Whether paginations of one page size each have their records in one order.

    A target may have an order for each limit, or a new one for each pagination.
    """
    whole = [each for each in usual if each.is_whole and each.limit != GROWING]
    return all(_common(usual[0], each) == _common(each, usual[0]) for each in whole)


def _plans_beside(usual: Sequence[Pagination], live: Live) -> list[Plan]:
    """Paginations with unusual page sizes of a list that was read to its end."""
    longest = usual[0]
    return size_plans(longest.call, len(longest.ids), usual, live) if longest.is_whole else []


def size_plans(call: Call, records: int, usual: Sequence[Pagination], live: Live) -> list[Plan]:
    """Paginations of a list of so many records with unusual page sizes.

    They change the size from page to page, where the target allows that: `usual` are those of the
    list with the usual limits, without a filter. Below a record, or under a filter, there are
    fewer of them.
    """
    is_whole_list = call.operation in LISTS.values() and not call.query
    number = live.session.depth.sizes // (1 if is_whole_list else PART)
    turn = [*live.session.contract.operations].index(call.operation)
    sizes = page_sizes.chosen(live.session.seed, turn, number, records)
    paginations = live.paginations
    growing = [each for each in usual if each.limit == GROWING]
    if not growing:
        return []  # a list without one order, or at work, is read often enough to be understood
    if growing[0].is_whole:
        return [paginations.plan_sizes(call, each) for each in page_sizes.sequences(sizes, records)]
    alone = [size for size in sizes if size >= SHORTEST_ALONE][:ALONE]
    return [paginations.plan(call, size, records) for size in alone]


def _other_limits(longest: Pagination) -> list[int]:
    """The other limits with which a list is read, to its end or not."""
    if longest.is_whole:
        return [*LIMITS[1:], *filling(len(longest.ids))]
    return [*LIMITS[1:]] if longest.end is End.PAGE_COUNT else []


def filling(count: int) -> list[int]:
    """The largest further limit above 1 with which so many records fill every page.

    Empty where there is none.
    """
    limits = range(min(count, LIMITS[0]), 1, -1)
    return [limit for limit in limits if count % limit == 0 and limit not in LIMITS][:1]


def desynchronize(call: Call, number: int, live: Live) -> None:
    """Send one request more before each repetition.

    Otherwise a defect of every n-th response could seem to stay in the same place.
    """
    for _ in range(number + 1):
        live.callers.send(call, purpose="once more")


# --- repeated records ---


def repeated(pagination: Pagination) -> list[str]:
    """The ids that are shown more than once."""
    counts = Counter(pagination.ids)
    return sorted(id for id, count in counts.items() if count > 1)


def confirm_repeated(pagination: Pagination, live: Live) -> None:
    """Violation where further paginations repeat records too.

    In a list that changes, they have to be the same records.
    """
    twice = set(repeated(pagination))
    for number in range(RESTLESS):
        desynchronize(pagination.call, number, live)
        again = live.paginations.again(pagination)
        is_at_rest = _is_at_rest([pagination], [again])
        candidates = set(again.ids) if is_at_rest else twice
        twice = (set(repeated(again)) & candidates) - _updated([pagination, again])
        # Two rounds at least: a list that changes in turns may look the same once.
        if not twice or (is_at_rest and number):
            break
    if twice:
        _report_repeated(again, twice)


def _report_repeated(pagination: Pagination, ids: set[str]) -> None:
    places = [place for id in sorted(ids) for place in _places_of(id, pagination)[:2]]
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
            ids=_named(ids),
            first=numbers[0],
            second=numbers[-1],
        ).at(*places[: 2 * MOST_NAMED]),
        *(pagination.pages[number - 1] for number in numbers),
    )


def _places_of(id: str, pagination: Pagination) -> list[Location]:
    """Where a pagination shows a record."""
    return [
        in_item(page, item)
        for page in pagination.pages
        for item in page.items
        if record_key(item) == id
    ]


def _named(ids: set[str]) -> str:
    return ", ".join(sorted(ids)[:MOST_NAMED])


# --- missing records ---


def loses(pagination: Pagination, whole: Sequence[Pagination], live: Live) -> bool:
    """Whether a pagination lacks records that complete ones of the same list show.

    One that was not read to its end lacks records if it begins with others than they do.
    """
    if pagination.is_whole:
        missing = _granted(whole, live, beside=set(pagination.ids))
        return len(missing) > pagination.without_id
    if pagination.end is not End.PAGE_COUNT or not whole or pagination.without_id:
        return False
    beginning = whole[0].ids[: len(pagination.ids)]
    return set(pagination.ids) != set(beginning)


def _granted(
    paginations: Sequence[Pagination], live: Live, beside: Set[str] = frozenset()
) -> set[str]:
    """The ids of all records inside the grant, beside some that are known.

    Records outside the grant violate requirements of authorization.
    """
    return {
        key
        for pagination in paginations
        for listed in pagination.listed
        if (key := record_key(listed.record)) not in beside
        and not live.is_outside(listed.record, pagination.call.operation)
    }


def confirm_missing(pagination: Pagination, whole: Sequence[Pagination], live: Live) -> None:
    """Violation where a pagination repeatedly lacks records that others show before and after it.

    In a list that changes, they have to be the same records.
    """
    everything = _granted(whole, live)
    missing = everything - set(pagination.ids)
    for number in range(RESTLESS):
        desynchronize(pagination.call, number, live)
        again = live.paginations.again(pagination, records=len(everything))
        before = [other for other in whole if missing & set(other.ids)]
        after = [live.paginations.again(other) for other in before]
        shown = everything & {id for other in after for id in other.ids}
        is_at_rest = _is_at_rest([pagination, *before], [again, *after])
        candidates = shown if is_at_rest else shown & missing
        missing = candidates - set(again.ids) - _updated([*before, *after])
        if len(missing) <= again.without_id or not again.is_whole:
            return
        if is_at_rest and number >= ROUNDS:
            break
    _report_missing(again, missing)


def confirm_skipped(pagination: Pagination, other: Pagination, live: Live) -> None:
    """Violation where the beginning of a long list repeatedly lacks records that another one has.

    In a list that changes, they have to be the same records.
    """
    missing = skipped(pagination, other)
    for number in range(ROUNDS + 1):
        if not missing:
            return
        desynchronize(pagination.call, number, live)
        again, beside = live.paginations.again(pagination), live.paginations.again(other)
        missing &= skipped(again, beside)
        missing -= _updated([pagination, other, again, beside])
        if len(missing) <= again.without_id:
            return
    _report_missing(again, missing)


def _report_missing(pagination: Pagination, ids: set[str]) -> None:
    text = "1 record is missing with {size}: {ids}"
    last = pagination.pages[-1]
    expect.violated(
        defect(
            Kind.OMITTED,
            text if len(ids) == 1 else "{n} records are missing with {size}: {ids}",
            expected="the records that other limits return",
            actual=len(ids),
            n=len(ids),
            size=pagination.page_size,
            ids=_named(ids),
        ).at(in_data(last, "items")),
        last,
    )


# --- lists that change while they are read ---


def _updated(paginations: Sequence[Pagination]) -> set[str]:
    """The records that were updated between these paginations.

    Where the latest update comes first, such a record may move past the reader every time.
    """
    records = [record for each in paginations for record in each.records if "updatedAt" in record]
    moments = {(record_key(record), repr(record["updatedAt"])) for record in records}
    counts = Counter(key for key, _ in moments)
    return {id for each in paginations for id in each.ids if counts[id] > 1}


def _is_at_rest(before: Sequence[Pagination], after: Sequence[Pagination]) -> bool:
    """Whether no record was added, removed or moved, although single paginations may lack some."""
    shown_before = {id for each in before for id in each.ids}
    shown_after = {id for each in after for id in each.ids}
    if shown_before != shown_after:
        return False
    pairs = zip(before, after, strict=True)
    return all(_common(one, other) == _common(other, one) for one, other in pairs)


def _common(one: Pagination, other: Pagination) -> list[str]:
    """The records of a pagination that another one has too, in their order."""
    shared = set(other.ids)
    return [id for id in dict.fromkeys(one.ids) if id in shared]


# --- records that differ ---

Property = tuple[str, str]
"""The key of a record, and the name of a property."""


def agree(longest: Pagination, pagination: Pagination, live: Live) -> None:
    """Violation where two paginations repeatedly show a record with different values."""
    stable = _differences(longest, pagination, live)
    if not stable:
        return
    for number in range(ROUNDS + 1):
        # By one scheme on both sides: the values may depend on who reads them.
        scheme = pagination.pages[0].scheme
        desynchronize(pagination.call, number, live)
        other = live.paginations.again(longest, scheme)
        again = live.paginations.again(pagination, scheme)
        differences = _differences(other, again, live)
        stable = {key: both for key, both in stable.items() if differences.get(key) == both}
        if not stable:
            return
    _report_differing(other, again, set(stable))


def _report_differing(one: Pagination, other: Pagination, differing_in: set[Property]) -> None:
    names = sorted({name for _, name in differing_in})
    key, name = min(differing_in)
    places = [
        Location(Part.BODY, f"{place.name}{pointer((name,))}", place.exchange)
        for pagination in (one, other)
        for place in _places_of(key, pagination)[:1]
    ]
    pages = [page for each in (one, other) for page in each.pages]
    shown = [page for page in pages if page.id in {place.exchange for place in places}]
    expect.violated(
        defect(
            Kind.DIFFERENCE,
            "records differ in {properties} between {one} and {other}",
            expected="the same values on every page",
            properties=", ".join(names),
            one=one.page_size,
            other=other.page_size,
        )
        .on(*names)
        .at(*places),
        *shown,
    )


def _differences(one: Pagination, other: Pagination, live: Live) -> dict[Property, tuple[Any, Any]]:
    """The properties of the contract that two paginations show with different values.

    The property that names the parent is left out: a check of its own compares it.
    """
    contract, resource = live.session.contract, live.operation(one.call.operation).resource
    known = {record_key(record): record for record in one.records}
    found = {}
    for shown_record in other.records:
        key = record_key(shown_record)
        if known.get(key, shown_record) == shown_record:
            continue
        record = of_contract(contract, resource, shown_record)
        twin = of_contract(contract, resource, known[key])
        for name in set(differing(twin, record)).difference(one.call.path):
            if all(suits(contract, resource, name, shown) for shown in (twin, record)):
                found[key, name] = (twin[name], record[name])
    return found


# --- rejected pages ---


def is_rejected_by_scheme(page: Exchange, live: Live) -> bool:
    """Whether only one scheme is rejected here: that violates requirements of authentication."""
    if page.status not in (401, 403):
        return False
    schemes = live.callers.credential("primary").schemes
    others = (scheme for scheme in schemes if scheme != page.scheme)
    return any(
        live.callers.send(page.call, scheme=scheme, purpose="by the other scheme").status == 200
        for scheme in others
    )


def has_valid_id(pagination: Pagination) -> bool:
    """Whether any record has a valid id."""
    return any(is_uuid(record.get("id")) for record in pagination.records)
