"""Authentication: either of two schemes suffices, and nothing else does (Authentication)."""

from dataclasses import replace

from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Defect,
    Inconclusive,
    Kind,
    Location,
    Part,
    Violation,
    defect,
)
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.rules.access import CALLERS
from conformance.rules.arguments import KEY, REVISION
from conformance.runner.facts import fact_name
from conformance.suite.approval.trial import Trial, check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import (
    header_of,
    made_up,
    near_misses,
    without_credential,
)
from conformance.suite.callers.needs import needed
from conformance.suite.callers.places import of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import later, others
from conformance.suite.lists.live import PARENTS, Live, parameter_of
from conformance.target.forged import EMPTY
from conformance.target.target import Credential

WITH_THE_SAME_GRANT = ("colleague", "no-review-role")
"""Callers who read what primary reads."""
PURPOSES = {"expired": "an expired credential", "revoked": "a revoked credential"}


@requirement("authentication/api-key")
def test_an_api_key_suffices(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation accepts an API key in x-api-key."""
    _check_accepted(operation, "api-key", live, trials)


@requirement("authentication/bearer")
def test_a_bearer_token_suffices(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation accepts a bearer token in Authorization."""
    _check_accepted(operation, "bearer", live, trials)


@requirement("authentication/missing", reads=True)
def test_nobody_is_served(operation: Operation, live: Live) -> None:
    """The plainest case; it is seen first."""
    live.callers.require_baseline(live.call(operation))
    expect.status(_without_credential(operation, live), 401)


@requirement("authentication/missing")
def test_a_missing_credential_is_rejected(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation responds 401 to a request without a credential."""
    if operation.writes:
        _check_no_approval(trials, "missing", 401)
        for header in live.session.some(EMPTY):
            _check_rejected_approval(trials, without_credential(header))
        return
    call = live.call(operation)
    live.callers.require_baseline(call)
    beside = Sending(None, purpose="no credential, beside arguments")
    requests = [
        *((call, _with_empty(header)) for header in EMPTY),
        *((other, beside) for other in others(operation, live)),
    ]
    plain, rest = _without_credential(operation, live), live.callers.probe_each(requests, call)
    expect.status(plain, 401)
    for response in rest:  # a cursor may belong to its caller, and another error may win
        expect.rejected(response)


def _without_credential(operation: Operation, live: Live) -> Exchange:
    """The response to a plain request without a credential: a fact of the run."""

    def find(live: Live) -> Exchange:
        call, nobody = live.call(operation), Sending(None, purpose="no credential")
        return live.callers.probe_each([(call, nobody)], call)[0]

    return live.fact(fact_name("no-credential", operation.id), find)


def _with_empty(header: tuple[str, str]) -> Sending:
    return Sending(None, purpose=without_credential(header), headers=(header,))


@requirement("authentication/expired")
def test_an_expired_credential_is_rejected(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Every operation responds 401 to a credential that has expired."""
    _check_invalid(operation, "expired", scheme, live, trials)


@requirement("authentication/revoked")
def test_a_revoked_credential_is_rejected(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Every operation responds 401 to a credential that has been revoked."""
    _check_invalid(operation, "revoked", scheme, live, trials)


@requirement("authentication/unknown")
def test_an_unknown_credential_is_rejected(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Every operation rejects made-up credentials and those that resemble a valid one."""
    primary = live.callers.credential_with("primary", scheme)
    if operation.writes:
        _check_rejected_approval(trials, f"unknown by {scheme}", scheme)
        label = f"near-miss by {scheme}"
        if label in trials.first().attempts:  # a short secret has no near miss
            _check_rejected_approval(trials, label, scheme)
        return
    call = live.call(operation)
    live.callers.require_baseline(call, scheme=scheme)
    similar = list(near_misses(live.session, primary, scheme))[_turn(operation, scheme, live) :: 2]
    forged = (made_up(live.session, scheme), *live.session.share(similar, operation.id))
    made_up_one = CALLERS["made-up"]
    sendings = (Sending(each, scheme, CALLERS.get(each.name, made_up_one)) for each in forged)
    requests = [(call, sending) for sending in sendings]
    for response in live.callers.send_each(requests):
        expect.rejected(response)


def _turn(operation: Operation, scheme: str, live: Live) -> int:
    """Which half of the near misses an operation gets: each is tried on several operations."""
    api = live.session.api
    operations = [*live.session.contract.operations]
    return (operations.index(operation.id) + api.schemes.index(scheme)) % 2


def _rejected(operation: Operation, live: Live, trials: Trials) -> Exchange:
    """The response without a credential; Inconclusive without one, which another check reports."""
    if operation.writes:
        return trials.attempt("missing").response
    try:
        return _without_credential(operation, live)
    except Violation as problem:
        message = f"no 401 to check: {problem.message}"
        raise Inconclusive(message, exchanges=problem.exchanges) from None


@requirement("authentication/challenge")
def test_a_401_has_a_challenge(operation: Operation, live: Live, trials: Trials) -> None:
    """A response with 401 has WWW-Authenticate (RFC 9110)."""
    response = _rejected(operation, live, trials)
    if response.response is None or response.status != 401:
        description = response.describe()
        raise Inconclusive(f"no 401 to check: {description}", exchanges=[response.id])
    absent = defect(
        Kind.HEADER, "a 401 without WWW-Authenticate", expected="a WWW-Authenticate header"
    ).at(Location(Part.HEADER, "www-authenticate", response.id))
    has_challenge = response.response.header("www-authenticate") is not None
    expect.that(has_challenge, absent, response)


# --- valid credentials ----------------------------------------------------------------------------


def _check_accepted(operation: Operation, scheme: str, live: Live, trials: Trials) -> None:
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
    if operation.writes:
        # The other trial is on another review: only a 401 or 403 is about the caller.
        is_about_caller = response.status in (401, 403)
        is_entitled = is_about_caller and _approves_otherwise(primary, scheme, trials)
        again = _stale(trials.by(scheme))
    elif response.status in (403, 404) and _is_out_of_reach(operation, scheme, live):
        return False
    else:
        is_entitled = _is_served_otherwise(primary, scheme, response, live)
        again = response.call
    if response.status == 403:
        # The credential of this scheme may hold less than the other one of the same caller.
        is_entitled = is_entitled and _is_forbidden_to_another(again, scheme, live)
        return is_entitled or _is_served_elsewhere(primary, scheme, operation, live)
    if response.status != 401:
        return is_entitled
    # A caller who is served anywhere by the scheme has a valid secret. One who is served nowhere,
    # while others are, may have a wrong one.
    if live.callers.is_served(primary, scheme):
        return True
    return is_entitled and not _serves_others(primary, scheme, live)


def _stale(trial: Trial) -> Call:
    """The approval of a trial with an earlier revision: nobody can approve by it."""
    body = {REVISION: trial.review.revision - 1, KEY: trial.key}
    return trial.approval.call.carrying(body)


def _is_forbidden_to_another(call: Call, scheme: str, live: Live) -> bool:
    """Whether somebody else gets 403 by this scheme alone: then it is not about a credential."""
    credentials = live.session.target.credentials
    for name in WITH_THE_SAME_GRANT:
        other = credentials.get(name)
        statuses = {
            each: live.callers.send(call, other, each, purpose="is it about the scheme?").status
            for each in (other.schemes if other else ())
        }
        if statuses.pop(scheme, None) == 403 and {*statuses.values()} - {401, 403}:
            return True
    return False


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


# --- invalid credentials --------------------------------------------------------------------------


def _check_invalid(
    operation: Operation, name: str, scheme: str, live: Live, trials: Trials
) -> None:
    """Violation where an expired or revoked credential does not get 401."""
    credential = live.callers.credential_with(name, scheme)
    if operation.writes:
        _check_no_approval(trials, f"{name} by {scheme}", 401)
        return
    call = live.call(operation)
    live.callers.require_baseline(call)
    sending = Sending(credential, scheme, PURPOSES[name])
    # By the last scheme for another record: one without any below it, if there is one.
    another = [each for each in others(operation, live) if not each.query]
    asked = another if scheme == live.session.api.schemes[-1] else []
    (plain,) = live.callers.probe_each([((asked or [call])[0], sending)], call)
    expect.status(plain, 401)
    if operation.id == live.session.api.simplest.id:
        is_first = scheme == live.session.api.schemes[0]
        altered = (
            _beside_made_up(sending, live) if is_first else _in_lower_case(credential, sending)
        )
        expect.not_served(*live.callers.send_each([(call, altered)]))
    if operation.id in live.session.api.closing_lists and scheme == live.session.api.schemes[-1]:
        expect.not_served(*live.callers.send_each([(call, _beside_empty(sending))]))


def _beside_empty(sending: Sending) -> Sending:
    """The same request beside an empty header of the other scheme, which a target may go by."""
    own, _ = header_of(str(sending.scheme), "")
    headers = tuple(header for header in EMPTY if header[0] != own)[:1]
    purpose = f"{sending.purpose} beside {without_credential(*headers)}"
    return replace(sending, headers=headers, purpose=purpose, judge_arguments=False)


def _beside_made_up(sending: Sending, live: Live) -> Sending:
    """The same request, with a made-up credential of each other scheme as well."""
    others = (scheme for scheme in live.session.api.schemes if scheme != sending.scheme)
    headers = tuple(
        header_of(other, made_up(live.session, other).secret(other)) for other in others
    )
    purpose = f"{sending.purpose} beside a made-up one"
    return replace(sending, headers=headers, purpose=purpose, judge_arguments=False)


def _in_lower_case(credential: Credential, sending: Sending) -> Sending:
    """The same request, with the name of its scheme in lower case: it may not be known so."""
    header = ("authorization", f"bearer {credential.secret('bearer')}")
    return Sending(None, None, f"{sending.purpose} after bearer in lower case", headers=(header,))


def _check_no_approval(trials: Trials, label: str, *allowed: int) -> None:
    """Violation unless an attempt to approve got an allowed status and had no effect."""
    trials.require_consent()
    attempt = trials.attempt(label)
    expect.status(attempt.response, *allowed)
    check_not_approved(attempt.response, attempt.after)


def _check_rejected_approval(trials: Trials, label: str, scheme: str | None = None) -> None:
    """Violation unless an attempt to approve was rejected and had no effect."""
    attempt = trials.attempt(label, scheme)
    expect.rejected(attempt.response)
    check_not_approved(attempt.response, attempt.after)
