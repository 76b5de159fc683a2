"""Who is calling, and what they may do: credentials, permissions, roles ("Authentication").

Company and project grants are conditions of the queries: what lies outside a grant is not found, whether it exists or not.
"""

from dataclasses import dataclass
from typing import Final

from conformance.reference.catalogue import Operation
from conformance.reference.clock import Clock
from conformance.reference.errors import Forbidden, Unauthenticated
from conformance.reference.rate_limit import Rate
from conformance.reference.schemes import PresentedCredentials, digest
from conformance.reference.store import Row, Store

APPROVER_ROLES: Final = frozenset({"owner", "reviewer"})

SELECT_CREDENTIAL: Final = """
    SELECT digest, account_id, permissions, expires_at, revoked, rate_requests, rate_seconds
    FROM credentials WHERE digest = :digest AND scheme = :scheme
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller: the account behind the credential, and what the credential allows."""

    account: str
    credential: str
    permissions: frozenset[str]
    rate: Rate


def authenticate(store: Store, clock: Clock, presented_credentials: PresentedCredentials) -> Caller:
    """The caller whom the first valid secret names: either scheme suffices. Unauthenticated where none is valid."""
    rejection = Unauthenticated("Send an API key in x-api-key, or a bearer token in Authorization.")
    for scheme, secret in presented_credentials.secrets():
        try:
            return _caller(
                _require_valid(
                    store.row(SELECT_CREDENTIAL, {"digest": digest(secret), "scheme": scheme}),
                    clock,
                )
            )
        except Unauthenticated as reason:
            rejection = reason
    raise rejection


def check_permission(caller: Caller, operation: Operation) -> None:
    """Forbidden where the credential lacks the operation's permission."""
    if operation.permission not in caller.permissions:
        raise Forbidden(f"The credential lacks the permission {operation.permission}.")


def check_role(role: str | None) -> None:
    """Forbidden where the role that the caller has in the review's company may not approve."""
    if role not in APPROVER_ROLES:
        raise Forbidden("Your role in this company may not approve reviews.")


def _require_valid(credential: Row | None, clock: Clock) -> Row:
    """The credential. Unauthenticated where it is unknown, revoked or expired."""
    if credential is None:
        raise Unauthenticated("The credential is not known.")
    if credential["revoked"]:
        raise Unauthenticated("The credential has been revoked.")
    if _has_expired(credential["expires_at"], clock.now()):
        raise Unauthenticated("The credential has expired.")
    return credential


def _has_expired(expires_at: float | None, now: float) -> bool:
    """Whether the end of a credential has come; one without an end never expires."""
    if expires_at is None:
        return False
    return expires_at <= now


def _caller(credential: Row) -> Caller:
    return Caller(
        account=credential["account_id"],
        credential=credential["digest"],
        permissions=frozenset(credential["permissions"].split()),
        rate=Rate(credential["rate_requests"], credential["rate_seconds"]),
    )
