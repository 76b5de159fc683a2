"""Forged credentials: empty headers, made-up secrets, and secrets that resemble a valid one.

And the headers of secrets, for requests with two credentials.
"""

from collections.abc import Iterator

from conformance.runner.context import Context
from conformance.target import forged
from conformance.target.forged import NEAR_MISS, never_issued
from conformance.target.near_misses import SHORTEST_SECRET
from conformance.target.target import Credential

Header = tuple[str, str]


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
    return forged.made_up(session.seed, scheme)


def near_misses(session: Context, primary: Credential, scheme: str) -> Iterator[Credential]:
    """Credentials that resemble the valid one of a caller; long ones are masked like it."""
    values = [value for value in primary.near_misses(scheme) if value is not None]
    for value in values:  # all at once: each addition has the redactor prepare its search anew
        # Half a secret is a secret too, unless it is so short that it occurs in other words.
        if len(value) >= SHORTEST_SECRET:
            session.redactor.add(value, f"$NEAR_MISS_{primary.variable(scheme)[1:]}")
    for value in values:
        yield never_issued(NEAR_MISS, scheme, value)
