"""Filters: a list that is restricted to a company or a project (GET /projects, Endpoints)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call
from conformance.rules.arguments import REJECTIONS
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import LISTS, PARENTS, READING, Live
from conformance.suite.lists.walk import PAGE, UNSTATED, Route, Walk, record_key
from conformance.suite.lists.walk_comparison import ROUNDS, shift, turned_away, values
from conformance.suite.test_arguments import known

DEFAULT_LIMIT = 25
FILTERED = (100, DEFAULT_LIMIT, 3, 1)
"""Limits of the walks under a filter."""
SHORT = 3
NOBODY = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
"""UUIDs that a target may take for no filter at all."""


@requirement("pagination/filter")
def test_a_filter_restricts_every_page(operation: Operation, live: Live) -> None:
    """A filtered list holds the records of the unfiltered one that belong there, page by page."""
    _walk_ahead(live)
    filtered = False
    for role, member in operation.filters.items():
        if live.session.name(operation, role) is None:
            continue
        name = known(operation, role, live, Call(operation.id))
        _nobodys(operation, role, name, live)
        ids = _inside(operation, member, live)
        filtered = filtered or bool(ids)
        walks = planned(operation, name, member, live)
        live.walk_ahead(route for route, _ in walks)
        for route, id in walks:
            _restricted(live.walk(route.call, route.limit), member, id, live)
        for id in _told_elsewhere(operation, role, live):
            _restricted(
                live.walk(Call(operation.id).asking(**{name: id}), FILTERED[0]), member, id, live
            )
        idle = _idle(operation, member, live)
        _strangers(
            operation,
            role,
            name,
            [*_outside(role, live), *idle, *(id.upper() for id in ids[:1])],
            live,
        )
        _empty(operation, role, name, idle, live)
    _both(operation, live)
    if not filtered:
        raise Inconclusive(
            f"no record of {operation.id} tells what to filter by", needs=("data in the target",)
        )


def _nobodys(operation: Operation, role: str, name: str, live: Live) -> None:
    """No record is of what does not exist, whatever its id looks like."""
    member = operation.filters[role]
    own = values(live.listing(operation.id).records, member, every=True)
    known_ids = {id.lower() for id in (*own, *_stated(member, live))}
    made_up = live.made_up(role)
    ids = (made_up, *(id for id in NOBODY if id not in known_ids))
    answers = live.send_all(
        [Call(operation.id).asking(**{name: id}) for id in ids], f"a {role} that does not exist"
    )
    for id, nobody in zip(ids, answers, strict=True):
        if id == made_up or nobody.status not in (
            400,
            422,
        ):  # that a kind of id is refused is judged by the rules
            expect.status(nobody, 200, 403, 404)
        expect.that(
            not nobody.items,
            defect(
                Kind.UNSORTED,
                f"{len(nobody.items)} items of a {role} that does not exist",
                expected="no item",
            ),
            nobody,
        )


def _stated(member: str, live: Live) -> list[str]:
    """The ids that a property may hold, from a list whose records have to state them."""
    listing = PARENTS.get(member, LISTS["Project"])
    return values(live.listing(listing).records, _member_in(listing, member), every=True)


def _member_in(listing: str, member: str) -> str:
    """The property of the records of a list that holds the ids that `member` holds elsewhere."""
    return "id" if PARENTS.get(member) == listing else member


def _outside(role: str, live: Live) -> list[str]:
    """Ids of what lies outside the grant."""
    fixtures = live.session.target.fixtures
    return [group[role] for group in (fixtures.foreign, fixtures.ungranted) if role in group]


def _idle(operation: Operation, member: str, live: Live) -> list[str]:
    """The id of a listed record that no record of this list belongs to, if there is one."""
    if member not in PARENTS:
        return []
    stated = values(live.listing(operation.id).records, member, every=True)
    taken = {id.lower() for id in stated}
    with suppress(Inconclusive):
        ids = [listed.record["id"] for listed in live.records(PARENTS[member])]
        return [id for id in ids if id.lower() not in taken][:1]
    return []


def _told_elsewhere(operation: Operation, role: str, live: Live) -> list[str]:
    """Ids of companies or projects of which the whole list shows nothing, one from each other list: a filter only restricts."""
    whole = live.listing(operation.id)
    told = {id.lower() for id in values(whole.records, operation.filters[role], every=True)}
    found: dict[str, None] = {}
    for other in LISTS.values() if whole.is_whole else ():
        member = _member_in(other, operation.filters[role])
        with suppress(Inconclusive):
            ids = (
                listed.record[member]
                for listed in live.records(other)
                if is_uuid(listed.record.get(member))
            )
            found |= dict.fromkeys([id for id in ids if id.lower() not in told][:1])
    return list(found)


def _empty(operation: Operation, role: str, name: str, idle: list[str], live: Live) -> None:
    """A filter on a record that nothing belongs to gives an empty page, as long as the record is there."""
    member = operation.filters[role]
    for id in idle:
        call = Call(operation.id).asking(**{name: id})
        page = live.send(call, purpose=f"a {role} with nothing to show")
        expect.clear(page)
        parent = Call(READING[member], {member: id})
        is_gone = (
            page.status == 404 and live.send(parent, purpose=f"is there the {role}?").status != 200
        )
        # That a caller, or a kind of id, is refused is judged elsewhere.
        kept = is_gone or page.status in (200, 400, 401, 403, 422)
        expect.that(
            kept,
            defect(
                Kind.UNSORTED, f"a {role} with nothing to show: {page.describe()}", expected="200"
            ),
            page,
        )


def _strangers(operation: Operation, role: str, name: str, ids: list[str], live: Live) -> None:
    """Whatever a filter names, a record that the unfiltered list shows as somebody else's is not shown."""
    member = operation.filters[role]
    records = live.listing(operation.id).records
    others = {
        record["id"]: record[member]
        for record in records
        if is_uuid(record.get(member)) and "id" in record
    }
    calls = [Call(operation.id).asking(**{name: id}) for id in ids]
    for id, page in zip(
        ids,
        live.send_all(calls, f"a {role} with nothing to show, or in other letters"),
        strict=True,
    ):
        strays = [
            item for item in page.items if str(others.get(item.get("id"), id)).lower() != id.lower()
        ]
        expect.that(
            not strays,
            defect(
                Kind.UNSORTED,
                f"{len(strays)} items of another {role}",
                expected=f"{member} {id} only",
            ),
            page,
        )


def _both(operation: Operation, live: Live) -> None:
    """Two filters at once restrict by both: to nothing where no record has both ids."""
    certain = live.session.roles(operation).items()
    names = {operation.filters[role]: name for name, role in certain if role in operation.filters}
    for wide, narrow in combinations(names, 2):
        _two(operation, {wide: names[wide], narrow: names[narrow]}, live)


def _two(operation: Operation, names: Mapping[str, str], live: Live) -> None:
    """Two filters, by the properties that they restrict: the first the wider one."""
    wide, narrow = names
    inside = (
        record
        for record in live.listing(operation.id).records
        if not live.is_outside(record, operation.id)
    )
    records = [record for record in inside if all(is_uuid(record.get(each)) for each in names)]
    if not records:
        return
    first = records[0]
    last = next((record for record in records if record[wide] != first[wide]), first)
    for one, other in ((first, first), (first, last), (last, first)):
        asked = {wide: one[wide], narrow: other[narrow]}
        call = Call(operation.id).asking(**{names[each]: id for each, id in asked.items()})
        page = live.send(call, purpose="two filters")
        strays = [
            item
            for item in page.items
            if not all(_is_of(item, member, id) for member, id in asked.items())
        ]
        expect.that(
            not strays,
            defect(
                Kind.UNSORTED,
                f"{len(strays)} items of another {wide} or {narrow}",
                expected=f"{asked} only",
            ),
            page,
        )
        refused = (
            one is other and page.status in (400, 403, 404, 422) and not turned_away(page, live)
        )
        expect.that(
            not refused,
            defect(
                Kind.UNSORTED,
                f"the {wide} and the {narrow} of one record: {page.describe()}",
                expected="200",
            ),
            page,
        )
    _all_of_both(operation, names, records, live)


def _all_of_both(
    operation: Operation, names: Mapping[str, str], records: Sequence[dict[str, Any]], live: Live
) -> None:
    """A narrow id and the wide one of all of its records restrict as the narrow one alone does."""
    wide, narrow = names
    ties = {(record[narrow], record[wide]) for record in records}
    counts = Counter(id for id, _ in ties)
    alone = Counter(record[narrow] for record in records if counts[record[narrow]] == 1)
    for id, _ in alone.most_common(1):
        outer = next(outer for inner, outer in ties if inner == id)
        call = Call(operation.id).asking(**{names[wide]: outer, names[narrow]: id})
        _restricted(live.walk(call, SHORT), narrow, id, live)


def _walk_ahead(live: Live) -> None:
    """Walk every list under all filters whose names are certain, side by side: see `walks.sized`."""
    walks = []
    for operation in map(live.operation, LISTS.values()):
        with suppress(Inconclusive, NotApplicable):
            names = {
                name: operation.filters[role]
                for name, role in live.session.roles(operation).items()
                if role in operation.filters
            }
            walks += [
                walk
                for name, member in names.items()
                for walk in planned(operation, name, member, live)
            ]
    live.walk_ahead(route for route, _ in walks)


def _inside(operation: Operation, member: str, live: Live) -> list[str]:
    """Some of the ids that a filter may name, of records that may be there."""
    return values(
        [
            record
            for record in live.listing(operation.id).records
            if not live.is_outside(record, operation.id)
        ],
        member,
    )


def planned(operation: Operation, name: str, member: str, live: Live) -> list[tuple[Route, str]]:
    """The walks under one filter, each with the id that the filter names."""
    counts = Counter(str(record.get(member)) for record in live.listing(operation.id).records)
    ids = _inside(operation, member, live)
    calls = {id: Call(operation.id).asking(**{name: id}) for id in ids}
    return [
        (live.route(calls[id], limit, counts[id]), id)
        for id in ids
        for limit in _limits(id, counts)
    ]


def _limits(id: str, counts: Counter[str]) -> list[int]:
    """The limits of the walks under a filter; of 25, and none, where that makes two pages of what has the most."""
    is_long = counts[id] > DEFAULT_LIMIT and counts[id] == max(counts.values())
    return (
        [*FILTERED, UNSTATED]
        if is_long
        else [limit for limit in FILTERED if limit != DEFAULT_LIMIT]
    )


def _restricted(walk: Walk, member: str, id: str, live: Live) -> None:
    for page in walk.pages:
        strays = [item for item in page.items if not _is_of(item, member, id)]
        expect.that(
            not strays,
            defect(
                Kind.UNSORTED, f"{len(strays)} items of another {member}", expected=f"{member} {id}"
            ),
            page,
        )
    if walk.end == "loop" and _is_walked(live, walk):
        lost = live.again(walk).end == "loop"
        expect.that(
            not lost,
            defect(
                Kind.UNSORTED,
                f"the pages of one {member} lead back to those before",
                expected="the pages after",
            ),
            walk.pages[-1],
        )
    # That a filter is refused as invalid is judged by the rules, and a cursor may carry its filter, and go with no other argument.
    if walk.end == "refused" and walk.pages[-1].status not in REJECTIONS and _is_walked(live, walk):
        last = live.again(walk).pages[-1]
        served = last.status in {200, *REJECTIONS} or turned_away(last, live)
        expect.that(
            served,
            defect(
                Kind.UNSORTED,
                f"{member} {id}: {last.describe()} with {walk.told}",
                expected="the records that belong there",
            ),
            last,
        )
    _same_as_unfiltered(live, walk, member, id)


def _same_as_unfiltered(live: Live, walk: Walk, member: str, id: str) -> None:
    whole = live.listing(walk.call.operation)
    if walk.end == "bound" and _begins_otherwise(walk, whole, member, id):
        walk = live.again(walk, records=len(_belonging(whole, member, id, live)))
    missing = (
        (_belonging(whole, member, id, live) ^ _belonging(walk, member, id, live))
        - _silent(whole, member)
        - _silent(walk, member)
    )
    if (
        len(missing) <= walk.nameless + whole.nameless
        or not walk.is_whole
        or not whole.is_whole
        or not _is_walked(live, walk)
    ):
        return
    for number in range(ROUNDS):
        shift(walk.call, number, live)
        again, other = live.again(walk, records=len(walk.ids)), live.again(whole)
        missing &= _belonging(again, member, id, live) ^ _belonging(other, member, id, live)
    lost = sorted(missing)
    told = f"{len(lost)} records differ between the filtered list ({walk.told}) and the whole one: {', '.join(lost[:3])}"
    expect.that(
        not lost,
        defect(Kind.UNSORTED, told, expected="the records of the whole list that belong there"),
        again.pages[-1],
    )


def _begins_otherwise(walk: Walk, whole: Walk, member: str, id: str) -> bool:
    """Whether a walk under a filter that was broken off begins with other records than the whole list has of it."""
    told = [
        record_key(record)
        for record in whole.records
        if member in record and _is_of(record, member, id)
    ]
    return {record_key(record) for record in walk.records} != set(told[: len(walk.records)])


def _is_walked(live: Live, walk: Walk) -> bool:
    """Whether the list without the filter is walked rightly in pages of this length and of others, by each scheme: or it is to blame."""
    whole, scheme = live.listing(walk.call.operation).ids, walk.pages[0].scheme
    plain = [
        live.walk(Call(walk.call.operation), limit, scheme=scheme)
        for limit in dict.fromkeys((walk.limit, DEFAULT_LIMIT))
    ]
    plain += [
        live.walk(Call(walk.call.operation), PAGE, scheme=each)
        for each in live.credential("primary").schemes
    ]
    return all(_is_of_list(each, whole) for each in plain)


def _is_of_list(plain: Walk, whole: list[str]) -> bool:
    """Whether a walk shows what the whole list has, or begins with it where it was broken off."""
    told = whole[: len(plain.ids)] if plain.end == "bound" else whole
    return (plain.end == "bound" or plain.is_whole) and sorted(plain.ids) == sorted(told)


def _belonging(walk: Walk, member: str, id: str, live: Live) -> set[str]:
    """The ids of the records that say by a member that they belong to a company or project; one that says nothing may belong to any.

    That a list shows something from outside the grant is judged by the checks of authorization, and by no other one.
    """
    told = [
        listed.record
        for listed in walk.listed
        if is_uuid(listed.record.get(member)) and _is_of(listed.record, member, id)
    ]
    return {
        record_key(record) for record in told if not live.is_outside(record, walk.call.operation)
    }


def _silent(walk: Walk, member: str) -> set[str]:
    """The ids of the records that do not say, by a usable id, to whom they belong."""
    return {
        record_key(listed.record)
        for listed in walk.listed
        if not is_uuid(listed.record.get(member))
    }


def _is_of(record: dict[str, Any], member: str, id: str) -> bool:
    """Whether a record is of a company or project, as far as it says; what is wrong with its id is judged by the rules."""
    return not is_uuid(record.get(member)) or str(record[member]).lower() == id.lower()
