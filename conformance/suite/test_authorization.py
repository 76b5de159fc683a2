"""Authorization: permissions and review roles (Authentication)."""

from collections.abc import Iterator
from contextlib import suppress

from conformance.contract.openapi import Operation
from conformance.contract.verdict import (
    Defect,
    Inconclusive,
    NotApplicable,
)
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.plan import BY_EACH
from conformance.suite.approval.trial import check_not_approved
from conformance.suite.approval.trials import Trials
from conformance.suite.callers import expect
from conformance.suite.callers.forged_credentials import other_headers
from conformance.suite.callers.places import of_status
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.calls import (
    forbidden,
    others,
    own_filters,
    require_baseline_by,
)
from conformance.suite.lists.live import Live
from conformance.suite.lists.parameters import confirmed_name

LIMIT = "10"
MALFORMED_OR_CONFLICT = frozenset({400, 409, 422})
"""Statuses for a stale approval: a revision that not every integer type holds may be malformed."""


@requirement("authorization/permission")
def test_the_permission_is_needed(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """An operation responds 403 to a caller without its permission."""
    name = f"lacking.{operation.permission}"
    credential = live.callers.credential_with(name, scheme)
    if operation.writes:
        attempt = trials.attempt(f"{name} by {scheme}", scheme)
        forbidden(attempt.response, live, 403)
        check_not_approved(attempt.response, attempt.after)
        _check_by_each_scheme(name, trials)
        return
    call = live.call(operation)
    require_baseline_by(call, scheme, live)
    calls = (call, *others(operation, live))
    requests = [(each, Sending(credential, scheme, "without the permission")) for each in calls]
    plain, *rest = live.callers.probe_each(requests, call)
    forbidden(plain, live, 403)
    # Another record may be out of reach as well, and a cursor of primary unknown.
    for response in rest:
        expect.rejected(response)
    if scheme == credential.schemes[0] and (headers := other_headers(credential, scheme)):
        purpose = "without the permission, by each scheme at once"
        twofold = (call, Sending(credential, scheme, purpose, headers=headers))
        expect.not_served(*live.callers.send_each([twofold]))


@requirement("authorization/no-more-than-permission")
def test_no_other_permission_is_needed(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """A caller who lacks only another permission is served, and so is primary."""
    if operation.writes:
        _check_approval_needs_no_other(operation, scheme, live, trials)
        return
    call = live.call(operation)
    response = live.callers.send(call, purpose="primary, with every permission")
    is_known = live.session.target.lacking(operation.permission) is not None
    is_forbidden = is_known and response.status == 403  # by each scheme
    expect.that(not is_forbidden, _primary_is_forbidden(response), response)
    live.callers.require_baseline(call)
    asked = _with_arguments(call, operation, scheme, live)
    lacking = [
        live.callers.credential(f"lacking.{permission}")
        for permission in _comparable_permissions(operation, scheme, live)
    ]
    requests = [(asked, Sending(each, scheme, "lacking another")) for each in lacking]
    for response in live.callers.send_each(requests):
        expect.clear(response)
        is_rejected = _is_rejected_as_caller(response, call, scheme, live)
        if is_rejected and not (
            _is_served_to_primary(asked, live) and _is_within_grant(response, call, operation, live)
        ):
            continue
        expect.that(not is_rejected, _rejected_without_another(response), response)


def _with_arguments(call: Call, operation: Operation, scheme: str, live: Live) -> Call:
    """The call of a list with a limit by one scheme, and with filters by the other.

    An operation may need a further permission for some of its arguments.
    """
    if not operation.is_list:
        return call
    if scheme == live.callers.credential("primary").schemes[0]:
        return call.asking(limit=LIMIT)
    for role in operation.filters:
        with suppress(Inconclusive, NotApplicable):
            confirmed_name(operation, role, live)
    return call.asking(**own_filters(operation, live))


def _is_served_to_primary(asked: Call, live: Live) -> bool:
    """Whether the arguments are accepted at all, which other checks report."""
    return live.callers.send(asked, purpose="primary, with the same arguments").status == 200


def _is_within_grant(response: Exchange, call: Call, operation: Operation, live: Live) -> bool:
    """Whether a rejected caller lists a record without filters that passes those it sent."""
    roles = live.session.roles(operation)
    sent = {
        operation.filters[roles[name]]: id
        for name, id in response.call.query
        if roles.get(name) in operation.filters
    }
    if not sent:
        return True
    credential = live.callers.credential(response.credential or "")
    page = live.callers.send(call, credential, response.scheme, purpose="the same without filters")
    if page.status != 200:
        return True
    return any(all(item.get(name) == id for name, id in sent.items()) for item in page.items)


def _is_rejected_as_caller(response: Exchange, call: Call, scheme: str, live: Live) -> bool:
    # A caller who lacks a permission may reach other records than primary: then a record is absent.
    rejections = {401, 403, 500} if call.path else {401, 403, 404, 500}
    if response.status not in rejections:
        return False
    primary = live.callers.credential("primary")
    if response.status not in (401, 403) or scheme not in primary.schemes:
        return response.status != 401
    # Whether the scheme is accepted at all, the checks of authentication report.
    read = live.callers.send(call, primary, scheme, purpose="primary, by the same scheme")
    return read.status == 200


def _primary_is_forbidden(response: Exchange) -> Defect:
    return of_status(
        response, "primary has every permission and is forbidden: {response}", expected="200"
    )


def _rejected_without_another(response: Exchange) -> Defect:
    return of_status(
        response,
        "{caller} has the permission of the operation and is rejected: {response}",
        expected="200",
        caller=response.credential,
    )


@requirement("authorization/review-role")
def test_the_review_role_is_needed(
    scheme: str, live: Live, approvals: Approvals, trials: Trials
) -> None:
    """An approval responds 403 to a caller whose role may not approve, despite the permission."""
    live.callers.credential_with("no-review-role", scheme)
    checked = False
    for attempt in trials.attempts(f"no-review-role by {scheme}", scheme):
        check_not_approved(attempt.response, attempt.after)
        # The grant of this caller need not be that of primary: the review may be absent for it.
        if attempt.response.status != 404 or _reads(attempt.response, scheme, live):
            forbidden(attempt.response, live, 403)
            checked = True
    _check_by_each_scheme("no-review-role", trials)
    _check_each_kind(scheme, live, approvals)
    if not checked:
        raise Inconclusive(
            "no approvable review is within the grant of no-review-role",
            needs=("credentials.no-review-role",),
        )


def _check_by_each_scheme(name: str, trials: Trials) -> None:
    """Who may not approve by one credential may not by two of them either."""
    attempt = trials.first().attempts.get(f"{name}{BY_EACH}")
    if attempt is not None:
        expect.not_served(attempt.response)
        check_not_approved(attempt.response, attempt.after)


def _check_each_kind(scheme: str, live: Live, approvals: Approvals) -> None:
    """No review of another kind is approved without the role: it may be checked for some alone."""
    viewer = live.callers.credential("no-review-role")
    if scheme != viewer.schemes[0]:
        return
    sending = Sending(viewer, scheme, "approve without the role")
    for attempt in approvals.attempt_each_kind(lambda right: right, sending):
        expect.rejected(attempt.response)
        check_not_approved(attempt.response, attempt.after)


def _reads(attempt: Exchange, scheme: str, live: Live) -> bool:
    """Whether the caller without the role can read the review."""
    viewer = live.callers.credential("no-review-role")
    call = Call("review_get", attempt.call.path)
    read = live.callers.send(call, viewer, scheme, purpose="is the review within its grant?")
    return read.status == 200


def _other_permissions(operation: Operation, live: Live) -> list[str]:
    """The permissions of other operations that some credential lacks; Inconclusive if none."""
    permissions = live.session.contract.permissions
    others = [each for each in permissions if each != operation.permission]
    lacked = [each for each in others if live.session.target.lacking(each)]
    if not lacked:
        raise Inconclusive("no credential lacks another permission", needs=("credentials.lacking",))
    return lacked


def _comparable_permissions(operation: Operation, scheme: str, live: Live) -> Iterator[str]:
    """Other permissions with a credential that has the scheme, the permission here, and a grant."""
    for permission in _other_permissions(operation, live):
        if scheme not in live.callers.credential(f"lacking.{permission}").schemes:
            continue
        if _lacks_both(live, operation, permission):
            continue
        if _is_served_elsewhere(live, operation, permission, scheme):
            yield permission


def _check_approval_needs_no_other(
    operation: Operation, scheme: str, live: Live, trials: Trials
) -> None:
    """A stale approval is not forbidden for the lack of another permission."""
    trials.require_consent()
    live.callers.credential_with("primary", scheme)
    _check_primary_may_approve(live, trials)
    baseline = trials.attempt(f"one revision behind by {scheme}", scheme).response
    if baseline.status not in MALFORMED_OR_CONFLICT:
        description = f"the stale approval of primary returned {baseline.describe()}"
        raise Inconclusive(description, exchanges=[baseline.id])
    for permission in _comparable_permissions(operation, scheme, live):
        label = f"stale, lacking.{permission} by {scheme}"
        response = trials.attempt(label, scheme).response
        expect.clear(response)
        found = _rejected_without_another(response)
        expect.that(response.status != 403, found, baseline, response)


def _check_primary_may_approve(live: Live, trials: Trials) -> None:
    """Violation where primary is forbidden to approve by every scheme."""
    if live.session.target.lacking("reviews:approve") is None:
        return
    schemes = live.callers.credential("primary").schemes
    is_forbidden = all(trials.by(scheme).approval.status == 403 for scheme in schemes)
    response = trials.first().approval
    expect.that(not is_forbidden, _primary_is_forbidden(response), response)


def _lacks_both(live: Live, operation: Operation, permission: str) -> bool:
    """Whether one caller of the profile lacks this permission and that of the operation."""
    own = live.session.target.lacking(operation.permission)
    return own is not None and own.shares_secret(live.callers.credential(f"lacking.{permission}"))


def _is_served_elsewhere(live: Live, operation: Operation, permission: str, scheme: str) -> bool:
    """Whether the caller who lacks a permission is served by another operation.

    Otherwise its secret may be wrong, or its grant empty. An operation that fails with 500 for this
    caller counts as well: it does not reject the caller.
    """
    credential = live.callers.credential(f"lacking.{permission}")
    for other in live.session.contract.operations.values():
        is_simple = not other.writes and "{" not in other.path
        if not is_simple or other.id == operation.id or other.permission == permission:
            continue
        try:
            live.callers.require_baseline(Call(other.id), credential, scheme)
        except Inconclusive:
            again = live.callers.send(Call(other.id), credential, scheme, purpose="does it fail?")
            if again.status != 500:
                continue
        return True
    return False
