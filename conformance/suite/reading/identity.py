"""Whether the record of a response is the requested one, alone and side by side."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from conformance.contract.identifiers import is_uuid
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.places import in_data
from conformance.suite.lists.live import Live, parameter_of
from conformance.target.target import Credential

OTHER_ACCOUNTS = ("outsider", "no-review-role")
READS = 8
MOST_CHANGES = {"id": 0, "accountType": 2}
"""How often a property of an account may change in so many reads: a type may be another later."""
AT_ONCE = 4
"""Requests for different records, or from each of two callers, that are sent concurrently."""


def read_records(operation: Operation, live: Live) -> list[tuple[str, Exchange]]:
    """The sampled records that were read by their ids."""
    responses = live.readings(operation)
    records = [
        (listed.record["id"], response)
        for listed, response in responses
        if isinstance(response.data, dict)
    ]
    if not records:
        raise Inconclusive(f"{operation.id} returned no record", needs=("data in the target",))
    return records


def at_once(operation: Operation, ids: Sequence[str], live: Live) -> list[tuple[str, Exchange]]:
    """Responses to concurrent requests of primary for these ids, or for the lists below them."""
    name, primary = parameter_of(operation), live.callers.credential("primary")
    calls = [Call(operation.id, {name: id}) for id in ids]
    sendings = [Sending(primary, None, f"{len(ids)} at once") for _ in ids]
    responses = live.session.client.send_all(calls, sendings, together=True)
    return list(zip(ids, responses, strict=True))


def require_own_account(operation: Operation, live: Live) -> None:
    """Of concurrent requests of two callers, none returns the account of the other."""
    primary = live.callers.credential("primary")
    credentials = live.session.target.credentials
    candidates = [credentials[name] for name in OTHER_ACCOUNTS if name in credentials]
    own, *theirs = [_account_id(operation, caller, live) for caller in (primary, *candidates)]
    _require_one_account(operation, primary, live)
    _require_several_accounts(own, theirs, live)
    pairs = zip(candidates, theirs, strict=True)
    different = [(caller, id) for caller, id in pairs if is_uuid(id) and id != own]
    if not is_uuid(own) or not different:
        raise NotApplicable("no credential of another account")
    other, foreign = different[0]
    requests = [(primary, foreign), (other, own)] * AT_ONCE
    sendings = [
        Sending(
            caller,
            caller.schemes[number // 2 % len(caller.schemes)],
            f"{len(requests)} at once, as {caller.name}",
        )
        for number, (caller, _) in enumerate(requests)
    ]
    calls = [Call(operation.id)] * len(requests)
    responses = live.session.client.send_all(calls, sendings, together=True)
    for (caller, foreign_id), response in zip(requests, responses, strict=True):
        is_foreign = isinstance(response.data, dict) and response.data.get("id") == foreign_id
        expect.that(not is_foreign, _foreign_account(caller, response), response)


def _require_one_account(operation: Operation, primary: Credential, live: Live) -> None:
    """One caller has one account, whose type does not go to and fro."""
    read = partial(live.callers.send, Call(operation.id), primary, primary.schemes[0])
    responses = [read(purpose="asking alone") for _ in range(2)]
    if not _changes(responses):
        return
    responses += [read(purpose="asking alone, again and again") for _ in range(READS)]
    for name, most in MOST_CHANGES.items():
        fickle = defect(
            Kind.DIFFERENCE,
            "{name} of the caller's account changes from one response to the next",
            expected="the caller's own account",
            name=name,
        ).on(name)
        is_kept = _changes(responses, name) <= most
        expect.that(is_kept, fickle.at(in_data(responses[-1], name)), *responses[-3:])


def _require_several_accounts(own: object, others: Sequence[object], live: Live) -> None:
    """Violation where every caller of the profile is shown one account.

    That of the colleague is another one by definition. Further callers show that the profile does
    not merely repeat a credential of primary.
    """
    credentials = live.session.target.credentials
    if "colleague" not in credentials or not is_uuid(own) or not others:
        return
    id = live.callers.account_id(credentials["colleague"])
    alone = defect(
        Kind.FOREIGN,
        "every caller is shown one account: {callers}",
        expected="the caller's own account",
        actual=own,
        callers=", ".join(["primary", "colleague", *filter(credentials.get, OTHER_ACCOUNTS)]),
    ).on("id")
    if any(each != own for each in (id, *others)):
        return
    again = live.callers.send(
        Call(live.session.api.simplest.id), credentials["colleague"], purpose="as the colleague"
    )
    is_own = isinstance(again.data, dict) and again.data.get("id") not in (None, own)
    expect.that(is_own, alone.at(in_data(again, "id")), again)


def _changes(responses: Sequence[Exchange], *names: str) -> int:
    """How often one of the properties, or any of all, changes from one response to the next."""
    shown = [
        [str(response.data.get(name)).lower() for name in names or MOST_CHANGES]
        for response in responses
        if isinstance(response.data, dict)
    ]
    return sum(one != other for one, other in pairwise(shown))


def _account_id(operation: Operation, caller: Credential, live: Live) -> object:
    response = live.callers.send(
        Call(operation.id), caller, caller.schemes[0], purpose="asking alone"
    )
    return response.data.get("id") if isinstance(response.data, dict) else None


def _foreign_account(caller: Credential, response: Exchange) -> Defect:
    place = in_data(response, "id")
    foreign = defect(
        Kind.FOREIGN,
        "of several concurrent requests, that of {caller} returned the account of another caller",
        expected="the caller's own account",
        caller=caller.name,
    )
    return foreign.on("id").at(place)
