"""Lists under filters, compared with the unfiltered list."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.verdict import Kind, defect
from conformance.http.exchange import Call
from conformance.rules.arguments import REJECTIONS
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, of_status
from conformance.suite.lists.changing_lists import ROUNDS, desynchronize
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import DEFAULT_LIMIT, GROWING, PAGE, End, Pagination
from conformance.suite.lists.rejected_pages import is_rejected_by_scheme

MOST_NAMED = 3
SECOND = 2
Record = dict[str, Any]
Owners = Mapping[str, str]
"""The ids that filters name, by the properties that they restrict."""


def check_filtered(pagination: Pagination, owners: Owners, live: Live) -> None:
    """The pages under filters have the records that pass; a rule sees other ones on them."""
    if pagination.end is End.LOOP:
        _confirm_loop(pagination, live)
    if pagination.end is End.REJECTED:
        _confirm_rejected(pagination, live)
    _compare_with_unfiltered(pagination, owners, live)


def _confirm_loop(pagination: Pagination, live: Live) -> None:
    """Violation where a cursor repeatedly leads back under a filter, and not without it."""
    if not _is_unfiltered_sound(pagination, live):
        return
    again = live.paginations.again(pagination)
    last = pagination.pages[-1]
    expect.that(
        again.end is not End.LOOP,
        defect(
            Kind.ENDLESS,
            "under a filter, a cursor leads back to an earlier page with {size}",
            expected="the following page",
            size=pagination.page_size,
        )
        .on("nextCursor")
        .at(in_data(last, "nextCursor")),
        last,
    )


def _confirm_rejected(pagination: Pagination, live: Live) -> None:
    """Violation where a page is rejected repeatedly under a filter, and not without it.

    The first page violates `arguments/accepted` with 400 or 422. A cursor may include its filter
    and its limit, and allow no others: then the second page is rejected, or one of another size.
    """
    is_bound = len(pagination.pages) <= SECOND or pagination.limit == GROWING
    about_arguments = REJECTIONS if is_bound else frozenset()
    if pagination.pages[-1].status in about_arguments or not _is_unfiltered_sound(pagination, live):
        return
    last = live.paginations.again(pagination).pages[-1]
    if last.status in {200, *about_arguments} or is_rejected_by_scheme(last, live):
        return
    expect.violated(
        of_status(
            last,
            "under a filter, a page with {size} returned {response}",
            expected="200",
            size=pagination.page_size,
        ),
        last,
    )


def _compare_with_unfiltered(pagination: Pagination, owners: Owners, live: Live) -> None:
    """Violation where the filtered list repeatedly has other records than the unfiltered one."""
    whole = live.listing(pagination.call.operation)
    if pagination.end is End.PAGE_COUNT and _begins_otherwise(pagination, whole, owners):
        count = len(_passing(whole, owners, live))
        pagination = live.paginations.again(pagination, records=count)
    unlike = _unlike(whole, pagination, owners, live)
    unlike -= _without_owner(whole, owners) | _without_owner(pagination, owners)
    if len(unlike) <= pagination.without_id + whole.without_id:
        return
    if not pagination.is_whole or not _is_unfiltered_sound(pagination, live):
        return
    for number in range(ROUNDS):
        desynchronize(pagination.call, number, live)
        again = live.paginations.again(pagination, records=len(pagination.ids))
        other = live.paginations.again(whole)
        unlike &= _unlike(other, again, owners, live)
    if unlike:
        _report_unlike(again, unlike, owners)


def _unlike(whole: Pagination, filtered: Pagination, owners: Owners, live: Live) -> set[str]:
    """The records that pass a filter and that only one of two lists has.

    Of a list that is too long to be read whole, those that were read have to be in the other one.
    """
    passing = _passing(whole, owners, live)
    shown = _passing(filtered, owners, live)
    return passing ^ shown if whole.is_whole else passing - shown


def _begins_otherwise(pagination: Pagination, whole: Pagination, owners: Owners) -> bool:
    """Whether the first pages under filters have other records than the unfiltered list."""
    passing = [
        record_key(record)
        for record in whole.records
        if owners.keys() <= record.keys() and _has_owners(record, owners)
    ]
    shown = {record_key(record) for record in pagination.records}
    return shown != set(passing[: len(pagination.records)])


def _is_unfiltered_sound(pagination: Pagination, live: Live) -> bool:
    """Whether the list without the filter is complete with this limit and others, by each scheme.

    Otherwise the defect is not one of the filter.
    """
    operation = pagination.call.operation
    whole, scheme = live.listing(operation).ids, pagination.pages[0].scheme
    paginations = live.paginations
    plain = [paginations.read(Call(operation), DEFAULT_LIMIT, scheme=scheme)]
    plain.append(paginations.follow(paginations.like(pagination, Call(operation), scheme)))
    schemes = live.callers.credential("primary").schemes
    plain += [paginations.read(Call(operation), PAGE, scheme=each) for each in schemes]
    return all(_is_part_of(each, whole) for each in plain)


def _is_part_of(pagination: Pagination, whole: Sequence[str]) -> bool:
    """Whether a pagination has all records of a list, or the first ones where it was cut short."""
    if pagination.end is End.PAGE_COUNT:
        return sorted(pagination.ids) == sorted(whole[: len(pagination.ids)])
    return pagination.is_whole and sorted(pagination.ids) == sorted(whole)


def _passing(pagination: Pagination, owners: Owners, live: Live) -> set[str]:
    """The ids of the records inside the grant that state these owners."""
    operation = pagination.call.operation
    return {
        record_key(listed.record)
        for listed in pagination.listed
        if all(is_uuid(listed.record.get(restricted)) for restricted in owners)
        and _has_owners(listed.record, owners)
        and not live.is_outside(listed.record, operation)
    }


def _without_owner(pagination: Pagination, owners: Owners) -> set[str]:
    """The ids of the records without a valid id of an owner: each may have any owner."""
    records = [listed.record for listed in pagination.listed]
    return {
        record_key(record)
        for record in records
        if not all(is_uuid(record.get(restricted)) for restricted in owners)
    }


def _has_owners(record: Record, owners: Owners) -> bool:
    """Whether a record has these owners; an invalid id of an owner violates a rule."""
    shown = ((record.get(restricted), id) for restricted, id in owners.items())
    return all(not is_uuid(owner) or str(owner).lower() == id.lower() for owner, id in shown)


def _report_unlike(pagination: Pagination, ids: set[str], owners: Owners) -> None:
    last, missing = pagination.pages[-1], ids - set(pagination.ids)
    named = missing or ids
    count = "1 record is" if len(named) == 1 else "{n} records are"
    where = "missing from" if missing else "in no list but"
    expect.violated(
        defect(
            Kind.OMITTED,
            f"{count} {where} the list filtered by {{restricted}}: {{ids}}",
            expected="the records of the unfiltered list that pass the filter",
            actual=len(named),
            n=len(named),
            restricted=" and ".join(owners),
            ids=", ".join(sorted(named)[:MOST_NAMED]),
        ).at(in_data(last, "items")),
        last,
    )
