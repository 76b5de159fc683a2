"""Forged credentials: empty headers, made-up secrets, and secrets that resemble a valid one.

And the headers of secrets, for requests with two credentials.
"""

import uuid
from collections.abc import Iterator

from conformance.runner.context import Context
from conformance.runner.session import never_issued
from conformance.target.near_misses import SHORTEST_SECRET
from conformance.target.target import Credential

Header = tuple[str, str]

MADE_UP = "unknown"
"""The name of the credential that was never issued: one secret for each scheme."""
NEAR_MISS = "near-miss"
"""The name of every credential that resembles a valid one."""

EMPTY: tuple[Header, ...] = (
    ("x-api-key", ""),
    ("authorization", "Bearer"),
    ("authorization", "Basic Og=="),
)
"""Headers without a credential of either scheme."""

NAMESPACE = uuid.UUID("6f0c1b9e-7a54-4e0e-9d38-52a4ab1f0c11")


def header_of(scheme: str, secret: str) -> Header:
    """The header that carries the secret of a scheme."""
    if scheme == "bearer":
        return "authorization", f"Bearer {secret}"
    return "x-api-key", secret


def other_headers(credential: Credential, scheme: str) -> tuple[Header, ...]:
    """The headers of the other schemes that a caller has, to be sent beside those of one."""
    others = (other for other in credential.schemes if other != scheme)
    return tuple(header_of(other, credential.secret(other)) for other in others)


def without_credential(header: Header) -> str:
    """A phrase for a request with one of the empty headers."""
    return f"the header {' '.join(header).strip()} without a credential"


def made_up(session: Context, scheme: str) -> Credential:
    """A credential that was never issued; the same for the same seed and scheme."""
    return never_issued(MADE_UP, scheme, str(uuid.uuid5(NAMESPACE, f"{session.seed}:{scheme}")))


def near_misses(session: Context, primary: Credential, scheme: str) -> Iterator[Credential]:
    """Credentials that resemble the valid one of a caller; long ones are masked like it."""
    values = [value for value in primary.near_misses(scheme) if value is not None]
    for value in values:  # all at once: each addition has the redactor prepare its search anew
        # Half a secret is a secret too, unless it is so short that it occurs in other words.
        if len(value) >= SHORTEST_SECRET:
            session.redactor.add(value, f"$NEAR_MISS_{primary.variable(scheme)[1:]}")
    for value in values:
        yield never_issued(NEAR_MISS, scheme, value)
