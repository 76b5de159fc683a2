"""Lists under two filters."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.http.exchange import Call, Exchange
from conformance.rules.arguments import REJECTIONS
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.lists.covering import Combination, pairwise
from conformance.suite.lists.filtered_lists import Owners, Record, check_filtered
from conformance.suite.lists.filtered_sizes import check_sizes
from conformance.suite.lists.filters import certain_filters
from conformance.suite.lists.live import Live, reading_of
from conformance.suite.lists.pagination import SHORT, UNSTATED, Pagination
from conformance.suite.lists.rejected_pages import is_rejected_by_scheme


def check_pairs(operation: Operation, live: Live) -> None:
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
    cases = []
    every = _pair_cases(operation, (first, last), names, live)
    for owners, limit, scheme in live.session.share(every, operation.id):
        call = _filtered(operation, names, owners)
        cases.append((live.paginations.to_read(call, limit, scheme=scheme), owners))
    live.paginations.read_ahead(plan for plan, _ in cases)
    for plan, owners in cases:
        _check_case(live.paginations.follow(plan), owners, live)
    _check_redundant(operation, names, records, live)


def _filtered(operation: Operation, names: Mapping[str, str], owners: Owners) -> Call:
    """A list under filters, which name these owners."""
    return Call(operation.id).asking(**{names[restricted]: id for restricted, id in owners.items()})


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
    owned = next((record for record in whole if _is_owned(record, owners)), None)
    if owned is not None:
        first = pagination.pages[0]
        if first.status in (400, 403, 404, 422):
            _require_served(first, owned, live)
        check_filtered(pagination, owners, live)
        return
    for page in pagination.pages:
        expect.status(page, 200, 401, 403, 404, *sorted(REJECTIONS))


def _is_owned(record: Record, owners: Owners) -> bool:
    """Whether a record states all of these owners, in these letters."""
    return all(record.get(restricted) == id for restricted, id in owners.items())


def _require_served(page: Exchange, owned: Record, live: Live) -> None:
    """Violation where the two filters of a record are rejected by a scheme that reads the record.

    One of primary's credentials may reach less than the other (Authentication): filters that name
    what is outside its grant may be rejected.
    """
    reading = reading_of(page.call.operation, record_key(owned))
    if is_rejected_by_scheme(page, live) or reading is None:
        return
    read = live.callers.send(reading, scheme=page.scheme, purpose="a record of both filters")
    if read.status == 200:
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
        call = _filtered(operation, names, {wide: outer, narrow: id})
        check_filtered(live.paginations.read(call, SHORT), {narrow: id}, live)
        check_sizes(call, {narrow: id}, live)
