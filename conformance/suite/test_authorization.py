"""Authorization: permissions, company and project grants, review roles (Authentication)."""

from collections.abc import Iterable, Iterator
from typing import Any

from conformance.client import Sending
from conformance.exchange import Call, Exchange
from conformance.openapi import Operation
from conformance.suite import expect
from conformance.suite.approvals import Approvals, unchanged
from conformance.suite.calls import others
from conformance.suite.live import PARENTS, Live, is_uuid, parameter_of
from conformance.suite.requirement import requirement
from conformance.suite.test_arguments import known
from conformance.suite.walks import sized
from conformance.target import SCHEMES
from conformance.verdict import Inconclusive, NotApplicable, Violation

KINDS = {"projectId": "project", "videoId": "video", "reviewId": "review"}
LISTED = {"project_list": "project", "video_list": "video", "review_list": "review"}
PAGE = 100
MOST_THEIRS = 4
OWNERS = ("id", "companyId", "projectId")
PAIRS_AT_ONCE = 3


@requirement("authorization/permission")
def test_the_permission_is_needed(operation: Operation, scheme: str, live: Live, approvals: Approvals) -> None:
    """A caller that lacks the permission of an operation is answered 403."""
    name = f"lacking.{operation.permission}"
    credential = live.by(name, scheme)
    if operation.writes:
        attempt = approvals.refusal(f"{name} by {scheme}", scheme)
        _forbidden(attempt.answer, live, 403)
        unchanged(attempt)
        return
    call = live.call(operation)
    _control(call, scheme, live)

    _forbidden(live.send(call, credential, scheme, purpose=f"without {operation.permission}"), live, 403)
    for other in others(operation, live):
        # A cursor may belong to the credential that it was issued to, and be refused for that.
        expect.refused(live.send(other, credential, scheme, purpose=f"without {operation.permission}, beside arguments"))


@requirement("authorization/no-more-than-permission")
def test_no_other_permission_is_needed(operation: Operation, scheme: str, live: Live, approvals: Approvals) -> None:
    """A caller that lacks another permission alone is served, and primary, who lacks none, is."""
    if operation.writes:
        _no_other_to_approve(operation, scheme, live, approvals)
        return
    call = live.call(operation)
    answer = live.send(call, purpose="holding every permission")
    if answer.status == 403 and live.session.target.lacking(operation.permission):
        raise Violation(f"primary, who lacks nothing, is answered {answer.describe()}", expected="200", exchanges=[answer.id])
    live.controlled(call)
    for permission in _other_permissions(operation, live):
        credential = live.credential(f"lacking.{permission}")
        if scheme in credential.schemes and not _lacks_both(live, operation, permission, scheme) and _is_alive(live, permission, scheme):
            answer = live.send(call, credential, scheme, purpose=f"without {permission}")
            expect.clear(answer)
            expect.that(answer.status != 403, f"without {permission}: {answer.describe()}", answer, expected="200")


@requirement("authorization/company")
def test_another_company_is_out_of_reach(operation: Operation, scheme: str, live: Live, approvals: Approvals) -> None:
    """Neither does primary reach what is foreign, nor the outsider what is primary's."""
    if operation.writes:
        live.by("outsider", scheme)
        attempt = approvals.refusal(f"outsider by {scheme}", scheme)
        _forbidden(attempt.answer, live, 403, 404)
        unchanged(attempt)
        return
    kind = KINDS[parameter_of(operation)]
    foreign = live.session.target.fixtures.foreign.get(kind)
    outsider = live.session.target.credentials.get("outsider")
    if foreign is None and outsider is None:
        raise Inconclusive(f"nothing foreign is known for {operation.id}", needs=(f"fixtures.foreign.{kind}", "credentials.outsider"))
    call = live.call(operation)
    _control(call, scheme, live)
    if foreign is not None:
        theirs = call.at(**{parameter_of(operation): foreign})
        _out_of_reach(live.send(theirs, live.by("primary", scheme), scheme, purpose=f"a foreign {kind}"))
        for id in _outsiders(live, operation, scheme):
            theirs = call.at(**{parameter_of(operation): id})
            _out_of_reach(live.send(theirs, live.by("primary", scheme), scheme, purpose=f"a {kind} of the outsider's"))
    if outsider is not None and scheme in outsider.schemes:
        live.controlled(Call("project_list"), outsider, scheme)
        for id in _some_ids(live, operation):
            _out_of_reach(live.send(call.at(**{parameter_of(operation): id}), outsider, scheme, purpose="as the outsider"))


@requirement("authorization/project")
def test_an_ungranted_project_is_out_of_reach(operation: Operation, scheme: str, live: Live) -> None:
    """What lies outside the project grant is not read, although it belongs to a company within the grant."""
    kind = KINDS[parameter_of(operation)]
    ungranted = live.session.target.fixtures.ungranted.get(kind)
    if ungranted is None:
        raise Inconclusive(f"no {kind} outside the project grant is known", needs=(f"fixtures.ungranted.{kind}",))
    call = live.call(operation)
    _control(call, scheme, live)
    answer = live.send(call.at(**{parameter_of(operation): ungranted}), live.by("primary", scheme), scheme, purpose=f"an ungranted {kind}")
    _out_of_reach(answer)


@requirement("authorization/lists")
def test_lists_stay_within_the_grant(operation: Operation, scheme: str, live: Live) -> None:
    """No page of primary's lists shows what is foreign or ungranted, and outsider and primary share nothing."""
    fixtures = live.session.target.fixtures
    outsider = live.session.target.credentials.get("outsider")
    if not fixtures.foreign and not fixtures.ungranted and outsider is None:
        needs = ("fixtures.foreign", "fixtures.ungranted", "credentials.outsider")
        raise Inconclusive("nothing outside the grant is known", needs=needs)
    live.controlled(Call(operation.id), live.by("primary", scheme), scheme)
    own = live.walk(Call(operation.id), PAGE, live.by("primary", scheme), scheme)
    for walk in (own, *sized(Call(operation.id), live)):
        _nothing_from(walk.pages, live)
    _nothing_from([live.send(Call(operation.id), purpose="without a limit")], live)
    if outsider is not None and scheme in outsider.schemes:
        theirs = live.walk(Call(operation.id), PAGE, outsider, scheme)
        shared = sorted(set(own.ids) & set(theirs.ids))
        expect.that(not shared, f"primary and the outsider both see {shared[:3]}", theirs.pages[0], expected="nothing in common")
        if scheme == live.credential("primary").schemes[0]:
            _apart_at_once(operation, scheme, live, (set(own.ids), set(theirs.ids)))


@requirement("authorization/filter")
def test_a_filter_opens_nothing(operation: Operation, live: Live) -> None:
    """A filter that names what is outside the grant is refused, or finds nothing."""
    fixtures = live.session.target.fixtures
    live.controlled(Call(operation.id))
    limits = [limit for limit in (None, "1", "100") if live.send(Call(operation.id).asking(limit=limit)).status == 200]
    named = [("company", fixtures.foreign.get("company"))]
    named += [("project", group.get("project")) for group in (fixtures.foreign, fixtures.ungranted)]
    probed = False
    for role, id in named:
        if id is None or live.session.name(operation, role) is None:
            continue
        name = known(operation, role, live, Call(operation.id))
        for limit in limits:
            probed = True
            answer = live.send(Call(operation.id).asking(limit=limit, **{name: id}), purpose=f"a {role} outside the grant")
            expect.status(answer, 200, 403, 404)
            expect.that(not answer.items, f"{len(answer.items)} items of a {role} outside the grant", answer, expected="no item")
        _filtered_beside(operation, name, id, live)
    if not probed:
        raise Inconclusive("nothing to filter by is known", needs=("fixtures.foreign", "fixtures.ungranted"))


def _filtered_beside(operation: Operation, name: str, id: str, live: Live) -> None:
    """What a filter keeps back alone it keeps back beside a cursor and another filter, whether the target refuses that or not."""
    cursor = str(live.session.name(operation, "cursor"))
    for call in (call for call in others(operation, live) if call.query):
        for beside in (call, call.asking(**{cursor: None})):
            answer = live.send(beside.asking(limit="100", **{name: id}), purpose="outside the grant, beside other arguments")
            strays = [item for item in answer.items if id.lower() in {str(item.get(member)).lower() for member in OWNERS}]
            expect.that(not strays, f"{len(strays)} items from outside the grant", answer, expected="no item")


@requirement("authorization/cursor")
def test_another_callers_cursor_opens_nothing(operation: Operation, live: Live) -> None:
    """The outsider's cursor shows primary none of the outsider's records, and the other way round."""
    outsider, primary = live.credential("outsider"), live.credential("primary")
    name = live.session.name(operation, "cursor")
    if name is None:
        raise NotApplicable(f"{operation.id} has no cursor")
    tried = False
    for owner, thief in ((outsider, primary), (primary, outsider)):
        issued = live.control(Call(operation.id).asking(limit="1"), owner)
        live.controlled(Call(operation.id), thief)
        if issued.cursor is None:
            continue
        tried = True
        answer = live.send(Call(operation.id).asking(limit="100", **{name: issued.cursor}), thief, purpose=f"the cursor of {owner.name}")
        owned = set(live.walk(Call(operation.id), PAGE, owner).ids)
        stolen = [item["id"] for item in answer.items if item.get("id") in owned]
        expect.that(not stolen, f"{thief.name} sees {stolen[:3]} of {owner.name}", answer, expected="nothing of another caller's")
    if not tried:
        raise Inconclusive("no list is long enough for a cursor", needs=("data in the target",))


@requirement("authorization/review-role")
def test_the_review_role_is_needed(scheme: str, live: Live, approvals: Approvals) -> None:
    """A caller whose role may not approve is answered 403, although it holds the permission."""
    live.by("no-review-role", scheme)
    attempt = approvals.refusal(f"no-review-role by {scheme}", scheme)
    _forbidden(attempt.answer, live, 403)
    unchanged(attempt)


def _control(call: Call, scheme: str, live: Live) -> None:
    """Primary is served, by the scheme of the probe where primary has it."""
    live.controlled(call, scheme=scheme if scheme in live.credential("primary").schemes else None)


def _forbidden(answer: Exchange, live: Live, *allowed: int) -> None:
    """Violation unless the answer has one of the statuses; a 401 of a caller who is served nowhere says nothing."""
    known_as = answer.credential or ""
    if answer.status == 401 and answer.scheme and not live.is_alive(live.credential(known_as), answer.scheme):
        told = f"{known_as} by {answer.scheme} is served nowhere"
        raise Inconclusive(told, needs=(f"credentials.{known_as}",), exchanges=[answer.id])
    expect.status(answer, *allowed)


def _out_of_reach(answer: Exchange) -> None:
    expect.status(answer, 403, 404)


def _other_permissions(operation: Operation, live: Live) -> list[str]:
    """The permissions but that of the operation which some credential lacks; Inconclusive where there is none."""
    every = dict.fromkeys(known.permission for known in live.session.contract.operations.values())
    found = [permission for permission in every if permission != operation.permission and live.session.target.lacking(permission)]
    if not found:
        raise Inconclusive("no credential lacks another permission", needs=("credentials.lacking",))
    return found


def _no_other_to_approve(operation: Operation, scheme: str, live: Live, approvals: Approvals) -> None:
    """A stale approval, which spends nothing: primary's is a conflict, and no missing permission makes another refusal of it."""
    approvals.consent()
    live.by("primary", scheme)
    control = approvals.refusal(f"one revision ahead by {scheme}", scheme).answer
    if control.status not in (400, 409, 422):  # a revision beyond what a float holds may count as malformed
        raise Inconclusive(f"the control is answered {control.describe()}", exchanges=[control.id])
    for permission in _other_permissions(operation, live):
        name = f"lacking.{permission}"
        if scheme not in live.credential(name).schemes or _lacks_both(live, operation, permission, scheme):
            continue
        if _is_alive(live, permission, scheme):
            answer = approvals.refusal(f"stale, {name} by {scheme}", scheme).answer
            expect.clear(answer)
            told = f"a stale approval without {permission}: {answer.describe()}"
            expect.that(answer.status != 403, told, control, answer, expected="409")


def _lacks_both(live: Live, operation: Operation, permission: str, scheme: str) -> bool:
    """Whether the profile names one secret for this permission and for that of the operation, so that it has neither."""
    own, other = live.session.target.lacking(operation.permission), live.credential(f"lacking.{permission}")
    return own is not None and scheme in own.schemes and own.secret(scheme) == other.secret(scheme)


def _is_alive(live: Live, permission: str, scheme: str) -> bool:
    """Whether the credential that lacks a permission is served somewhere, so that it is neither dead nor without any grant."""
    for other in live.session.contract.operations.values():
        if not other.writes and "{" not in other.path and other.permission != permission:
            try:
                live.controlled(Call(other.id), live.credential(f"lacking.{permission}"), scheme)
            except Inconclusive:
                return False
            return True
    return False


def _some_ids(live: Live, operation: Operation) -> list[str]:
    return [entry.record["id"] for entry in live.sample(PARENTS[parameter_of(operation)])[:3]]


def _outsiders(live: Live, operation: Operation, scheme: str) -> list[str]:
    """Some of what the outsider alone is shown, other records for each scheme; nothing where it is shown nothing."""
    outsider = live.session.target.credentials.get("outsider")
    if outsider is None or scheme not in outsider.schemes:
        return []
    own = {entry.record["id"].lower() for entry in live.records(PARENTS[parameter_of(operation)])}
    page = live.send(Call(PARENTS[parameter_of(operation)]).asking(limit=str(PAGE)), outsider, scheme, purpose="the outsider's list")
    theirs = [item["id"] for item in page.items if is_uuid(item.get("id")) and item["id"].lower() not in own]
    return theirs[SCHEMES.index(scheme) :: 2][:MOST_THEIRS]


def _apart_at_once(operation: Operation, scheme: str, live: Live, owned: tuple[set[str], set[str]]) -> None:
    """Two callers who ask in the same moment are shown nothing of each other's."""
    callers = [live.credential("primary"), live.credential("outsider")] * PAIRS_AT_ONCE
    sendings = [Sending(caller, scheme, f"{len(callers)} at once, as {caller.name}") for caller in callers]
    calls = [Call(operation.id).asking(limit="25")] * len(callers)
    for caller, answer in zip(callers, live.session.client.send_all(calls, sendings, together=True), strict=True):
        others = owned[caller.name == "primary"]
        stolen = [item["id"] for item in answer.items if item.get("id") in others]
        expect.that(not stolen, f"{caller.name} sees {stolen[:3]} of the other caller", answer, expected="nothing of another caller's")


def _nothing_from(pages: Iterable[Exchange], live: Live) -> None:
    fixtures = live.session.target.fixtures
    for page in pages:
        for item in page.items:
            for what, known_ids in _outside(fixtures.foreign, fixtures.ungranted, page.operation):
                if str(item.get(what)).lower() in known_ids:
                    raise Violation(f"the list shows {what} {item[what]}", expected="nothing from outside the grant", exchanges=[page.id])


def _outside(foreign: Any, ungranted: Any, operation: str) -> Iterator[tuple[str, set[str]]]:
    """The members of a record that would give it away, with the ids that they may not have."""
    yield "id", {group[LISTED[operation]].lower() for group in (foreign, ungranted) if LISTED[operation] in group}
    yield "companyId", {foreign["company"].lower()} if "company" in foreign else set()
    yield "projectId", {group["project"].lower() for group in (foreign, ungranted) if "project" in group}
