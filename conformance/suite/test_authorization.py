"""Authorization: permissions and review roles (Authentication)."""

from conformance.contract.openapi import Operation
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import control_by, forbidden, others
from conformance.suite.lists.live import Live


@requirement("authorization/permission")
def test_the_permission_is_needed(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """A caller that lacks the permission of an operation is answered 403."""
    name = f"lacking.{operation.permission}"
    credential = live.callers.credential_with(name, scheme)
    if operation.writes:
        attempt = trials.attempt(f"{name} by {scheme}", scheme)
        forbidden(attempt.response, live, 403)
        check_not_approved(attempt.response, attempt.after)
        return
    call = live.call(operation)
    control_by(call, scheme, live)

    beside = Sending(credential, scheme, f"without {operation.permission}, beside arguments")
    requests = [(call, Sending(credential, scheme, f"without {operation.permission}"))]
    plain, *rest = live.callers.probe_each(
        [*requests, *((other, beside) for other in others(operation, live))], call
    )
    forbidden(plain, live, 403)
    for answer in (
        rest
    ):  # a cursor may belong to the credential that it was issued to, and be refused for that
        expect.rejected(answer)


@requirement("authorization/no-more-than-permission")
def test_no_other_permission_is_needed(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """A caller that lacks another permission alone is served, and primary, who lacks none, is."""
    if operation.writes:
        _no_other_to_approve(operation, scheme, live, trials)
        return
    call = live.call(operation)
    answer = live.callers.send(call, purpose="holding every permission")
    if answer.status == 403 and live.session.target.lacking(operation.permission):
        raise Violation(
            defect(
                Kind.UNSORTED,
                f"primary, who lacks nothing, is answered {answer.describe()}",
                expected="200",
            ),
            exchanges=[answer.id],
        )
    live.callers.require_baseline(call)
    requests = []
    for permission in _other_permissions(operation, live):
        credential = live.callers.credential(f"lacking.{permission}")
        is_another = scheme in credential.schemes and not _lacks_both(
            live, operation, permission, scheme
        )
        if is_another and _is_alive(live, operation, permission, scheme):
            requests.append((call, Sending(credential, scheme, f"without {permission}")))
    # Who lacks a permission may reach other records than primary, and then a record is absent.
    turned_away = {401, 403, 500} if call.path else {401, 403, 404, 500}
    for answer in live.callers.send_each(requests):
        expect.clear(answer)
        refused = answer.status in turned_away and (
            answer.status != 401 or _is_taken(call, scheme, live)
        )
        expect.that(
            not refused,
            defect(Kind.UNSORTED, f"{answer.purpose}: {answer.describe()}", expected="200"),
            answer,
        )


def _is_taken(call: Call, scheme: str, live: Live) -> bool:
    """Whether a scheme is accepted here at all, which is judged by the checks of authentication."""
    primary = live.callers.credential("primary")
    return (
        scheme in primary.schemes
        and live.callers.send(call, primary, scheme, purpose="the same scheme, as primary").status
        == 200
    )


@requirement("authorization/review-role")
def test_the_review_role_is_needed(scheme: str, live: Live, trials: Trials) -> None:
    """A caller whose role may not approve is answered 403, although it holds the permission."""
    viewer = live.callers.credential_with("no-review-role", scheme)
    judged = False
    for attempt in trials.attempts(f"no-review-role by {scheme}", scheme):
        check_not_approved(attempt.response, attempt.after)
        # Who does not reach the review is refused for that: its grant need not be that of primary.
        read = Call("review_get", attempt.response.call.path)
        if (
            attempt.response.status != 404
            or live.callers.send(
                read, viewer, scheme, purpose="is the review within its grant?"
            ).status
            == 200
        ):
            forbidden(attempt.response, live, 403)
            judged = True
    if not judged:
        raise Inconclusive(
            "no approvable review is within the grant of no-review-role",
            needs=("credentials.no-review-role",),
        )


def _other_permissions(operation: Operation, live: Live) -> list[str]:
    """The permissions but that of the operation which some credential lacks; Inconclusive where there is none."""
    every = dict.fromkeys(known.permission for known in live.session.contract.operations.values())
    found = [
        permission
        for permission in every
        if permission != operation.permission and live.session.target.lacking(permission)
    ]
    if not found:
        raise Inconclusive("no credential lacks another permission", needs=("credentials.lacking",))
    return found


def _no_other_to_approve(operation: Operation, scheme: str, live: Live, trials: Trials) -> None:
    """A stale approval, which spends nothing: primary's is a conflict, and no missing permission makes another refusal of it."""
    trials.require_consent()
    live.callers.credential_with("primary", scheme)
    _may_approve(live, trials)
    control = trials.attempt(f"one revision ahead by {scheme}", scheme).response
    if control.status not in (
        400,
        409,
        422,
    ):  # a revision beyond what a float holds may count as malformed
        raise Inconclusive(f"the control is answered {control.describe()}", exchanges=[control.id])
    for permission in _other_permissions(operation, live):
        name = f"lacking.{permission}"
        if scheme not in live.callers.credential(name).schemes or _lacks_both(
            live, operation, permission, scheme
        ):
            continue
        if _is_alive(live, operation, permission, scheme):
            answer = trials.attempt(f"stale, {name} by {scheme}", scheme).response
            expect.clear(answer)
            told = f"a stale approval without {permission}: {answer.describe()}"
            expect.that(
                answer.status != 403, defect(Kind.UNSORTED, told, expected="409"), control, answer
            )


def _may_approve(live: Live, trials: Trials) -> None:
    """Violation where primary, of whom the profile tells those who may not approve apart, is forbidden to, by each of its schemes."""
    schemes, is_told_apart = (
        live.callers.credential("primary").schemes,
        live.session.target.lacking("reviews:approve") is not None,
    )
    forbidden_by_all = is_told_apart and all(
        trials.by(scheme).approval.status == 403 for scheme in schemes
    )
    answer = trials.first().approval
    expect.that(
        not forbidden_by_all,
        defect(
            Kind.UNSORTED,
            f"primary, who lacks nothing, is answered {answer.describe()}",
            expected="200",
        ),
        answer,
    )


def _lacks_both(live: Live, operation: Operation, permission: str, scheme: str) -> bool:
    """Whether the profile names one secret for this permission and for that of the operation, so that it has neither."""
    own, other = (
        live.session.target.lacking(operation.permission),
        live.callers.credential(f"lacking.{permission}"),
    )
    return own is not None and scheme in own.schemes and own.secret(scheme) == other.secret(scheme)


def _is_alive(live: Live, operation: Operation, permission: str, scheme: str) -> bool:
    """Whether the credential that lacks a permission is served by another operation, so that it is neither dead nor without any grant.

    Whoever makes each of them fail is not refused there, and nothing else has been shown to be wrong with it.
    """
    for other in live.session.contract.operations.values():
        if (
            other.id != operation.id
            and not other.writes
            and "{" not in other.path
            and other.permission != permission
        ):
            credential = live.callers.credential(f"lacking.{permission}")
            try:
                live.callers.require_baseline(Call(other.id), credential, scheme)
            except Inconclusive:
                if (
                    live.callers.send(
                        Call(other.id), credential, scheme, purpose="does it fail?"
                    ).status
                    != 500
                ):
                    continue
            return True
    return False
