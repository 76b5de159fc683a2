"""Valid credentials: whether one that is rejected would be served otherwise (Authentication)."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Defect, Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.needs import needed
from conformance.suite.callers.places import of_status
from conformance.suite.lists.calls import later
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.target.target import Credential


def check_accepted(operation: Operation, scheme: str, live: Live, trials: Trials) -> None:
    """Violation where primary is rejected by one scheme, and would be served otherwise."""
    primary = live.callers.credential("primary")
    if scheme not in primary.schemes:
        raise Inconclusive(f"primary has no {scheme}", needs=(f"credentials.primary.{scheme}",))
    if operation.writes:
        response = trials.by(scheme).approval
    else:
        response = live.callers.send(live.call(operation), primary, scheme, purpose=f"by {scheme}")
    if response.status == 200:
        _check_accepted_beside_arguments(operation, scheme, live)
        return
    expect.clear(response)
    is_entitled = _is_entitled(response, operation, scheme, live, trials)
    expect.that(not is_entitled, _not_accepted(response), response)
    raise Inconclusive(
        f"{operation.id} by {scheme} returned {response.describe()}",
        needs=(needed(response.status, "primary", scheme),),
        exchanges=[response.id],
    )


def _not_accepted(response: Exchange) -> Defect:
    return of_status(
        response, "a valid credential is rejected: {response}", expected="200", allowed=[200]
    )


def _is_entitled(
    response: Exchange, operation: Operation, scheme: str, live: Live, trials: Trials
) -> bool:
    """Whether the rejected caller may do this after all."""
    primary = live.callers.credential("primary")
    may_reach_less = not operation.writes and response.status in (403, 404)
    if may_reach_less and _is_out_of_reach(operation, scheme, live):
        return False
    if response.status == 403:
        # A credential may hold less than the other one of its caller, and so may all of a scheme.
        return _is_served_elsewhere(primary, scheme, operation, live)
    if operation.writes:
        # The other trial is on another review: only a 401 is about the caller.
        is_entitled = response.status == 401 and _approves_otherwise(primary, scheme, trials)
    else:
        is_entitled = _is_served_otherwise(primary, scheme, response, live)
    if response.status != 401:
        return is_entitled
    # A caller who is served anywhere by the scheme has a valid secret. One who is served nowhere,
    # while others are, may have a wrong one.
    if live.callers.is_served(primary, scheme):
        return True
    return is_entitled and not _serves_others(primary, scheme, live)


def _is_out_of_reach(operation: Operation, scheme: str, live: Live) -> bool:
    """Whether the list by this scheme does not show the record either: the token reaches less."""
    if "{" not in operation.path:
        return False
    name = parameter_of(operation)
    id = live.call(operation).path[name]
    records = live.records(PARENTS[name])
    return not any(live.is_listed(each, scheme) for each in records if each.record["id"] == id)


def _approves_otherwise(primary: Credential, scheme: str, trials: Trials) -> bool:
    """Whether an approval by another scheme succeeded."""
    others = (other for other in primary.schemes if other != scheme)
    return any(trials.by(other).approval.status == 200 for other in others)


def _is_served_otherwise(primary: Credential, scheme: str, response: Exchange, live: Live) -> bool:
    """Whether the caller is served by another scheme."""
    others = (other for other in primary.schemes if other != scheme)
    return any(live.callers.send(response.call, primary, each).status == 200 for each in others)


def _is_served_elsewhere(
    primary: Credential, scheme: str, operation: Operation, live: Live
) -> bool:
    """Whether the caller is served by this scheme where the same permission is needed."""
    if live.session.target.lacking(operation.permission):
        return False  # reported by the check of permissions
    return any(
        live.callers.send(Call(each.id), primary, scheme).status == 200
        for each in live.session.contract.operations.values()
        if each.permission == operation.permission and not each.writes and "{" not in each.path
    )


def _serves_others(primary: Credential, scheme: str, live: Live) -> bool:
    """Whether another caller of the profile is served by this scheme."""
    credentials = live.session.target.credentials.values()
    others = [each for each in credentials if each.name != primary.name and scheme in each.schemes]
    return any(live.callers.is_served(each, scheme) for each in others)


def _check_accepted_beside_arguments(operation: Operation, scheme: str, live: Live) -> None:
    """Violation where a later page, or one under a filter, is served by the other scheme alone."""
    schemes = [other for other in live.callers.credential("primary").schemes if other != scheme]
    for number, page in enumerate(later(operation, live, scheme)):
        for other in schemes if page.status in (401, 403, 500) else ():
            theirs = later(operation, live, other)
            is_served = [each.status for each in theirs[number : number + 1]] == [200]
            violation = of_status(
                page, "a valid credential is rejected beside arguments: {response}", expected="200"
            )
            expect.that(not is_served, violation, page, *theirs)
