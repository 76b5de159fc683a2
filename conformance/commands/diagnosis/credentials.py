"""Each scheme of each credential, tried on operations that read."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from conformance.commands.diagnosis.complaint import Complaint
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.lists.live import Live
from conformance.target.target import Credential, Target

DEAD = frozenset({"expired", "revoked"})
LACKING = "lacking."


def complaints(live: Live, stated: Target) -> Iterator[Complaint]:
    """What is wrong with the credentials of a profile; `stated` is the target as it stands there.

    A profile without `primary` has nothing to compare others with.
    """
    target = live.session.target
    for name in stated.credentials.keys() - target.credentials.keys():
        remedy = "write a secret of its own"
        yield Complaint(f"credentials.{name}", "has the secret of another credential", remedy)
    if "primary" not in target.credentials:
        remedy = "write its api-key or bearer, or set LOCALIZATION_API_KEY"
        yield Complaint(
            "credentials.primary", "is missing: a run can check hardly anything", remedy
        )
        return
    yield from _throttled(target)
    calls = [Call(each.id) for each in _plain(live)]
    for name, credential in target.credentials.items():
        check = _check_of(name)
        for scheme in credential.schemes:
            yield from check(live, credential, scheme, calls)


def _throttled(target: Target) -> Iterator[Complaint]:
    """Its rate limit is exhausted: primary would be rejected with it."""
    throttled = target.credentials.get("throttled")
    if throttled is not None and throttled.shares_secret(target.credentials["primary"]):
        problem = "has primary's own secret: whoever exhausts its limit, exhausts that of the run"
        yield Complaint("credentials.throttled", problem, "write a secret of its own")


Check = Callable[[Live, Credential, str, Sequence[Call]], Iterator[Complaint]]


def _check_of(name: str) -> Check:
    if name in DEAD:
        return _dead
    if name.startswith(LACKING):
        return _lacking
    return {"outsider": _outsider, "colleague": _colleague}.get(name, _served)


def _plain(live: Live) -> list[Operation]:
    """The operations that need no argument."""
    operations = live.session.contract.operations.values()
    return [each for each in operations if "{" not in each.path and not each.writes]


def _responses(
    live: Live, credential: Credential, scheme: str, calls: Sequence[Call]
) -> list[Exchange]:
    sending = Sending(credential, scheme, "is the credential as it should be?")
    return live.session.client.send_all(calls, [sending] * len(calls))


def _served(
    live: Live, credential: Credential, scheme: str, calls: Sequence[Call]
) -> Iterator[Complaint]:
    """A caller who reads: each operation returns 200."""
    for response in _responses(live, credential, scheme, calls):
        if response.status == 401:
            yield _complaint(credential, scheme, response, "write one that is valid here")
            return
        if response.status == 403:
            permission = live.operation(response.operation).permission
            remedy = f"give it the permission {permission}"
            yield _complaint(credential, scheme, response, remedy)
        elif response.status != 200:
            yield _complaint(credential, scheme, response, "look at the target")


def _dead(
    live: Live, credential: Credential, scheme: str, calls: Sequence[Call]
) -> Iterator[Complaint]:
    """Expired or revoked: no operation returns anything but 401."""
    for response in _responses(live, credential, scheme, calls):
        if response.status != 401:
            remedy = f"write one that is {credential.name}, which gets 401"
            yield _complaint(credential, scheme, response, remedy)
            return


def _lacking(
    live: Live, credential: Credential, scheme: str, calls: Sequence[Call]
) -> Iterator[Complaint]:
    """Without one permission: 403 where it is needed, and nowhere else."""
    permission = credential.name.removeprefix(LACKING)
    elsewhere = [call for call in calls if live.operation(call.operation).permission != permission]
    yield from _served(live, credential, scheme, elsewhere)
    yield from _permitted(live, credential, scheme, elsewhere)
    needing = _needing(live, permission)
    for response in _responses(live, credential, scheme, needing):
        if response.status != 403:
            remedy = f"write one without the permission {permission}, which gets 403"
            yield _complaint(credential, scheme, response, remedy)
            return


def _permitted(
    live: Live, credential: Credential, scheme: str, tried: Sequence[Call]
) -> Iterator[Complaint]:
    """Each permission but its own, where no call that was tried needs it: anything but 403."""
    own = credential.name.removeprefix(LACKING)
    known = {own, *(live.operation(call.operation).permission for call in tried)}
    others = (each for each in live.session.api.permissions if each not in known)
    calls = [call for each in others for call in _needing(live, each)[:1]]
    for response in _responses(live, credential, scheme, calls):
        if response.status == 403:
            remedy = f"give it the permission {live.operation(response.operation).permission}"
            yield _complaint(credential, scheme, response, remedy)


def _needing(live: Live, permission: str) -> list[Call]:
    """Calls of the operations that read and need a permission, on records that there are."""
    operations = live.session.contract.operations.values()
    calls = []
    for operation in operations:
        if operation.permission == permission and not operation.writes:
            with suppress(Inconclusive):
                calls.append(live.call(operation))
    return calls


def _outsider(
    live: Live, credential: Credential, scheme: str, calls: Sequence[Call]
) -> Iterator[Complaint]:
    """Served, and without a record in common with primary."""
    yield from _served(live, credential, scheme, calls)
    lists = [call.asking(limit="100") for call in calls if live.operation(call.operation).is_list]
    primary = live.callers.credential("primary")
    own = _responses(live, primary, primary.schemes[0], lists)
    for mine, theirs in zip(own, _responses(live, credential, scheme, lists), strict=True):
        shared = _ids(mine) & _ids(theirs)
        if shared:
            problem = f"reads a record of primary by {mine.operation}: {min(shared)}"
            remedy = "write a caller of other companies and projects"
            yield Complaint(f"credentials.{credential.name}.{scheme}", problem, remedy)
            return


def _colleague(
    live: Live, credential: Credential, scheme: str, calls: Sequence[Call]
) -> Iterator[Complaint]:
    """Served, and another account than primary."""
    yield from _served(live, credential, scheme, calls)
    primary, account = live.callers.credential("primary"), Call(live.session.api.simplest.id)
    (own,) = _responses(live, primary, primary.schemes[0], [account])
    (other,) = _responses(live, credential, scheme, [account])
    if isinstance(own.data, dict) and own.data == other.data:
        key = f"credentials.{credential.name}.{scheme}"
        yield Complaint(key, "is the same account as primary", "write another account's")


def _ids(response: Exchange) -> set[str]:
    return {item["id"] for item in response.items if isinstance(item.get("id"), str)}


def _complaint(credential: Credential, scheme: str, response: Exchange, remedy: str) -> Complaint:
    problem = f"{response.operation} returns {response.describe()}"
    return Complaint(f"credentials.{credential.name}.{scheme}", problem, remedy)
