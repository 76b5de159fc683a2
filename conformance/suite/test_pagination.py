"""Pagination: limits and cursors of lists (Endpoints, Limits)."""

from collections import Counter
from collections.abc import Iterator

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live, parameter_of
from conformance.suite.lists.walk import GROWING, Walk
from conformance.suite.lists.walk_comparison import (
    ROUNDS,
    agree,
    confirm_missing,
    confirm_repeated,
    lists,
    loses,
    repeated,
    shift,
    sized,
    turned_away,
    values,
)
from conformance.suite.test_arguments import known
from conformance.suite.test_filters import FILTERED

DEFAULT_LIMIT = 25
MOST_READ = 12
PAUSES = (0.2, 0.8, 3.0)
"""Seconds after which a list that shows nothing is read again; it may lag behind its records."""
WHOLE = frozenset({"project_list", "video_list"})
"""Lists that nobody would take for those of what waits for the caller, as one of reviews may be."""
STATES = (
    "status",
    "ingestionStatus",
    "transcriptReviewStatus",
    "voiceAssignmentStatus",
    "approvable",
    "requestedAudience",
    "subjectType",
)
"""Members that say in what state a record is, or whom it waits for."""


@requirement("pagination/limit")
def test_a_page_holds_no_more_than_its_limit(operation: Operation, live: Live) -> None:
    """Pages of every size that can be filled; the rule counts the records of each."""
    filled = [call for call in lists(operation, live) if live.control(call.asking(limit="1")).items]
    if not filled:
        raise Inconclusive(f"{operation.id} shows no record", needs=("data in the target",))
    primary = live.credential("primary")
    for call in filled:
        limits = ("2", "3", "24", "26", "99", "100")
        live.send_each(
            [
                (call.asking(limit=limit), Sending(primary, purpose=f"a page of {limit}"))
                for limit in limits
            ]
        )


@requirement("pagination/default-limit")
def test_the_default_limit_is_25(operation: Operation, live: Live) -> None:
    """The first page without a limit is the first page of 25."""
    live.control(Call(operation.id))
    for call, scheme in _without_limit(operation, live):
        _defaults(call, scheme, live)
    if (
        len(live.records(operation.id)) <= DEFAULT_LIMIT
    ):  # which a smaller default cuts short, and a larger one does not
        raise Inconclusive(f"no more than {DEFAULT_LIMIT} records", needs=("data in the target",))


@requirement("pagination/once")
def test_a_walk_yields_no_record_twice(operation: Operation, live: Live) -> None:
    """Whatever the size of its pages, and under a filter."""
    for walk in (*_walks(operation, live), *_filtered(operation, live)):
        # Under a filter a cursor that leads back shows that the filter or the cursor is forgotten, which is judged elsewhere.
        if repeated(walk) and (walk.end != "loop" or not walk.call.query):
            confirm_repeated(walk, live)


@requirement("pagination/complete")
def test_a_walk_yields_every_record(operation: Operation, live: Live) -> None:
    """Walks with pages of different sizes yield the same records, and some where many can be read."""
    lost = _lost(operation, live) if operation.id in WHOLE else []
    expect.that(
        not lost,
        defect(
            Kind.UNSORTED,
            "the list shows nothing, and records in several states can be read",
            expected="what can be read",
        ),
        *lost[:2],
    )
    compared = False
    for call in lists(operation, live):
        walks = sized(call, live)
        whole = [walk for walk in walks if walk.is_whole]
        compared = compared or (len(whole) > 1 and any(len(set(walk.ids)) > 1 for walk in whole))
        for walk in walks:
            if loses(walk, whole, live):
                confirm_missing(walk, whole, live)
    if not compared:
        raise Inconclusive(
            f"{operation.id} has no two pages to compare", needs=("data in the target",)
        )


@requirement("pagination/end")
def test_a_walk_comes_to_its_end(operation: Operation, live: Live) -> None:
    """No cursor leads back, and the last page of projects, of all or of one company, is the one with the null cursor."""
    filtered = _filtered(operation, live) if operation.id == "project_list" else []
    walks = _walks(operation, live)
    for walk in (*walks, *(walk for walk in filtered if _shows_its_end(walk, live))):
        if _unending(walk, [*walks, *filtered], operation) is not None:
            again = live.again(walk)
            problem = (
                None
                if turned_away(again.pages[-1], live)
                else _unending(again, [*walks, *filtered], operation)
            )
            expect.that(
                problem is None,
                defect(Kind.UNSORTED, f"{problem} with {walk.told}", expected="an end"),
                again.pages[-1],
            )


@requirement("pagination/agreement")
def test_a_record_is_the_same_on_every_page(operation: Operation, live: Live) -> None:
    """Limits, cursors and filters choose records, and change nothing in them."""
    compared = False
    for call in lists(operation, live):
        # The longest pages are often read long before the others, and what has happened since shows in them.
        longest, *others = sized(call, live)
        base, others = (others[0], [longest, *others[1:]]) if others else (longest, [])
        others += [
            live.walk(call.asking(**{name: id}), longest.limit)
            for name, id in _filters(operation, live)
        ]
        compared = compared or any(is_uuid(record.get("id")) for record in base.records)
        for walk in others:
            agree(base, walk, live)
    if not compared:
        raise Inconclusive(
            f"{operation.id} shows no record with an id", needs=("data in the target",)
        )


@requirement("pagination/listed")
def test_what_is_referred_to_is_listed(operation: Operation, live: Live) -> None:
    """A project of a video, a video of a review, a review of the profile: what can be read can be listed."""
    walk = live.listing(operation.id)
    if not walk.is_whole:
        raise Inconclusive(f"{operation.id} is too long to be read whole")
    if len(walk.ids) < len(walk.records):
        raise Inconclusive(
            f"{operation.id} shows records without ids", needs=("data in the target",)
        )
    lost = _lost(operation, live)
    expect.that(
        not lost,
        defect(
            Kind.UNSORTED,
            "the list shows nothing, and records in several states can be read",
            expected="what can be read",
        ),
        *lost[:2],
    )
    read, name = _reading(operation, live)
    missing = _referred(operation, live) - set(walk.ids)
    if missing:  # what pages of another length show is listed, and lost in walking
        missing -= {id for other in sized(walk.call, live) for id in other.ids}
    for id in sorted(missing)[:5]:
        answer = live.send(Call(read, {name: id}), purpose="a record that another one names")
        if _is_of_another_state(answer, walk):
            continue
        known_again = answer.status != 200 or id in live.again(walk).ids
        expect.that(
            known_again,
            defect(
                Kind.UNSORTED,
                f"{id} can be read, but is not in the list",
                expected="a list of all that can be read",
            ),
            answer,
        )


def _reading(operation: Operation, live: Live) -> tuple[str, str]:
    """The operation that reads a record of a list by its id, and the name of its parameter."""
    read = {"project_list": "project_get", "video_list": "video_get", "review_list": "review_get"}[
        operation.id
    ]
    return read, parameter_of(live.operation(read))


def _lost(operation: Operation, live: Live) -> list[Exchange]:
    """Readings of records in several states, where a list shows none and goes on so: whichever states it is of, it lacks some."""
    walk = live.listing(operation.id)
    if walk.records or not walk.is_whole:
        return []
    read, name = _reading(operation, live)
    calls = [Call(read, {name: id}) for id in sorted(_referred(operation, live))[:MOST_READ]]
    answers = live.send_all(calls, "a record that another one names")
    own = [answer for answer in answers if isinstance(answer.data, dict)]
    found = [
        answer for answer in own if str(answer.data.get("id")).lower() == answer.call.path[name]
    ]
    if len({tuple(str(answer.data.get(member)) for member in STATES) for answer in found}) < 2:
        return []
    for pause in PAUSES:
        live.session.transport.wait(pause)
        if live.again(walk).records:
            return []
    return found


def _is_of_another_state(answer: Exchange, walk: Walk) -> bool:
    """Whether a record is in a state in which nothing in the list is: what states a list is of is not given."""
    told = answer.data if isinstance(answer.data, dict) else {}
    return any(
        told[member] not in [record.get(member) for record in walk.records]
        for member in STATES
        if member in told
    )


def _without_limit(operation: Operation, live: Live) -> Iterator[tuple[Call, str | None]]:
    """The list without a limit: its first page, the page after that, and the first page of the company that has the most."""
    plain = Call(operation.id)
    yield plain, None
    first = live.send(plain.asking(limit=str(DEFAULT_LIMIT)), purpose="the first page")
    if first.cursor is not None:
        yield plain.asking(cursor=first.cursor), first.scheme
    companies = Counter(
        str(record.get("companyId")) for record in live.listing(operation.id).records
    )
    yield from (
        (plain.asking(companyId=id), None) for id, count in companies.most_common(1) if count > 1
    )


def _defaults(call: Call, scheme: str | None, live: Live) -> None:
    """Violation where the page without a limit stays another one than that of 25; a cursor may be good for nothing but its first use."""
    stating = call.asking(limit=str(DEFAULT_LIMIT))
    for number in range(ROUNDS):
        shift(Call(call.operation), number, live)
        plain = live.send(call, scheme=scheme, purpose="without a limit")
        stated, again = (
            live.send(stating, scheme=plain.scheme, purpose="with the default limit")
            for _ in range(2)
        )
        if {plain.status, stated.status, again.status} != {200} or _ids(plain.items) == _ids(
            stated.items
        ):
            return
        if len(plain.items) == len(stated.items) and _ids(stated.items) != _ids(again.items):
            return  # In a list that moves nothing but the number of its records can be compared.
        if len(stated.items) != len(again.items) and len(plain.items) <= DEFAULT_LIMIT:
            return  # Where pages are as short as they happen to be, not even that.
        if scheme is not None and not (plain.items and stated.items):
            return  # A cursor that goes with its own limit alone was never issued for another one, and may find nothing.
    told = f"{len(plain.items)} records without a limit, {len(stated.items)} with 25"
    expect.violated(defect(Kind.UNSORTED, told, expected="the same page"), plain, stated)


def _walks(operation: Operation, live: Live) -> list[Walk]:
    known(operation, "cursor", live, lists(operation, live)[0])
    walks = [walk for call in lists(operation, live) for walk in sized(call, live)]
    if not any(len(walk.pages) > 1 for walk in walks):
        raise Inconclusive(f"{operation.id} has no second page", needs=("data in the target",))
    return walks


def _ids(items: list[dict[str, object]]) -> set[object]:
    return {item.get("id") for item in items}


def _unending(walk: Walk, walks: list[Walk], operation: Operation) -> str | None:
    last = walk.pages[-1]
    if walk.end == "loop":
        return "a cursor leads back to a page that was read"
    # A cursor may go on with its own limit alone; a page of records under another status than 200 is judged by the rules.
    if walk.end == "refused" and len(walk.pages) > 1 and walk.limit != GROWING and not last.items:
        return f"the cursor of a page is answered {last.describe()}"
    needless = (
        operation.id == "project_list"
        and walk.is_whole
        and (last.cursor is not None or _has_needless_page(walk))
    )
    if needless and not _lacks_any(walk, walks):
        return "the last page of projects has a cursor"
    return None


def _lacks_any(walk: Walk, walks: list[Walk]) -> bool:
    """Whether walks of the same list in other sizes show more, so that an empty page stands where a record was lost."""
    own = set(walk.ids)
    return any(set(other.ids) - own for other in walks if other.call == walk.call)


def _has_needless_page(walk: Walk) -> bool:
    """Whether an empty page follows full ones; after shorter ones it may be what is left of a page once the hidden records are out."""
    *before, last = walk.pages
    return (
        bool(before)
        and not last.items
        and all(len(page.items) == walk.limit for page in before[:-1])
        and bool(before[-1].items)
    )


def _filters(operation: Operation, live: Live) -> Iterator[tuple[str, str]]:
    """The filters whose names are certain, each with a value that some record has."""
    for name, role in live.session.roles(operation).items():
        if role in operation.filters:
            records = live.listing(operation.id).records
            yield from ((name, id) for id in values(records, operation.filters[role])[:1])


def _filtered(operation: Operation, live: Live) -> list[Walk]:
    """Walks under each filter, most of which the check of filters makes as well."""
    records = live.listing(operation.id).records if "{" not in operation.path else []
    routes = []
    for name, role in live.session.roles(operation).items() if records else ():
        member = operation.filters.get(role, "")
        for id in values(records, member)[:2]:
            count = sum(record.get(member) == id for record in records)
            call = Call(operation.id).asking(**{name: id})
            routes += [
                live.route(call, limit, count)
                for limit in FILTERED
                if limit != DEFAULT_LIMIT or count > limit
            ]
    live.walk_ahead(routes)
    return [live.walk(route.call, route.limit) for route in routes]


def _shows_its_end(walk: Walk, live: Live) -> bool:
    """Whether a filtered walk tells a needless page from what is left of a page that was cut before it was filtered.

    Pages of one are never empty, although a record of others stands between those that belong there: so they are filtered first.
    """
    whole, own = live.listing(walk.call.operation).ids, set(walk.ids)
    apart = own != set(whole[: len(own)])
    return (
        walk.limit == 1 and walk.is_whole and apart and all(page.items for page in walk.pages[:-1])
    )


def _referred(operation: Operation, live: Live) -> set[str]:
    """Ids of the kind of a list that other records, or the profile, name."""
    member = {"project_list": "projectId", "video_list": "videoId", "review_list": None}[
        operation.id
    ]
    if member is None:
        fixtures = live.session.target.fixtures
        return {id.lower() for id in (*fixtures.approvable_reviews, *fixtures.unapprovable_reviews)}
    found: set[str] = set()
    for other in ("video_list", "review_list"):
        try:
            found |= {
                str(listed.record[member]).lower()
                for listed in live.records(other)
                if isinstance(listed.record.get(member), str)
            }
        except (Inconclusive, NotApplicable):
            continue
    return found
