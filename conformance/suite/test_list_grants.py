"""Grants of lists: no page shows records outside the caller's grant (Authentication)."""

from collections.abc import Iterable, Iterator
from typing import Any

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Location, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.records import record_key
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import others
from conformance.suite.lists.filters import filtered_plans
from conformance.suite.lists.limits import with_all_limits
from conformance.suite.lists.live import OWNERS, Live
from conformance.suite.lists.pagination import PAGE, SHORT, Pagination
from conformance.suite.lists.parameters import confirmed_name
from conformance.target.target import Credential

PAIRS_AT_ONCE = 3
LIMITS = (None, "1", "100")


@requirement("authorization/lists")
def test_lists_stay_within_the_grant(operation: Operation, scheme: str, live: Live) -> None:
    """Lists show primary nothing outside its grant, and the outsider nothing of primary."""
    fixtures = live.session.target.fixtures
    outsider = live.session.target.credentials.get("outsider")
    if not fixtures.foreign and not fixtures.ungranted and outsider is None:
        needs = ("fixtures.foreign", "fixtures.ungranted", "credentials.outsider")
        raise Inconclusive("nothing outside the grant is known", needs=needs)
    call, primary = Call(operation.id), live.callers.credential_with("primary", scheme)
    live.callers.require_baseline(call, primary, scheme)
    own = live.paginations.read(call, PAGE, primary, scheme)
    for pagination in (own, *with_all_limits(call, live), *_under_filters(operation, live)):
        _check_pages(pagination.pages, live)
    _check_pages([live.callers.send(call, purpose="without a limit")], live)
    if outsider is not None and scheme in outsider.schemes:
        theirs = live.paginations.read(call, PAGE, outsider, scheme)
        # Right after primary: a cached response may be that of another caller.
        plain = live.callers.send(call, outsider, scheme, purpose="the outsider, without a limit")
        for page in (*theirs.pages, plain):
            _check_shows_none(page, _of_primarys_companies(page, set(own.ids), live))
        if scheme == live.callers.credential("primary").schemes[0]:
            _check_at_once(operation, scheme, live, {"primary": own.ids, "outsider": theirs.ids})


def _check_pages(pages: Iterable[Exchange], live: Live) -> None:
    """Violation where a page of primary shows a record outside its grant."""
    for page in pages:
        for index, item in enumerate(page.items):
            if live.is_outside(item, page.operation):
                _report_outside(page, index, _property_outside(item, page.operation, live))


def _report_outside(page: Exchange, index: int, name: str) -> None:
    violation = defect(
        Kind.FOREIGN,
        "a list shows a record outside the grant of the caller",
        expected="records within the grant",
        actual=page.items[index].get(name),
    ).on(name)
    where = in_data(page, "items", index, name)
    expect.violated(violation.at(where), page)


def _property_outside(item: dict[str, Any], operation: str, live: Live) -> str:
    """The property of an item that has the id outside the grant of primary."""
    return next(name for name in OWNERS if live.is_outside({name: item.get(name)}, operation))


def _check_shows_none(page: Exchange, ids: set[str]) -> None:
    """Violation where a page shows the caller records of another caller."""
    violation = defect(
        Kind.FOREIGN,
        "a list shows {caller} a record of another caller",
        expected="records within the grant",
        actual=min(ids, default=None),
        caller=page.credential,
    )
    expect.that(not ids, violation.on("id").at(*_places(page, ids)), page)


def _of_primarys_companies(page: Exchange, own: set[str], live: Live) -> set[str]:
    """The records of a page that primary lists, or that are outside its project grant alone."""
    ungranted = live.session.target.fixtures.ungranted.values()
    return {
        key
        for item in page.items
        if (key := record_key(item)) in own or any(_belongs_to(item, id) for id in ungranted)
    }


def _places(page: Exchange, ids: set[str]) -> Iterator[Location]:
    for index, item in enumerate(page.items):
        if record_key(item) in ids:
            yield in_data(page, "items", index, "id")


def _under_filters(operation: Operation, live: Live) -> list[Pagination]:
    """Pages under each filter within the grant, long and short ones."""
    roles = live.session.roles(operation).items()
    names = [(name, operation.filters[role]) for name, role in roles if role in operation.filters]
    routes = [
        route
        for name, restricted in names
        for route, _ in filtered_plans(operation, name, restricted, live)
        if route.limit in (PAGE, SHORT)
    ]
    live.paginations.read_ahead(routes)
    return [live.paginations.follow(route) for route in routes]


def _check_at_once(
    operation: Operation, scheme: str, live: Live, ids: dict[str, list[str]]
) -> None:
    """Concurrent requests of two callers show neither of them records of the other."""
    names = ["primary", "outsider"] * PAIRS_AT_ONCE
    sendings = [
        Sending(live.callers.credential(name), scheme, f"{len(names)} concurrent requests")
        for name in names
    ]
    calls = [Call(operation.id).asking(limit="25")] * len(names)
    pages = live.session.client.send_all(calls, sendings, together=True)
    for name, page in zip(names, pages, strict=True):
        other = "outsider" if name == "primary" else "primary"
        shown = {record_key(item) for item in page.items}
        _check_shows_none(page, shown & set(ids[other]))


@requirement("authorization/filter")
def test_a_filter_opens_nothing(operation: Operation, live: Live) -> None:
    """A filter by something outside the grant is rejected, or shows no item from there."""
    fixtures = live.session.target.fixtures
    live.callers.require_baseline(Call(operation.id))
    calls = [Call(operation.id).asking(limit=limit) for limit in LIMITS]
    plain = live.callers.send_all(calls, "the baseline request")
    limits = [limit for limit, page in zip(LIMITS, plain, strict=True) if page.status == 200]
    groups = (fixtures.foreign, fixtures.ungranted)
    outside = [(role, group.get(role)) for role in operation.filters for group in groups]
    probed = False
    for role, id in outside:
        if id is None or live.session.name(operation, role) is None:
            continue
        name = confirmed_name(operation, role, live)
        probed = True
        _check_filtered(operation, name, id, limits, live)
        _check_filtered_beside(operation, name, id, live)
    if not probed:
        raise Inconclusive(
            "nothing to filter by is known", needs=("fixtures.foreign", "fixtures.ungranted")
        )


def _check_filtered(
    operation: Operation, name: str, id: str, limits: list[str | None], live: Live
) -> None:
    """Violation where a filter alone shows items from outside, or is rejected with 401 or 5xx."""
    for limit in limits[1:]:
        _ask_as_outsider(Call(operation.id).asking(limit=limit, **{name: id}), live)
    spellings = [*((limit, id) for limit in limits), (None, id.upper())]
    calls = [
        Call(operation.id).asking(limit=limit, **{name: spelling}) for limit, spelling in spellings
    ]
    pages = live.callers.send_all(calls, "a filter by something outside the grant")
    for page, (_, spelling) in zip(pages, spellings, strict=True):
        if spelling == id:  # the rules report an id that is rejected for its letters
            expect.status(page, 200, 400, 403, 404, 422)
        _check_no_items(page, _items_outside(page, id, live))


def _ask_as_outsider(call: Call, live: Live) -> None:
    """The same request of the outsider, whose response a target may remember."""
    outsider = live.session.target.credentials.get("outsider")
    if outsider is not None:
        live.callers.send(call, outsider, purpose="the outsider, before primary")


def _check_filtered_beside(operation: Operation, name: str, id: str, live: Live) -> None:
    """Violation where the filter shows items from outside beside a cursor and another filter."""
    cursor = str(live.session.name(operation, "cursor"))
    served = [call for call in others(operation, live) if call.query]
    beside = [each for call in served for each in (call, call.asking(**{cursor: None}))]
    calls = [call.asking(limit="100", **{name: id}) for call in beside]
    for page in live.callers.send_all(calls, "a filter outside the grant, beside other arguments"):
        _check_no_items(page, [item for item in page.items if _belongs_to(item, id)])


def _check_no_items(page: Exchange, items: list[dict[str, Any]]) -> None:
    violation = defect(
        Kind.FOREIGN,
        "a filter shows items from outside the grant",
        expected="no item",
        actual=len(items),
    ).on("id")
    places = _places(page, {record_key(item) for item in items})
    expect.that(not items, violation.at(*places), page)


def _items_outside(page: Exchange, id: str, live: Live) -> list[dict[str, Any]]:
    """The items of what the filter names, and those that the list without it does not show.

    Other items of the list only show that the filter was ignored.
    """
    unfiltered = live.listing(page.operation) if page.items else None
    own = set(unfiltered.ids) if unfiltered is not None and unfiltered.is_whole else set()
    return [item for item in page.items if _belongs_to(item, id) or record_key(item) not in own]


def _belongs_to(item: dict[str, Any], id: str) -> bool:
    return id.lower() in {str(item.get(name)).lower() for name in OWNERS}


@requirement("authorization/cursor")
def test_the_cursor_of_another_caller_opens_nothing(operation: Operation, live: Live) -> None:
    """A cursor of the outsider shows primary no record of the outsider, and vice versa."""
    outsider, primary = live.callers.credential("outsider"), live.callers.credential("primary")
    name = live.session.name(operation, "cursor")
    if name is None:
        raise NotApplicable(f"{operation.id} has no cursor")
    tried = [
        _check_cursor_of(owner, other, operation, name, live)
        for owner, other in ((outsider, primary), (primary, outsider))
    ]
    if not any(tried):
        raise Inconclusive("no list is long enough for a cursor", needs=("data in the target",))


def _check_cursor_of(
    owner: Credential, other: Credential, operation: Operation, name: str, live: Live
) -> bool:
    """Whether there was a cursor; Violation where it shows another caller the owner's records."""
    issued = live.callers.baseline(Call(operation.id).asking(limit="1"), owner)
    live.callers.require_baseline(Call(operation.id), other)
    if issued.cursor is None:
        return False
    call = Call(operation.id).asking(limit="100", **{name: issued.cursor})
    page = live.callers.send(call, other, purpose=f"the cursor of {owner.name}")
    owned = set(live.paginations.read(Call(operation.id), PAGE, owner).ids)
    _check_shows_none(page, {record_key(item) for item in page.items} & owned)
    return True
