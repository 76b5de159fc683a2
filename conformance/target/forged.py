"""Credentials that nobody has issued, and headers without one."""

import uuid

from conformance.target.target import Credential

MADE_UP = "unknown"
"""The name of the credential that was never issued: one secret for each scheme."""
NEAR_MISS = "near-miss"
"""The name of every credential that resembles a valid one."""

EMPTY = (("x-api-key", ""), ("authorization", "Bearer"), ("authorization", "Basic Og=="))
"""Headers without a credential of either scheme."""

NAMESPACE = uuid.UUID("6f0c1b9e-7a54-4e0e-9d38-52a4ab1f0c11")


def never_issued(name: str, scheme: str, value: str) -> Credential:
    """A credential that was never issued."""
    if scheme == "api-key":
        return Credential(name, api_key=value)
    return Credential(name, bearer=value)


def made_up(seed: int, scheme: str) -> Credential:
    """The credential that the run of a seed makes up."""
    return never_issued(MADE_UP, scheme, str(uuid.uuid5(NAMESPACE, f"{seed}:{scheme}")))
