"""Filters: a list that is restricted to a company or a project (GET /projects, Endpoints)."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Inconclusive,
    Kind,
    defect,
)
from conformance.http.exchange import Call, Exchange
from conformance.rules.arguments import REJECTIONS
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data, in_item, status_line
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.covering import Combination, pairwise
from conformance.suite.lists.filters import (
    LIMITS,
    certain_filters,
    filtered_plans,
    ids_inside,
)
from conformance.suite.lists.live import LISTS, PARENTS, READING, Live
from conformance.suite.lists.pagination import (
    DEFAULT_LIMIT,
    PAGE,
    UNSTATED,
    End,
    Pagination,
    record_key,
)
from conformance.suite.lists.pagination_comparison import (
    ROUNDS,
    desynchronize,
    is_rejected_by_scheme,
    size_plans,
    with_all_limits,
)
from conformance.suite.lists.parameters import confirmed_name
from conformance.suite.lists.records import every_value

SHORT = 3
MOST_NAMED = 3
NOBODY = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
"""UUIDs that a target may treat as if there were no filter."""

Record = dict[str, Any]
Owners = Mapping[str, str]
"""The ids that filters name, by the properties that they restrict."""


@requirement("pagination/filter")
def test_a_filter_restricts_every_page(operation: Operation, live: Live) -> None:
    """A filtered list has the records of the unfiltered one that pass, on every page."""
    _read_ahead(operation, live)
    is_filtered = False
    for role, restricted in operation.filters.items():
        if live.session.name(operation, role) is None:
            continue
        name = confirmed_name(operation, role, live)
        _check_unknown_ids(operation, role, name, live)
        ids = ids_inside(operation, restricted, live)
        is_filtered = is_filtered or bool(ids)
        plans = filtered_plans(operation, name, restricted, live)
        for plan, id in plans:
            _check_filtered(live.paginations.follow(plan), {restricted: id}, live)
        _check_sizes(operation, name, restricted, live)
        for id in _ids_of_other_lists(operation, role, live):
            call = Call(operation.id).asking(**{name: id})
            _check_filtered(live.paginations.read(call, LIMITS[0]), {restricted: id}, live)
        unused = _unused_ids(operation, restricted, live)
        upper = [id.upper() for id in ids[:1]]
        without_records = [*_ids_outside(role, live), *unused, *upper]
        _check_other_owners(operation, role, name, without_records, live)
        _check_unused_ids(operation, role, name, unused, live)
    _check_pairs(operation, live)
    if not is_filtered:
        raise Inconclusive(
            f"no record of {operation.id} has an id to filter by", needs=("data in the target",)
        )


def _read_ahead(operation: Operation, live: Live) -> None:
    """Read the list under all filters whose names are certain, concurrently."""
    plans = []
    for name, restricted in certain_filters(operation, live):
        plans += filtered_plans(operation, name, restricted, live)
    live.paginations.read_ahead(plan for plan, _ in plans)


def _check_sizes(operation: Operation, name: str, restricted: str, live: Live) -> None:
    """Pages of unusual sizes, under the filter that most records pass."""
    usual, ids = with_all_limits(Call(operation.id), live), ids_inside(operation, restricted, live)
    counts = Counter(every_value(usual[0].records, restricted))
    for id in sorted(ids, key=lambda id: -counts[id])[:1] if usual[0].is_whole else ():
        call = Call(operation.id).asking(**{name: id})
        plans = size_plans(call, counts[id], usual, live)
        live.paginations.read_ahead(plans)
        for plan in plans:
            _check_filtered(live.paginations.follow(plan), {restricted: id}, live)


# --- ids without records ---


def _check_unknown_ids(operation: Operation, role: str, name: str, live: Live) -> None:
    """A filter by an id without records returns no item, for every form of the id."""
    restricted = operation.filters[role]
    own = every_value(live.listing(operation.id).records, restricted)
    known = {id.lower() for id in (*own, *_ids_of_owners(restricted, live))}
    ids = [live.made_up(role), *(id for id in NOBODY if id not in known)]
    calls = [Call(operation.id).asking(**{name: id}) for id in ids]
    responses = live.callers.send_all(calls, f"a filter by an unknown {role}")
    for response in responses:
        expect.status(response, 200, 403, 404, *sorted(REJECTIONS))
        if response.items:
            _report_unknown(response, role)


def _report_unknown(page: Exchange, role: str) -> None:
    text = "a filter by an unknown {role} returned items"
    count = len(page.items)
    foreign = defect(Kind.FOREIGN, text, expected="no item", actual=count, role=role)
    places = [in_item(page, item) for item in page.items[:MOST_NAMED]]
    expect.violated(foreign.at(*places), page)


def _ids_of_owners(restricted: str, live: Live) -> list[str]:
    """The ids that a property may have, from a list whose records all show them."""
    listing = PARENTS.get(restricted, LISTS["Project"])
    return every_value(live.listing(listing).records, _property_in(listing, restricted))


def _property_in(listing: str, restricted: str) -> str:
    """The property of the records of a list that has the ids that `restricted` has elsewhere."""
    return "id" if PARENTS.get(restricted) == listing else restricted


def _ids_outside(role: str, live: Live) -> list[str]:
    """Ids outside the grant, from the profile."""
    fixtures = live.session.target.fixtures
    return [group[role] for group in (fixtures.foreign, fixtures.ungranted) if role in group]


def _unused_ids(operation: Operation, restricted: str, live: Live) -> list[str]:
    """The id of a listed record that no record of this list belongs to, if there is one."""
    if restricted not in PARENTS:
        return []
    used = {id.lower() for id in every_value(live.listing(operation.id).records, restricted)}
    with suppress(Inconclusive):
        ids = [listed.record["id"] for listed in live.records(PARENTS[restricted])]
        return [id for id in ids if id.lower() not in used][:1]
    return []


def _ids_of_other_lists(operation: Operation, role: str, live: Live) -> list[str]:
    """Ids of which the unfiltered list has no record, one from each other list.

    A filter restricts: it returns no record that the unfiltered list does not have.
    """
    whole = live.listing(operation.id)
    restricted = operation.filters[role]
    used = {id.lower() for id in every_value(whole.records, restricted)}
    found: dict[str, None] = {}
    for other in LISTS.values() if whole.is_whole else ():
        name = _property_in(other, restricted)
        with suppress(Inconclusive):
            ids = [listed.record.get(name) for listed in live.records(other)]
            unused = [id for id in ids if is_uuid(id) and str(id).lower() not in used]
            found |= dict.fromkeys(map(str, unused[:1]))
    return list(found)


def _check_unused_ids(
    operation: Operation, role: str, name: str, ids: Sequence[str], live: Live
) -> None:
    """A filter by a record that nothing belongs to is served, as long as that record exists."""
    restricted = operation.filters[role]
    for id in ids:
        call = Call(operation.id).asking(**{name: id})
        page = live.callers.send(call, purpose=f"a filter by a {role} without records")
        expect.clear(page)
        # Rejections of the caller, or of a form of UUID, violate other requirements.
        if page.status in (200, 401, 403, *REJECTIONS):
            continue
        owner = Call(READING[restricted], {restricted: id})
        purpose = f"does the {role} exist?"
        is_gone = page.status == 404 and live.callers.send(owner, purpose=purpose).status != 200
        if not is_gone:
            expect.status(page, 200)


def _check_other_owners(
    operation: Operation, role: str, name: str, ids: Sequence[str], live: Live
) -> None:
    """No filter returns a record that has another owner in the unfiltered list."""
    restricted = operation.filters[role]
    owners = {
        record["id"]: record[restricted]
        for record in live.listing(operation.id).records
        if is_uuid(record.get(restricted)) and isinstance(record.get("id"), str)
    }
    calls = [Call(operation.id).asking(**{name: id}) for id in ids]
    purpose = f"a filter by a {role} without records, or in upper case"
    for id, page in zip(ids, live.callers.send_all(calls, purpose), strict=True):
        strays = [
            item
            for item in page.items
            if isinstance(item.get("id"), str)
            and str(owners.get(item["id"], id)).lower() != id.lower()
        ]
        if strays:
            _report_foreign(page, strays, {restricted: id})


# --- two filters ---


def _check_pairs(operation: Operation, live: Live) -> None:
    """Two filters restrict by both."""
    names = {restricted: name for name, restricted in certain_filters(operation, live)}
    for wide, narrow in combinations(names, 2):
        _check_pair(operation, {wide: names[wide], narrow: names[narrow]}, live)


def _check_pair(operation: Operation, names: Mapping[str, str], live: Live) -> None:
    """Two filters, by the properties that they restrict: the wider one first."""
    wide = next(iter(names))
    listed = live.listing(operation.id).records
    inside = [record for record in listed if not live.is_outside(record, operation.id)]
    records = [record for record in inside if all(is_uuid(record.get(each)) for each in names)]
    if not records:
        return
    first = records[0]
    last = next((record for record in records if record[wide] != first[wide]), first)
    for owners, limit, scheme in _pair_cases(operation, (first, last), names, live):
        filters = {names[restricted]: id for restricted, id in owners.items()}
        call = Call(operation.id).asking(**filters)
        _check_case(live.paginations.read(call, limit, scheme=scheme), owners, live)
    _check_redundant(operation, names, records, live)


def _pair_cases(
    operation: Operation, records: Sequence[Record], names: Mapping[str, str], live: Live
) -> list[Combination]:
    """The owners that two filters name, a limit and a scheme: each pair of them."""
    (wide, narrow), (first, last) = names, records
    own, other = ({each: record[each] for each in names} for record in (first, last))
    unknown = live.made_up("pair")
    owners = [
        own,
        other,
        {wide: own[wide], narrow: other[narrow]},
        {wide: other[wide], narrow: own[narrow]},
        {wide: unknown, narrow: own[narrow]},
        {wide: own[wide], narrow: unknown},
        {wide: own[wide].upper(), narrow: other[narrow]},
        {wide: other[wide], narrow: own[narrow].upper()},
    ]
    seed = f"{live.session.seed}:{operation.id}"
    longest = live.longest_page(operation.id)
    limits = (longest, UNSTATED, 1, random.Random(seed).randint(2, longest - 1))
    return pairwise(seed, owners, limits, live.callers.credential("primary").schemes)


def _check_case(pagination: Pagination, owners: Owners, live: Live) -> None:
    """Two filters restrict by both; those of one record are served, others may be rejected."""
    whole = live.listing(pagination.call.operation).records
    if any(_is_owned(record, owners) for record in whole):
        first = pagination.pages[0]
        if first.status in (400, 403, 404, 422):
            _require_served(first, live)
        _check_filtered(pagination, owners, live)
        return
    for page in pagination.pages:
        expect.status(page, 200, 401, 403, 404, *sorted(REJECTIONS))
        _check_owners(page, owners)


def _is_owned(record: Record, owners: Owners) -> bool:
    """Whether a record states all of these owners, in these letters."""
    return all(record.get(restricted) == id for restricted, id in owners.items())


def _check_owners(page: Exchange, owners: Owners) -> None:
    """Violation where a page has an item of another owner than a filter names."""
    for restricted, id in owners.items():
        strays = [item for item in page.items if not _has_owners(item, {restricted: id})]
        if strays:
            _report_foreign(page, strays, {restricted: id})


def _require_served(page: Exchange, live: Live) -> None:
    """Violation where the two filters of one record are rejected."""
    if not is_rejected_by_scheme(page, live):
        expect.status(page, 200, because="the company and the project of one record")


def _check_redundant(
    operation: Operation, names: Mapping[str, str], records: Sequence[Record], live: Live
) -> None:
    """A project restricts as before beside the company that all of its records have."""
    wide, narrow = names
    ties = {(record[narrow], record[wide]) for record in records}
    companies = Counter(id for id, _ in ties)
    of_one = Counter(record[narrow] for record in records if companies[record[narrow]] == 1)
    for id, _ in of_one.most_common(1):
        outer = next(outer for inner, outer in ties if inner == id)
        call = Call(operation.id).asking(**{names[wide]: outer, names[narrow]: id})
        _check_filtered(live.paginations.read(call, SHORT), {narrow: id}, live)


# --- one filter ---


def _check_filtered(pagination: Pagination, owners: Owners, live: Live) -> None:
    """The pages under filters have the records that pass, and no other ones."""
    for page in pagination.pages:
        _check_owners(page, owners)
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

    400 and 422 violate `arguments/accepted`; a cursor may include its filter, and allow no other
    argument.
    """
    if pagination.pages[-1].status in REJECTIONS or not _is_unfiltered_sound(pagination, live):
        return
    last = live.paginations.again(pagination).pages[-1]
    if last.status in {200, *REJECTIONS} or is_rejected_by_scheme(last, live):
        return
    expect.violated(
        defect(
            Kind.STATUS,
            "under a filter, a page with {size} returned {response}",
            expected="200",
            actual=last.status,
            size=pagination.page_size,
            response=last.describe(),
        ).at(status_line(last)),
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


# --- defects ---


def _report_foreign(page: Exchange, strays: Sequence[Record], owner: Owners) -> None:
    ((restricted, id),) = owner.items()
    other_owner = defect(
        Kind.FOREIGN,
        "a filtered page has items of another {restricted}",
        expected=f"{restricted} {id}",
        actual=len(strays),
        restricted=restricted,
    )
    places = [in_item(page, item, restricted) for item in strays[:MOST_NAMED]]
    expect.violated(other_owner.on(restricted).at(*places), page)


def _report_unlike(pagination: Pagination, ids: set[str], owners: Owners) -> None:
    last = pagination.pages[-1]
    singular = "1 record differs between the list filtered by {restricted} and the whole: {ids}"
    plural = "{n} records differ between the list filtered by {restricted} and the whole: {ids}"
    expect.violated(
        defect(
            Kind.OMITTED,
            singular if len(ids) == 1 else plural,
            expected="the records of the unfiltered list that pass the filter",
            actual=len(ids),
            n=len(ids),
            restricted=" and ".join(owners),
            ids=", ".join(sorted(ids)[:MOST_NAMED]),
        ).at(in_data(last, "items")),
        last,
    )
