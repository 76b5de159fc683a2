"""Authentication and authorization: credentials, permissions and roles ("Authentication").

Company and project grants are conditions of the queries.
A record outside the grant is therefore not found, whether it exists or not.
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
    """An authenticated caller; `account` is an id, `credential` a digest."""

    account: str
    credential: str
    permissions: frozenset[str]
    rate: Rate


def authenticate(store: Store, clock: Clock, presented_credentials: PresentedCredentials) -> Caller:
    """Return the caller of the first valid secret, or raise Unauthenticated if none is valid."""
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
    """Raise Forbidden if the credential lacks the permission of the operation."""
    if operation.permission not in caller.permissions:
        raise Forbidden(f"The credential lacks the permission {operation.permission}.")


def check_role(role: str | None) -> None:
    """Raise Forbidden unless the role, in the company of the review, may approve reviews."""
    if role not in APPROVER_ROLES:
        raise Forbidden("Your role in this company may not approve reviews.")


def _require_valid(credential: Row | None, clock: Clock) -> Row:
    """Return the credential; raise Unauthenticated if it is unknown, revoked or expired."""
    if credential is None:
        raise Unauthenticated("The credential is not known.")
    if credential["revoked"]:
        raise Unauthenticated("The credential has been revoked.")
    if _has_expired(credential["expires_at"], clock.now()):
        raise Unauthenticated("The credential has expired.")
    return credential


def _has_expired(expires_at: float | None, now: float) -> bool:
    """Whether the credential has expired; None means that it never does."""
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
