"""Grants: what lies outside of the caller's companies and projects stays out of reach (Authentication)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from conformance.contract import api
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, Violation, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import control_by, forbidden, others
from conformance.suite.lists.filters import filtered_plans
from conformance.suite.lists.live import OWNERS, PARENTS, Live, parameter_of
from conformance.suite.lists.pagination import Pagination, record_key
from conformance.suite.lists.pagination_comparison import with_all_limits
from conformance.suite.lists.parameters import confirmed_name

KINDS = api.load().id_kinds
LISTED = {listing: KINDS[name] for name, listing in api.load().parents.items()}
PAGE = 100
SHORT = 3
MOST_THEIRS = 4
PAIRS_AT_ONCE = 3


@requirement("authorization/company")
def test_another_company_is_out_of_reach(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Neither does primary reach what is foreign, nor the outsider what is primary's."""
    if operation.writes:
        live.callers.credential_with("outsider", scheme)
        attempt = trials.attempt(f"outsider by {scheme}", scheme)
        forbidden(attempt.response, live, 403, 404)
        check_not_approved(attempt.response, attempt.after)
        return
    kind = KINDS[parameter_of(operation)]
    foreign = live.session.target.fixtures.foreign.get(kind)
    outsider = live.session.target.credentials.get("outsider")
    if foreign is None and outsider is None:
        raise Inconclusive(
            f"nothing foreign is known for {operation.id}",
            needs=(f"fixtures.foreign.{kind}", "credentials.outsider"),
        )
    call = live.call(operation)
    control_by(call, scheme, live)
    if foreign is not None:
        primary, theirs = (
            live.callers.credential_with("primary", scheme),
            call.at(**{parameter_of(operation): foreign}),
        )
        _each_out_of_reach(call, [foreign], Sending(primary, scheme, f"a foreign {kind}"), live)
        _beside_arguments(theirs, scheme, live)
        _spelt_otherwise(theirs, scheme, live)
        _each_out_of_reach(
            call,
            _outsiders(live, operation, scheme),
            Sending(primary, scheme, f"a {kind} of the outsider's"),
            live,
        )
    if outsider is not None and scheme in outsider.schemes:
        live.callers.require_baseline(Call("project_list"), outsider, scheme)
        _each_out_of_reach(
            call, _some_ids(live, operation), Sending(outsider, scheme, "as the outsider"), live
        )


@requirement("authorization/project")
def test_an_ungranted_project_is_out_of_reach(
    operation: Operation, scheme: str, live: Live
) -> None:
    """What lies outside the project grant is not read, although it belongs to a company within the grant."""
    kind = KINDS[parameter_of(operation)]
    ungranted = live.session.target.fixtures.ungranted.get(kind)
    if ungranted is None:
        raise Inconclusive(
            f"no {kind} outside the project grant is known", needs=(f"fixtures.ungranted.{kind}",)
        )
    call = live.call(operation)
    control_by(call, scheme, live)
    theirs = call.at(**{parameter_of(operation): ungranted})
    _each_out_of_reach(
        call,
        [ungranted],
        Sending(live.callers.credential_with("primary", scheme), scheme, f"an ungranted {kind}"),
        live,
    )
    _beside_arguments(theirs, scheme, live)
    _spelt_otherwise(theirs, scheme, live)


@requirement("authorization/lists")
def test_lists_stay_within_the_grant(operation: Operation, scheme: str, live: Live) -> None:
    """No page of primary's lists shows what is foreign or ungranted, and outsider and primary share nothing."""
    fixtures = live.session.target.fixtures
    outsider = live.session.target.credentials.get("outsider")
    if not fixtures.foreign and not fixtures.ungranted and outsider is None:
        needs = ("fixtures.foreign", "fixtures.ungranted", "credentials.outsider")
        raise Inconclusive("nothing outside the grant is known", needs=needs)
    live.callers.require_baseline(
        Call(operation.id), live.callers.credential_with("primary", scheme), scheme
    )
    own = live.paginations.read(
        Call(operation.id), PAGE, live.callers.credential_with("primary", scheme), scheme
    )
    for walk in (own, *with_all_limits(Call(operation.id), live), *_under_filters(operation, live)):
        _nothing_from(walk.pages, live)
    _nothing_from([live.callers.send(Call(operation.id), purpose="without a limit")], live)
    if outsider is not None and scheme in outsider.schemes:
        theirs = live.paginations.read(Call(operation.id), PAGE, outsider, scheme)
        shared = sorted(set(own.ids) & set(theirs.ids))
        expect.that(
            not shared,
            defect(
                Kind.UNSORTED,
                f"primary and the outsider both see {shared[:3]}",
                expected="nothing in common",
            ),
            theirs.pages[0],
        )
        if scheme == live.callers.credential("primary").schemes[0]:
            _apart_at_once(operation, scheme, live, (set(own.ids), set(theirs.ids)))


@requirement("authorization/filter")
def test_a_filter_opens_nothing(operation: Operation, live: Live) -> None:
    """A filter that names what is outside the grant is refused, or finds nothing."""
    fixtures = live.session.target.fixtures
    live.callers.require_baseline(Call(operation.id))
    plain = live.callers.send_all(
        [Call(operation.id).asking(limit=limit) for limit in (None, "1", "100")], "control"
    )
    limits = [
        limit
        for limit, answer in zip((None, "1", "100"), plain, strict=True)
        if answer.status == 200
    ]
    groups = (fixtures.foreign, fixtures.ungranted)
    named = [(role, group.get(role)) for role in operation.filters for group in groups]
    probed = False
    for role, id in named:
        if id is None or live.session.name(operation, role) is None:
            continue
        name = confirmed_name(operation, role, live, Call(operation.id))
        probed, spelt = True, (*((limit, id) for limit in limits), (None, id.upper()))
        calls = [
            Call(operation.id).asking(limit=limit, **{name: named_id}) for limit, named_id in spelt
        ]
        for answer, (_, named_id) in zip(
            live.callers.send_all(calls, f"a {role} outside the grant"), spelt, strict=True
        ):
            if named_id == id:  # that an id is refused for its letters is judged by the rules
                expect.status(answer, 200, 403, 404)
            strays = _not_own(answer, id, live)
            expect.that(
                not strays,
                defect(
                    Kind.UNSORTED,
                    f"{len(strays)} items of a {role} outside the grant",
                    expected="no item",
                ),
                answer,
            )
        _filtered_beside(operation, name, id, live)
    if not probed:
        raise Inconclusive(
            "nothing to filter by is known", needs=("fixtures.foreign", "fixtures.ungranted")
        )


def _filtered_beside(operation: Operation, name: str, id: str, live: Live) -> None:
    """What a filter keeps back alone it keeps back beside a cursor and another filter, whether the target refuses that or not."""
    cursor = str(live.session.name(operation, "cursor"))
    beside = [
        each
        for call in others(operation, live)
        if call.query
        for each in (call, call.asking(**{cursor: None}))
    ]
    calls = [call.asking(limit="100", **{name: id}) for call in beside]
    for answer in live.callers.send_all(calls, "outside the grant, beside other arguments"):
        strays = [item for item in answer.items if _belongs(item, id)]
        expect.that(
            not strays,
            defect(
                Kind.UNSORTED, f"{len(strays)} items from outside the grant", expected="no item"
            ),
            answer,
        )


def _not_own(answer: Exchange, id: str, live: Live) -> list[dict[str, Any]]:
    """The items of what was asked for, and those that the list without the filter does not show; its own ones only show no filtering."""
    walk = live.listing(answer.operation) if answer.items else None
    own = set(walk.ids) if walk is not None and walk.is_whole else set()
    return [item for item in answer.items if _belongs(item, id) or record_key(item) not in own]


def _belongs(item: dict[str, Any], id: str) -> bool:
    return id.lower() in {str(item.get(member)).lower() for member in OWNERS}


@requirement("authorization/cursor")
def test_another_callers_cursor_opens_nothing(operation: Operation, live: Live) -> None:
    """The outsider's cursor shows primary none of the outsider's records, and the other way round."""
    outsider, primary = live.callers.credential("outsider"), live.callers.credential("primary")
    name = live.session.name(operation, "cursor")
    if name is None:
        raise NotApplicable(f"{operation.id} has no cursor")
    tried = False
    for owner, thief in ((outsider, primary), (primary, outsider)):
        issued = live.callers.baseline(Call(operation.id).asking(limit="1"), owner)
        live.callers.require_baseline(Call(operation.id), thief)
        if issued.cursor is None:
            continue
        tried = True
        answer = live.callers.send(
            Call(operation.id).asking(limit="100", **{name: issued.cursor}),
            thief,
            purpose=f"the cursor of {owner.name}",
        )
        owned = set(live.paginations.read(Call(operation.id), PAGE, owner).ids)
        stolen = [item["id"] for item in answer.items if record_key(item) in owned]
        expect.that(
            not stolen,
            defect(
                Kind.UNSORTED,
                f"{thief.name} sees {stolen[:3]} of {owner.name}",
                expected="nothing of another caller's",
            ),
            answer,
        )
    if not tried:
        raise Inconclusive("no list is long enough for a cursor", needs=("data in the target",))


def _under_filters(operation: Operation, live: Live) -> list[Pagination]:
    """Walks under the filters whose names are certain, within the grant: those of the check of filters, long pages and short ones."""
    for role in operation.filters:
        with suppress(Inconclusive, NotApplicable):
            confirmed_name(operation, role, live, Call(operation.id))
    roles = [
        (name, operation.filters[role])
        for name, role in live.session.roles(operation).items()
        if role in operation.filters
    ]
    routes = [
        route
        for name, member in roles
        for route, _ in filtered_plans(operation, name, member, live)
        if route.limit in (PAGE, SHORT)
    ]
    live.paginations.read_ahead(routes)
    return [live.paginations.read(route.call, route.limit) for route in routes]


def _out_of_reach(answer: Exchange) -> None:
    expect.status(answer, 403, 404)


def _each_out_of_reach(call: Call, ids: Iterable[str], sending: Sending, live: Live) -> None:
    name = parameter_of(live.operation(call.operation))
    for answer in live.callers.probe_each([(call.at(**{name: id}), sending) for id in ids], call):
        _out_of_reach(answer)


def _beside_arguments(theirs: Call, scheme: str, live: Live) -> None:
    """A limit opens no list below what is out of reach, and neither does a cursor of another one, whatever it is answered."""
    operation, primary = (
        live.operation(theirs.operation),
        live.callers.credential_with("primary", scheme),
    )
    for served in (call for call in others(operation, live) if operation.is_list and call.query):
        short = theirs.asking(limit="1")
        _out_of_reach(live.callers.send(short, primary, scheme, purpose="the same beside a limit"))
        if scheme == primary.schemes[0]:
            answer = live.callers.send(
                served.at(**theirs.path), primary, scheme, purpose="the same beside a cursor"
            )
            # What a cursor brings of the record that it was issued for is judged by the check of parents.
            opened = answer.status == 200 and (
                not answer.items or any(_names(item, theirs) for item in answer.items)
            )
            expect.that(
                not opened,
                defect(
                    Kind.UNSORTED, f"{answer.purpose}: {answer.describe()}", expected="a refusal"
                ),
                answer,
            )


def _names(item: dict[str, Any], call: Call) -> bool:
    """Whether an item says that it belongs to the record that a call asks for."""
    return any(str(item.get(name)).lower() == id.lower() for name, id in call.path.items())


def _spelt_otherwise(theirs: Call, scheme: str, live: Live) -> None:
    """The same id in other letters opens nothing either; once, since the scheme has nothing to do with letters."""
    if scheme != live.callers.credential("primary").schemes[0]:
        return
    respelt = theirs.at(
        **{name: id.upper() if id != id.upper() else id.lower() for name, id in theirs.path.items()}
    )
    expect.rejected(
        live.callers.send(
            respelt,
            live.callers.credential_with("primary", scheme),
            scheme,
            purpose="the same id in other letters",
        )
    )


def _some_ids(live: Live, operation: Operation) -> list[str]:
    return [entry.record["id"] for entry in live.sample(PARENTS[parameter_of(operation)])[:3]]


def _outsiders(live: Live, operation: Operation, scheme: str) -> list[str]:
    """Some of what the outsider alone is shown, other records for each scheme; nothing where it is shown nothing."""
    outsider = live.session.target.credentials.get("outsider")
    if outsider is None or scheme not in outsider.schemes:
        return []
    own = {entry.record["id"].lower() for entry in live.records(PARENTS[parameter_of(operation)])}
    page = live.callers.send(
        Call(PARENTS[parameter_of(operation)]).asking(limit=str(PAGE)),
        outsider,
        scheme,
        purpose="the outsider's list",
    )
    theirs = [
        item["id"]
        for item in page.items
        if is_uuid(item.get("id")) and item["id"].lower() not in own
    ]
    return theirs[api.load().schemes.index(scheme) :: 2][:MOST_THEIRS]


def _apart_at_once(
    operation: Operation, scheme: str, live: Live, owned: tuple[set[str], set[str]]
) -> None:
    """Two callers who ask in the same moment are shown nothing of each other's."""
    callers = [
        live.callers.credential("primary"),
        live.callers.credential("outsider"),
    ] * PAIRS_AT_ONCE
    sendings = [
        Sending(caller, scheme, f"{len(callers)} at once, as {caller.name}") for caller in callers
    ]
    calls = [Call(operation.id).asking(limit="25")] * len(callers)
    for caller, answer in zip(
        callers, live.session.client.send_all(calls, sendings, together=True), strict=True
    ):
        others = owned[caller.name == "primary"]
        stolen = [item["id"] for item in answer.items if record_key(item) in others]
        expect.that(
            not stolen,
            defect(
                Kind.UNSORTED,
                f"{caller.name} sees {stolen[:3]} of the other caller",
                expected="nothing of another caller's",
            ),
            answer,
        )


def _nothing_from(pages: Iterable[Exchange], live: Live) -> None:
    fixtures = live.session.target.fixtures
    for page in pages:
        for item in page.items:
            for what, known_ids in _outside(fixtures.foreign, fixtures.ungranted, page.operation):
                if str(item.get(what)).lower() in known_ids:
                    raise Violation(
                        defect(
                            Kind.UNSORTED,
                            f"the list shows {what} {item[what]}",
                            expected="nothing from outside the grant",
                        ),
                        exchanges=[page.id],
                    )


def _outside(foreign: Any, ungranted: Any, operation: str) -> Iterator[tuple[str, set[str]]]:
    """The members of a record that would give it away, with the ids that they may not have."""
    yield (
        "id",
        {
            group[LISTED[operation]].lower()
            for group in (foreign, ungranted)
            if LISTED[operation] in group
        },
    )
    yield "companyId", {foreign["company"].lower()} if "company" in foreign else set()
    yield (
        "projectId",
        {group["project"].lower() for group in (foreign, ungranted) if "project" in group},
    )
