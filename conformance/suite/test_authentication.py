"""Authentication: two schemes, either suffices, and nothing else opens anything (Authentication)."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, defect
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import (
    EMPTY,
    made_up,
    near_misses,
    without_credential,
)
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import later, others
from conformance.suite.lists.live import Live
from conformance.target.target import Credential


@requirement("authentication/api-key")
def test_an_api_key_suffices(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation accepts the key in x-api-key."""
    _accepted(operation, "api-key", live, trials)


@requirement("authentication/bearer")
def test_a_bearer_token_suffices(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation accepts the token in Authorization."""
    _accepted(operation, "bearer", live, trials)


@requirement("authentication/missing")
def test_no_credential_is_refused(operation: Operation, live: Live, trials: Trials) -> None:
    """Every operation answers 401 to a request without a credential."""
    if operation.writes:
        _refused_approval(trials, "missing", 401)
        for header in EMPTY:
            _never_approved(trials, without_credential(header))
        return
    call = live.call(operation)
    live.callers.require_baseline(call)

    empty = [
        (call, Sending(None, purpose=without_credential(header), headers=(header,)))
        for header in EMPTY
    ]
    beside = [
        (other, Sending(None, purpose="no credential, beside arguments"))
        for other in others(operation, live)
    ]
    plain, *rest = live.callers.probe_each(
        [(call, Sending(None, purpose="no credential")), *empty, *beside], call
    )
    expect.status(plain, 401)
    for answer in rest:  # a cursor may belong to its caller, and be refused for that
        expect.rejected(answer)


@requirement("authentication/expired")
def test_an_expired_credential_is_refused(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Every operation answers 401 to a credential that has expired."""
    _dead(operation, "expired", scheme, live, trials)


@requirement("authentication/revoked")
def test_a_revoked_credential_is_refused(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Every operation answers 401 to a credential that has been revoked."""
    _dead(operation, "revoked", scheme, live, trials)


@requirement("authentication/unknown")
def test_a_made_up_credential_opens_nothing(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """Neither a random credential nor one that resembles a valid one."""
    primary = live.callers.credential_with("primary", scheme)
    if operation.writes:
        _never_approved(trials, f"unknown by {scheme}", scheme)
        if (
            label := f"near-miss by {scheme}"
        ) in trials.first().attempts:  # a short secret has none
            _never_approved(trials, label, scheme)
        return
    call = live.call(operation)
    live.callers.require_baseline(call, scheme=scheme)
    impostors = (made_up(live.session, scheme), *near_misses(live.session, primary, scheme))
    for answer in live.callers.send_each(
        [(call, Sending(credential, scheme, "a made-up credential")) for credential in impostors]
    ):
        expect.rejected(answer)


@requirement("authentication/challenge")
def test_a_401_names_the_ways_in(operation: Operation, live: Live, trials: Trials) -> None:
    """RFC 9110 asks for WWW-Authenticate on every 401."""
    answer = (
        trials.attempt("missing").response
        if operation.writes
        else live.callers.send(live.call(operation), None, purpose="no credential")
    )
    if answer.response is None or answer.status != 401:
        raise Inconclusive(f"no 401 to look at: {answer.describe()}", exchanges=[answer.id])
    expect.that(
        answer.response.header("www-authenticate") is not None,
        defect(Kind.UNSORTED, "a 401 without WWW-Authenticate"),
        answer,
    )


def _accepted(operation: Operation, scheme: str, live: Live, trials: Trials) -> None:
    primary = live.callers.credential("primary")
    if scheme not in primary.schemes:
        raise Inconclusive(f"primary has no {scheme}", needs=(f"credentials.primary.{scheme}",))
    if operation.writes:
        answer = trials.by(scheme).approval
    else:
        answer = live.callers.send(live.call(operation), primary, scheme, purpose=f"by {scheme}")
    if answer.status == 200:
        _accepted_beside_arguments(operation, scheme, live)
        return
    expect.clear(answer)
    if operation.writes:
        # Another review, but the same caller and the same request; what is no refusal of a caller may be the review's own.
        others_hold = (
            trials.by(other).approval.status == 200 for other in primary.schemes if other != scheme
        )
        holds = answer.status in (401, 403) and any(others_hold)
    else:
        holds = _holds(primary, scheme, answer, operation, live)
    if answer.status == 401:
        # Who is served anywhere is neither unknown nor expired; where nobody is but others, it is this secret that is not accepted.
        holds = live.callers.is_served(primary, scheme) or (
            holds and not _serves_others(primary, scheme, live)
        )
    expect.that(
        not holds,
        defect(Kind.UNSORTED, f"by {scheme}: {answer.describe()}", expected="200"),
        answer,
    )
    told = f"{operation.id} by {scheme} is answered {answer.describe()}"
    raise Inconclusive(told, needs=(f"credentials.primary.{scheme}",), exchanges=[answer.id])


def _accepted_beside_arguments(operation: Operation, scheme: str, live: Live) -> None:
    """Violation where a page after the first, or under a filter, is there for the other scheme alone."""
    for number, answer in enumerate(later(operation, live, scheme)):
        for other in (
            live.callers.credential("primary").schemes if answer.status in (401, 403, 500) else ()
        ):
            theirs = later(operation, live, other)
            served = other != scheme and [page.status for page in theirs[number : number + 1]] == [
                200
            ]
            expect.that(
                not served,
                defect(
                    Kind.UNSORTED,
                    f"by {scheme}, beside arguments: {answer.describe()}",
                    expected="200",
                ),
                answer,
                *theirs,
            )


def _holds(
    primary: Credential, scheme: str, answer: Exchange, operation: Operation, live: Live
) -> bool:
    """Whether the caller may do this after all: by the other scheme, or, where it was refused as a caller, elsewhere by this one."""
    if any(
        live.callers.send(answer.call, primary, other).status == 200
        for other in primary.schemes
        if other != scheme
    ):
        return True
    if answer.status not in (401, 403) or (
        answer.status == 403 and live.session.target.lacking(operation.permission)
    ):
        return False  # That somebody who lacks nothing is forbidden is judged by the check of permissions.
    elsewhere = [
        other
        for other in live.session.contract.operations.values()
        if not other.writes and "{" not in other.path
    ]
    return any(
        live.callers.send(Call(other.id), primary, scheme).status == 200
        for other in elsewhere
        if other.permission == operation.permission
    )


def _serves_others(primary: Credential, scheme: str, live: Live) -> bool:
    """Whether some other caller of the profile is served by this scheme."""
    others = [
        each
        for each in live.session.target.credentials.values()
        if each.name != primary.name and scheme in each.schemes
    ]
    return any(live.callers.is_served(each, scheme) for each in others)


def _dead(operation: Operation, name: str, scheme: str, live: Live, trials: Trials) -> None:
    credential = live.callers.credential_with(name, scheme)
    if operation.writes:
        _refused_approval(trials, f"{name} by {scheme}", 401)
        return
    call = live.call(operation)
    live.callers.require_baseline(call)
    beside = Sending(credential, scheme, f"{name} {scheme}, beside arguments")
    requests = [
        (call, Sending(credential, scheme, f"{name} {scheme}")),
        *((other, beside) for other in others(operation, live)),
    ]
    plain, *rest = live.callers.probe_each(requests, call)
    expect.status(plain, 401)
    for answer in rest:
        expect.rejected(answer)


def _refused_approval(trials: Trials, label: str, *allowed: int) -> Exchange:
    trials.require_consent()
    attempt = trials.attempt(label)
    expect.status(attempt.response, *allowed)
    check_not_approved(attempt.response, attempt.after)
    return attempt.response


def _never_approved(trials: Trials, label: str, scheme: str | None = None) -> None:
    attempt = trials.attempt(label, scheme)
    expect.rejected(attempt.response)
    check_not_approved(attempt.response, attempt.after)
