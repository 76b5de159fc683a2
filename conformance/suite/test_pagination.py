"""Pagination: limits, cursors and filters of lists (Endpoints, Limits)."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.exchange import Call, Exchange
from conformance.openapi import Operation
from conformance.suite import expect
from conformance.suite.calls import MEMBERS
from conformance.suite.live import GROWING, Live, Walk, is_uuid, parameter_of, record_key
from conformance.suite.requirement import requirement
from conformance.suite.test_arguments import known
from conformance.suite.walks import ROUNDS, agree, confirm_missing, confirm_repeated, lists, repeated, sized
from conformance.verdict import Inconclusive, NotApplicable

DEFAULT_LIMIT = 25
NOBODY = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff")
"""UUIDs that a target may take for no filter at all."""


@requirement("pagination/limit")
def test_a_page_holds_no_more_than_its_limit(operation: Operation, live: Live) -> None:
    """Pages of every size that can be filled; the rule counts the records of each."""
    for call in lists(operation, live):
        answer = live.control(call.asking(limit="1"))
        if not answer.items:
            raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))
        for limit in ("2", "3", "24", "26", "99", "100"):
            live.send(call.asking(limit=limit), purpose=f"a page of {limit}")


@requirement("pagination/default-limit")
def test_the_default_limit_is_25(operation: Operation, live: Live) -> None:
    """The first page without a limit is the first page of 25."""
    if len(live.records(operation.id)) <= DEFAULT_LIMIT:
        raise Inconclusive(f"no more than {DEFAULT_LIMIT} records", needs=("data in the target",))
    live.control(Call(operation.id))
    for call, scheme in _without_limit(operation, live):
        _defaults(call, scheme, live)


@requirement("pagination/once")
def test_a_walk_yields_no_record_twice(operation: Operation, live: Live) -> None:
    """Whatever the size of its pages."""
    for walk in _walks(operation, live):
        if repeated(walk):
            confirm_repeated(walk, live)


@requirement("pagination/complete")
def test_a_walk_yields_every_record(operation: Operation, live: Live) -> None:
    """Walks with pages of different sizes yield the same records."""
    compared = False
    for call in lists(operation, live):
        walks = [walk for walk in sized(call, live) if walk.is_whole]
        everything = set().union(*(walk.ids for walk in walks)) if walks else set()
        compared = compared or (len(walks) > 1 and len(everything) > 1)
        for walk in walks:
            if everything - set(walk.ids):
                confirm_missing(walk, walks, live)
    if not compared:
        raise Inconclusive(f"{operation.id} has no two pages to compare", needs=("data in the target",))


@requirement("pagination/end")
def test_a_walk_comes_to_its_end(operation: Operation, live: Live) -> None:
    """No cursor leads back, and the last page of projects is the one with the null cursor."""
    for walk in _walks(operation, live):
        if _unending(walk, operation) is not None:
            again = live.walk(walk.call, walk.limit, again=True)
            problem = _unending(again, operation)
            expect.that(problem is None, f"{problem} with {walk.told}", again.pages[-1], expected="an end")


@requirement("pagination/filter")
def test_a_filter_restricts_every_page(operation: Operation, live: Live) -> None:
    """A filtered list holds the records of the unfiltered one that belong there, page by page."""
    filtered = False
    for role, member in MEMBERS.items():
        if live.session.name(operation, role) is None:
            continue
        name = known(operation, role, live, Call(operation.id))
        _nobodys(operation, role, name, live)
        for id in _values(live.listing(operation.id), member):
            filtered = True
            _restricted(live, operation, name, member, id)
    _both(operation, live)
    if not filtered:
        raise Inconclusive(f"no record of {operation.id} tells what to filter by", needs=("data in the target",))


@requirement("pagination/agreement")
def test_a_record_is_the_same_on_every_page(operation: Operation, live: Live) -> None:
    """Limits, cursors and filters choose records, and change nothing in them."""
    compared = False
    for call in lists(operation, live):
        # The longest pages are often read long before the others, and what has happened since shows in them.
        longest, *others = sized(call, live)
        base, others = (others[0], [longest, *others[1:]]) if others else (longest, [])
        others += [live.walk(call.asking(**{name: id}), longest.limit) for name, id in _filters(operation, live)]
        compared = compared or any(is_uuid(record.get("id")) for record in base.records)
        for walk in others:
            agree(base, walk, live)
    if not compared:
        raise Inconclusive(f"{operation.id} shows no record with an id", needs=("data in the target",))


@requirement("pagination/listed")
def test_what_is_referred_to_is_listed(operation: Operation, live: Live) -> None:
    """A project of a video, a video of a review, a review of the profile: what can be read can be listed."""
    walk = live.listing(operation.id)
    if not walk.is_whole:
        raise Inconclusive(f"{operation.id} is too long to be read whole")
    if len(walk.ids) < len(walk.records):
        raise Inconclusive(f"{operation.id} shows records without ids", needs=("data in the target",))
    read = {"project_list": "project_get", "video_list": "video_get", "review_list": "review_get"}[operation.id]
    name = parameter_of(live.operation(read))
    for id in sorted(_referred(operation, live) - {id.lower() for id in walk.ids})[:5]:
        answer = live.send(Call(read, {name: id}), purpose="a record that another one names")
        if _is_of_another_state(answer, walk, operation):
            continue
        known_again = answer.status != 200 or id in {i.lower() for i in live.walk(walk.call, walk.limit, again=True).ids}
        expect.that(known_again, f"{id} can be read, but is not in the list", answer, expected="a list of all that can be read")


def _is_of_another_state(answer: Exchange, walk: Walk, operation: Operation) -> bool:
    """Whether a record has a status that nothing in the list has: what states a list is of is not given."""
    member = "ingestionStatus" if operation.id == "video_list" else "status"
    status = answer.data.get(member) if isinstance(answer.data, dict) else None
    return status is not None and status not in [record.get(member) for record in walk.records]


def _without_limit(operation: Operation, live: Live) -> Iterator[tuple[Call, str | None]]:
    """The list without a limit: its first page, the page after that, and the first page of the company that has the most."""
    plain = Call(operation.id)
    yield plain, None
    first = live.send(plain.asking(limit=str(DEFAULT_LIMIT)), purpose="the first page")
    if first.cursor is not None:
        yield plain.asking(cursor=first.cursor), first.scheme
    companies = Counter(str(record.get("companyId")) for record in live.listing(operation.id).records)
    yield from ((plain.asking(companyId=id), None) for id, count in companies.most_common(1) if count > DEFAULT_LIMIT)


def _defaults(call: Call, scheme: str | None, live: Live) -> None:
    """Violation where the page without a limit stays another one than that of 25; a cursor may be good for nothing but its first use."""
    stating = call.asking(limit=str(DEFAULT_LIMIT))
    for _ in range(ROUNDS):
        plain = live.send(call, scheme=scheme, purpose="without a limit")
        stated, again = (live.send(stating, scheme=plain.scheme, purpose="with the default limit") for _ in range(2))
        if {plain.status, stated.status, again.status} != {200} or _ids(plain.items) == _ids(stated.items):
            return
        if len(plain.items) == len(stated.items) and _ids(stated.items) != _ids(again.items):
            return  # In a list that moves nothing but the number of its records can be compared.
        if scheme is not None and not (plain.items and stated.items):
            return  # A cursor that goes with its own limit alone was never issued for another one, and may find nothing.
    told = f"{len(plain.items)} records without a limit, {len(stated.items)} with 25"
    expect.broken(told, plain, stated, expected="the same page")


def _walks(operation: Operation, live: Live) -> list[Walk]:
    known(operation, "cursor", live, lists(operation, live)[0])
    walks = [walk for call in lists(operation, live) for walk in sized(call, live)]
    if not any(len(walk.pages) > 1 for walk in walks):
        raise Inconclusive(f"{operation.id} has no second page", needs=("data in the target",))
    return walks


def _ids(items: list[dict[str, object]]) -> set[object]:
    return {item.get("id") for item in items}


def _unending(walk: Walk, operation: Operation) -> str | None:
    last = walk.pages[-1]
    if walk.end == "loop":
        return "a cursor leads back to a page that was read"
    if walk.end == "refused" and len(walk.pages) > 1 and walk.limit != GROWING:  # a cursor may go on with its own limit alone
        return f"the cursor of a page is answered {last.describe()}"
    if operation.id == "project_list" and walk.is_whole and (last.cursor is not None or _has_needless_page(walk)):
        return "the last page of projects has a cursor"
    return None


def _has_needless_page(walk: Walk) -> bool:
    """Whether an empty page follows full ones; after shorter ones it may be what is left of a page once the hidden records are out."""
    *before, last = walk.pages
    return bool(before) and not last.items and all(len(page.items) == walk.limit for page in before[:-1]) and bool(before[-1].items)


def _filters(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain, each with a value that some record has."""
    for name, role in live.session.roles(operation).items():
        if role in MEMBERS:
            yield from ((name, id) for id in _values(live.listing(operation.id), MEMBERS[role])[:1])


def _nobodys(operation: Operation, role: str, name: str, live: Live) -> None:
    """No record is of what does not exist, whatever its id looks like."""
    # Of projects every member is promised; what else is listed need not say whose it is.
    projects = _values(live.listing("project_list"), {"company": "companyId", "project": "id"}[role], every=True)
    known_ids = {id.lower() for id in (*_values(live.listing(operation.id), MEMBERS[role], every=True), *projects)}
    made_up = live.made_up(role)
    for id in (made_up, *(id for id in NOBODY if id not in known_ids)):
        nobody = live.send(Call(operation.id).asking(**{name: id}), purpose=f"a {role} that does not exist")
        if id == made_up or nobody.status not in (400, 422):  # that a kind of id is refused is judged by the rules
            expect.status(nobody, 200, 403, 404)
        expect.that(not nobody.items, f"{len(nobody.items)} items of a {role} that does not exist", nobody, expected="no item")


def _both(operation: Operation, live: Live) -> None:
    """Two filters at once restrict by both: to nothing, where the project is another company's."""
    names = {role: name for name, role in live.session.roles(operation).items() if role in MEMBERS}
    records = [record for record in live.listing(operation.id).records if all(is_uuid(record.get(name)) for name in MEMBERS.values())]
    if len(names) < len(MEMBERS) or not records:
        return
    first, last = records[0], next((record for record in records if record["companyId"] != records[0]["companyId"]), records[0])
    for company, project in ((first, first), (first, last), (last, first)):
        asked = {"companyId": company["companyId"], "projectId": project["projectId"]}
        call = Call(operation.id).asking(**{names[role]: asked[member] for role, member in MEMBERS.items()})
        page = live.send(call, purpose="two filters")
        strays = [item for item in page.items if not all(_is_of(item, member, id) for member, id in asked.items())]
        expect.that(not strays, f"{len(strays)} items of another company or project", page, expected=f"{asked} only")
        refused = company is project and page.status in (400, 422)
        expect.that(not refused, f"the company and the project of one record: {page.describe()}", page, expected="no 400 and no 422")


def _values(walk: Walk, member: str, *, every: bool = False) -> list[str]:
    """Some of the values of a member, those of the first and the last record, and the rarest; or every one."""
    values = [record[member] for record in walk.records if isinstance(record.get(member), str)]
    if every:
        return values
    rare = sorted(set(values), key=lambda value: (values.count(value), value))
    return list(dict.fromkeys([*values[:1], *values[-1:], *rare[:1], *rare[-2:]]))


def _restricted(live: Live, operation: Operation, name: str, member: str, id: str) -> None:
    call = Call(operation.id).asking(**{name: id})
    for limit in (100, 3, 1):
        if limit * live.session.depth.pages < len(_belonging(live.listing(operation.id), member, id)):
            continue
        walk = live.walk(call, limit)
        for page in walk.pages:
            strays = [item for item in page.items if not _is_of(item, member, id)]
            expect.that(not strays, f"{len(strays)} items of another {member}", page, expected=f"{member} {id}")
        if walk.end == "loop":
            lost = live.walk(call, limit, again=True).end == "loop"
            expect.that(not lost, f"the pages of one {member} lead back to those before", walk.pages[-1], expected="the pages after")
        _same_as_unfiltered(live, walk, member, id)


def _same_as_unfiltered(live: Live, walk: Walk, member: str, id: str) -> None:
    whole = live.listing(walk.call.operation)
    missing = _belonging(whole, member, id) ^ _belonging(walk, member, id)
    if not missing or not walk.is_whole or not whole.is_whole:
        return
    again, other = live.walk(walk.call, walk.limit, again=True), live.walk(whole.call, whole.limit, again=True)
    lost = sorted(missing & (_belonging(again, member, id) ^ _belonging(other, member, id)))
    told = f"{len(lost)} records differ between the filtered list (limit {walk.limit}) and the whole one: {', '.join(lost[:3])}"
    expect.that(not lost, told, again.pages[-1], expected="the records of the whole list that belong there")


def _belonging(walk: Walk, member: str, id: str) -> set[str]:
    """The ids of the records that say by a member that they belong to a company or project; one that says nothing may belong to any."""
    return {record_key(record) for record in walk.records if member in record and "id" in record and _is_of(record, member, id)}


def _is_of(record: dict[str, Any], member: str, id: str) -> bool:
    """Whether a record is of a company or project, as far as it says."""
    return str(record.get(member, id)).lower() == id.lower()


def _referred(operation: Operation, live: Live) -> set[str]:
    """Ids of the kind of a list that other records, or the profile, name."""
    member = {"project_list": "projectId", "video_list": "videoId", "review_list": None}[operation.id]
    if member is None:
        fixtures = live.session.target.fixtures
        return {id.lower() for id in (*fixtures.approvable_reviews, *fixtures.unapprovable_reviews)}
    found: set[str] = set()
    for other in ("video_list", "review_list"):
        try:
            found |= {str(listed.record[member]).lower() for listed in live.records(other) if isinstance(listed.record.get(member), str)}
        except (Inconclusive, NotApplicable):
            continue
    return found
