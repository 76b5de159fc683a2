"""Grants of lists: no page shows records outside the caller's grant (Authentication)."""

from collections.abc import Iterator

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
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import PAGE, SHORT
from conformance.suite.lists.parameters import confirmed_name
from conformance.target.target import Credential

PAIRS_AT_ONCE = 3
LIMITS = (None, "1", "100")


@requirement("authorization/lists")
def test_lists_stay_within_the_grant(operation: Operation, scheme: str, live: Live) -> None:
    """Lists show primary nothing outside its grant, and the outsider nothing of primary.

    A rule judges what both are shown, on these pages and on all others of a run.
    """
    fixtures = live.session.target.fixtures
    outsider = live.session.target.credentials.get("outsider")
    if not fixtures.foreign and not fixtures.ungranted and outsider is None:
        needs = ("fixtures.foreign", "fixtures.ungranted", "credentials.outsider")
        raise Inconclusive("nothing outside the grant is known", needs=needs)
    call, primary = Call(operation.id), live.callers.credential_with("primary", scheme)
    live.callers.require_baseline(call, primary, scheme)
    live.paginations.read(call, PAGE, primary, scheme)
    with_all_limits(call, live)
    _read_under_filters(operation, live)
    live.callers.send(call, purpose="without a limit")
    if outsider is not None and scheme in outsider.schemes:
        live.paginations.read(call, PAGE, outsider, scheme)
        # Right after primary: a cached response may be that of another caller.
        live.callers.send(call, outsider, scheme, purpose="the outsider, without a limit")
        if scheme == live.callers.credential("primary").schemes[0]:
            _read_at_once(operation, scheme, live)


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


def _places(page: Exchange, ids: set[str]) -> Iterator[Location]:
    for index, item in enumerate(page.items):
        if record_key(item) in ids:
            yield in_data(page, "items", index, "id")


def _read_under_filters(operation: Operation, live: Live) -> None:
    """Read the pages under each filter within the grant, long and short ones."""
    roles = live.session.roles(operation).items()
    names = [(name, operation.filters[role]) for name, role in roles if role in operation.filters]
    routes = [
        route
        for name, restricted in names
        for route, _ in filtered_plans(operation, name, restricted, live)
        if route.limit in (PAGE, SHORT)
    ]
    live.paginations.read_ahead(routes)
    for route in routes:
        live.paginations.follow(route)


def _read_at_once(operation: Operation, scheme: str, live: Live) -> None:
    """Read as two callers at once: a response may be given to the other one."""
    names = ["primary", "outsider"] * PAIRS_AT_ONCE
    sendings = [
        Sending(live.callers.credential(name), scheme, f"{len(names)} concurrent requests")
        for name in names
    ]
    calls = [Call(operation.id).asking(limit="25")] * len(names)
    live.session.client.send_all(calls, sendings, together=True)


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
        _ask_beside(operation, name, id, live)
    if not probed:
        raise Inconclusive(
            "nothing to filter by is known", needs=("fixtures.foreign", "fixtures.ungranted")
        )


def _check_filtered(
    operation: Operation, name: str, id: str, limits: list[str | None], live: Live
) -> None:
    """Violation where a filter alone is rejected with 401 or 5xx; a rule judges what is shown."""
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


def _ask_as_outsider(call: Call, live: Live) -> None:
    """The same request of the outsider, whose response a target may remember."""
    outsider = live.session.target.credentials.get("outsider")
    if outsider is not None:
        live.callers.send(call, outsider, purpose="the outsider, before primary")


def _ask_beside(operation: Operation, name: str, id: str, live: Live) -> None:
    """Ask by the filter beside a cursor and another filter; a rule judges what is shown."""
    cursor = str(live.session.name(operation, "cursor"))
    served = [call for call in others(operation, live) if call.query]
    beside = [each for call in served for each in (call, call.asking(**{cursor: None}))]
    calls = [call.asking(limit="100", **{name: id}) for call in beside]
    live.callers.send_all(calls, "a filter outside the grant, beside other arguments")


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
