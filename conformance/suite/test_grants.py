"""Grants: records outside the caller's companies and projects are not readable (Authentication)."""

from collections.abc import Sequence
from dataclasses import replace

from conformance.contract import api
from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.records import Record
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.outside import check_out_of_reach
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.disclosure import check_names_nothing
from conformance.suite.callers.places import of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import forbidden, others, require_baseline_by
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.suite.lists.pagination import PAGE
from conformance.suite.reading.other_case import spelled

KINDS = api.load().id_kinds
MAX_OUTSIDER_RECORDS = 4
MAX_OWN_RECORDS = 3
ABSENT = "a record that does not exist"


@requirement("authorization/company")
def test_another_company_is_out_of_reach(
    operation: Operation, scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Primary cannot read foreign records, and the outsider cannot read those of primary."""
    if operation.writes:
        _check_approvals(scheme, live, approvals, trials)
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
    require_baseline_by(call, scheme, live)
    if foreign is not None:
        _check_outside(call, foreign, scheme, f"a foreign {kind}", live)
        theirs = _records_of_the_outsider(live, operation, scheme)
        primary = live.callers.credential_with("primary", scheme)
        _check_records(call, theirs, Sending(primary, scheme, f"a {kind} of the outsider"), live)
    if outsider is not None and scheme in outsider.schemes:
        live.callers.require_baseline(Call("project_list"), outsider, scheme)
        sample = live.sample(PARENTS[parameter_of(operation)])[:MAX_OWN_RECORDS]
        own = [listed.record for listed in sample]
        _check_records(call, own, Sending(outsider, scheme, "as the outsider"), live)
        if scheme == outsider.schemes[0]:
            _check_cursors(Sending(outsider, scheme, "as the outsider, with a cursor"), call, live)


def _check_cursors(sending: Sending, call: Call, live: Live) -> None:
    """A cursor of primary's shows the outsider no items below a record of primary's."""
    served = [each for each in others(live.operation(call.operation), live) if each.query]
    for response in live.callers.send_each([(each, sending) for each in served]):
        if response.items:  # an empty page shows nothing
            _check_not_opened(response, response.call)


def _check_approvals(scheme: str, live: Live, approvals: Approvals, trials: Trials) -> None:
    """Primary cannot approve a foreign review, and the outsider none of primary."""
    foreign = live.session.target.fixtures.foreign.get("review")
    if foreign is not None:
        trials.require_consent()
        check_out_of_reach(foreign, scheme, live, approvals, trials)
    outsider = live.callers.credential_with("outsider", scheme)
    attempt = trials.attempt(f"outsider by {scheme}", scheme)
    response = attempt.response
    forbidden(response, live, 403, 404)
    check_not_approved(response, attempt.after)

    def usual() -> object:
        absent = response.call.at(reviewId=live.made_up("absent review"))
        return live.callers.send(absent, outsider, scheme, purpose=ABSENT).json

    check_names_nothing(response, response.json, attempt.before.record, usual)


@requirement("authorization/project")
def test_an_ungranted_project_is_out_of_reach(
    operation: Operation, scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """Primary cannot read records of an ungranted project in one of its companies."""
    kind = KINDS[parameter_of(operation)]
    ungranted = live.session.target.fixtures.ungranted.get(kind)
    if ungranted is None:
        raise Inconclusive(
            f"no {kind} outside the project grant is known", needs=(f"fixtures.ungranted.{kind}",)
        )
    if operation.writes:
        trials.require_consent()
        check_out_of_reach(ungranted, scheme, live, approvals, trials)
        return
    call = live.call(operation)
    require_baseline_by(call, scheme, live)
    _check_outside(call, ungranted, scheme, f"an ungranted {kind}", live)


def _check_outside(call: Call, id: str, scheme: str, purpose: str, live: Live) -> None:
    """Violation where primary reads a record outside: plainly, by a cursor, or respelled."""
    primary = live.callers.credential_with("primary", scheme)
    outside = call.at(**{parameter_of(live.operation(call.operation)): id})
    _check_records(call, [{"id": id}], Sending(primary, scheme, purpose), live)
    _check_beside_cursor(outside, scheme, live)
    if scheme == live.callers.credential("primary").schemes[0]:
        purpose = "an id outside the grant, in the other case"
        expect.rejected(live.callers.send(spelled(outside), primary, scheme, purpose=purpose))


def _check_records(call: Call, records: Sequence[Record], sending: Sending, live: Live) -> None:
    """Violation where records, as those show them who may read them, are not out of reach."""
    name = parameter_of(live.operation(call.operation))
    requests = [(call.at(**{name: record["id"]}), sending) for record in records]
    absent = call.at(**{name: live.made_up(f"absent {name}")}), replace(sending, purpose=ABSENT)

    def usual() -> object:
        return live.session.client.send(*absent).json

    for record, response in zip(records, live.callers.probe_each(requests, call), strict=True):
        expect.status(response, 403, 404)
        check_names_nothing(response, response.json, record, usual)


def _check_beside_cursor(outside: Call, scheme: str, live: Live) -> None:
    """The cursor of another record opens no list below a record outside the grant."""
    operation, primary = (
        live.operation(outside.operation),
        live.callers.credential_with("primary", scheme),
    )
    if not operation.is_list:
        return
    for served in others(operation, live) if scheme == primary.schemes[0] else ():
        if not served.query:
            continue
        moved = served.at(**outside.path)
        response = live.callers.send(moved, primary, scheme, purpose="beside the cursor of another")
        _check_not_opened(response, outside)


def _check_not_opened(response: Exchange, outside: Call) -> None:
    """Violation where a success is empty or shows items of the record.

    Items of the record that the cursor was issued for are reported by the check of parents.
    """
    shows_it = any(_refers_to(item, outside) for item in response.items)
    is_opened = response.status == 200 and (not response.items or shows_it)
    violation = of_status(
        response,
        "a cursor opens a list below a record outside the grant: {response}",
        expected="an error response",
        kind=Kind.ACCEPTED,
    )
    expect.that(not is_opened, violation, response)


def _refers_to(item: dict[str, object], call: Call) -> bool:
    """Whether an item states that it belongs to the record of a call."""
    return any(str(item.get(name)).lower() == id.lower() for name, id in call.path.items())


def _records_of_the_outsider(live: Live, operation: Operation, scheme: str) -> list[Record]:
    """Some records that only the outsider can list, other ones for each scheme."""
    outsider = live.session.target.credentials.get("outsider")
    if outsider is None or scheme not in outsider.schemes:
        return []
    parents = PARENTS[parameter_of(operation)]
    own = {listed.record["id"].lower() for listed in live.records(parents)}
    call = Call(parents).asking(limit=str(PAGE))
    page = live.callers.send(call, outsider, scheme, purpose="the list of the outsider")
    records = [item for item in page.items if is_uuid(item.get("id"))]
    theirs: list[Record] = [record for record in records if record["id"].lower() not in own]
    return theirs[api.load().schemes.index(scheme) :: 2][:MAX_OUTSIDER_RECORDS]
