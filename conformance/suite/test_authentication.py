"""Authentication: either of two schemes suffices, and nothing else does (Authentication)."""

from dataclasses import replace

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Location, Part, Violation, defect
from conformance.http.exchange import Exchange
from conformance.http.sending import Sending
from conformance.rules.access import CALLERS
from conformance.runner.facts import fact_name
from conformance.suite.access.accepted_credentials import check_accepted
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import (
    header_of,
    made_up,
    near_misses,
    without_credential,
)
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import others
from conformance.suite.lists.live import Live
from conformance.target.forged import EMPTY
from conformance.target.target import Credential

PURPOSES = {"expired": "an expired credential", "revoked": "a revoked credential"}


@requirement("authentication/api-key")
def test_an_api_key_suffices(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation accepts an API key in x-api-key."""
    check_accepted(operation, "api-key", live, trials)


@requirement("authentication/bearer")
def test_a_bearer_token_suffices(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation accepts a bearer token in Authorization."""
    check_accepted(operation, "bearer", live, trials)


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
