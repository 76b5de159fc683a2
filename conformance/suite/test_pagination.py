"""Pagination: limits, cursors and filters of lists (Endpoints, Limits)."""

from collections.abc import Iterator

from conformance.exchange import Call
from conformance.openapi import Operation
from conformance.suite import expect
from conformance.suite.live import Live, Walk, parameter_of
from conformance.suite.requirement import requirement
from conformance.suite.test_arguments import known
from conformance.verdict import Inconclusive, NotApplicable

SIZES = (100, 25, 7, 2, 1)
DEFAULT_LIMIT = 25
MEMBERS = {"company": "companyId", "project": "projectId"}
ROUNDS = 2


@requirement("pagination/limit")
def test_a_page_holds_no_more_than_its_limit(operation: Operation, live: Live) -> None:
    """Pages of every size that can be filled; the rule counts the records of each."""
    for call in _lists(operation, live):
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
    for _ in range(ROUNDS):
        plain, stated = (live.control(Call(operation.id).asking(limit=limit)) for limit in (None, str(DEFAULT_LIMIT)))
        if _ids(plain.items) == _ids(stated.items):
            return
    told = f"{len(plain.items)} records without a limit, {len(stated.items)} with 25"
    expect.broken(told, plain, stated, expected="the same page")


@requirement("pagination/once")
def test_a_walk_yields_no_record_twice(operation: Operation, live: Live) -> None:
    """Whatever the size of its pages."""
    for walk in _walks(operation, live):
        repeated = _repeated(walk)
        if repeated and _repeated(live.walk(walk.call, walk.limit, again=True)):
            answer = next(page for page in walk.pages if repeated[0] in _ids(page.items))
            expect.broken(f"{len(repeated)} records come twice with limit {walk.limit}", answer, expected="each record once")


@requirement("pagination/complete")
def test_a_walk_yields_every_record(operation: Operation, live: Live) -> None:
    """Walks with pages of different sizes yield the same records."""
    compared = False
    for call in _lists(operation, live):
        walks = [walk for walk in _sized(call, live) if walk.is_whole]
        everything = set().union(*(walk.ids for walk in walks)) if walks else set()
        compared = compared or (len(walks) > 1 and len(everything) > 1)
        for walk in walks:
            missing = everything - set(walk.ids)
            if missing:
                _confirm_missing(walk, walks, missing, live)
    if not compared:
        raise Inconclusive(f"{operation.id} has no two pages to compare", needs=("data in the target",))


@requirement("pagination/end")
def test_a_walk_comes_to_its_end(operation: Operation, live: Live) -> None:
    """No cursor leads back, and the last page of projects is the one with the null cursor."""
    for walk in _walks(operation, live):
        if _unending(walk, operation) is not None:
            again = live.walk(walk.call, walk.limit, again=True)
            problem = _unending(again, operation)
            expect.that(problem is None, f"{problem} with limit {walk.limit}", again.pages[-1], expected="an end")


@requirement("pagination/filter")
def test_a_filter_restricts_every_page(operation: Operation, live: Live) -> None:
    """A filtered list holds the records of the unfiltered one that belong there, page by page."""
    filtered = False
    for role, member in MEMBERS.items():
        if live.session.name(operation, role) is None:
            continue
        name = known(operation, role, live, Call(operation.id))
        nobody = live.send(Call(operation.id).asking(**{name: live.made_up(role)}), purpose=f"a {role} that does not exist")
        expect.status(nobody, 200, 403, 404)
        expect.that(not nobody.items, f"{len(nobody.items)} items of a {role} that does not exist", nobody, expected="no item")
        for id in _values(live.listing(operation.id), member):
            filtered = True
            _restricted(live, operation, name, member, id)
    if not filtered:
        raise Inconclusive(f"no record of {operation.id} tells what to filter by", needs=("data in the target",))


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
        known_again = answer.status != 200 or id in {i.lower() for i in live.walk(walk.call, walk.limit, again=True).ids}
        expect.that(known_again, f"{id} can be read, but is not in the list", answer, expected="a list of all that can be read")


def _lists(operation: Operation, live: Live) -> list[Call]:
    """The list itself, or those below the records that have the most."""
    if "{" not in operation.path:
        return [Call(operation.id)]
    return [Call(operation.id, {parameter_of(operation): id}) for id in live.parents(operation.id)[:2]]


def _sized(call: Call, live: Live) -> Iterator[Walk]:
    """Walks of one list in pages of several sizes, as far as the depth of the run allows."""
    live.control(call.asking(limit="1"))
    longest = live.walk(call, SIZES[0])
    yield longest
    for size in SIZES[1:]:
        if longest.is_whole and len(longest.ids) <= size * live.session.depth.pages:
            yield live.walk(call, size)


def _walks(operation: Operation, live: Live) -> list[Walk]:
    known(operation, "cursor", live, _lists(operation, live)[0])
    walks = [walk for call in _lists(operation, live) for walk in _sized(call, live)]
    if not any(len(walk.pages) > 1 for walk in walks):
        raise Inconclusive(f"{operation.id} has no second page", needs=("data in the target",))
    return walks


def _ids(items: list[dict[str, object]]) -> set[object]:
    return {item.get("id") for item in items}


def _repeated(walk: Walk) -> list[str]:
    return sorted({id for id in walk.ids if walk.ids.count(id) > 1}) if len(set(walk.ids)) < len(walk.ids) else []


def _confirm_missing(walk: Walk, walks: list[Walk], missing: set[str], live: Live) -> None:
    """Blame a walk only where it misses the same record again, while another one shows it again."""
    again = live.walk(walk.call, walk.limit, again=True)
    still = missing - set(again.ids)
    shown = set().union(*(live.walk(other.call, other.limit, again=True).ids for other in walks if missing & set(other.ids)))
    lost = sorted(still & shown)
    told = f"{len(lost)} records are missing with limit {walk.limit}: {', '.join(lost[:3])}"
    expect.that(not lost, told, again.pages[-1], expected="the records that a walk with another limit yields")


def _unending(walk: Walk, operation: Operation) -> str | None:
    last = walk.pages[-1]
    if walk.end == "loop":
        return "a cursor leads back to a page that was read"
    if walk.end == "refused" and len(walk.pages) > 1:
        return f"the cursor of a page is answered {last.describe()}"
    if operation.id == "project_list" and walk.is_whole and (last.cursor is not None or _has_needless_page(walk)):
        return "the last page of projects has a cursor"
    return None


def _has_needless_page(walk: Walk) -> bool:
    """Whether an empty page follows full ones; after shorter ones it may be what is left of a page once the hidden records are out."""
    *before, last = walk.pages
    return bool(before) and not last.items and all(len(page.items) == walk.limit for page in before[:-1]) and bool(before[-1].items)


def _values(walk: Walk, member: str) -> list[str]:
    """Some of the values of a member: those of the first and the last record, and the rarest."""
    values = [record[member] for record in walk.records if isinstance(record.get(member), str)]
    rare = sorted(set(values), key=lambda value: (values.count(value), value))
    return list(dict.fromkeys([*values[:1], *values[-1:], *rare[:1], *rare[-2:]]))


def _restricted(live: Live, operation: Operation, name: str, member: str, id: str) -> None:
    call = Call(operation.id).asking(**{name: id})
    for limit in (100, 3, 1):
        if limit * live.session.depth.pages < sum(record.get(member) == id for record in live.listing(operation.id).records):
            continue
        walk = live.walk(call, limit)
        for page in walk.pages:
            strays = [item for item in page.items if member in item and item[member] != id]
            expect.that(not strays, f"{len(strays)} items of another {member}", page, expected=f"{member} {id}")
        if walk.end == "loop":
            lost = live.walk(call, limit, again=True).end == "loop"
            expect.that(not lost, f"the pages of one {member} lead back to those before", walk.pages[-1], expected="the pages after")
        _same_as_unfiltered(live, walk, member, id)


def _same_as_unfiltered(live: Live, walk: Walk, member: str, id: str) -> None:
    missing = _unfiltered(live, walk, member, id) ^ set(walk.ids)
    whole = live.listing(walk.call.operation)
    if not missing or not walk.is_whole or not whole.is_whole:
        return
    again, other = live.walk(walk.call, walk.limit, again=True), live.walk(whole.call, whole.limit, again=True)
    lost = sorted(missing & (set(again.ids) ^ {record["id"] for record in other.records if record.get(member) == id}))
    told = f"{len(lost)} records differ between the filtered list (limit {walk.limit}) and the whole one: {', '.join(lost[:3])}"
    expect.that(not lost, told, again.pages[-1], expected="the records of the whole list that belong there")


def _unfiltered(live: Live, walk: Walk, member: str, id: str) -> set[str]:
    return {record["id"] for record in live.listing(walk.call.operation).records if record.get(member) == id}


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
