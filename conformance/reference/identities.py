"""Accounts, their memberships and grants, and the credentials of the target profile.

Secrets are derived from the seed, so that a profile can be written without the store.
That is acceptable in a sandbox only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Final

from conformance.reference import catalogue
from conformance.reference.identifiers import random_uuid
from conformance.reference.project_generator import ProjectTree
from conformance.reference.rate_limit import Rate
from conformance.reference.records import Account, Company, Credential, Grant, Membership
from conformance.reference.schemes import API_KEY, BEARER, digest
from conformance.reference.timestamps import DAY, SNAPSHOT_TIME

SECRET_PREFIXES: Final = {API_KEY: "lk", BEARER: "lt"}
"""The two schemes, with the prefix of their secrets."""

UNLIMITED_RATE: Final = Rate(requests=1_000_000, seconds=1.0)
THROTTLED_RATE: Final = Rate(requests=20, seconds=2.0)


@dataclass(frozen=True, slots=True)
class CredentialSpec:
    """A credential of the profile, for both schemes; `expires_at` is in epoch seconds or None."""

    name: str
    account: str
    permissions: tuple[str, ...]
    expires_at: float | None = None
    revoked: bool = False
    rate: Rate = UNLIMITED_RATE


@dataclass(frozen=True, slots=True)
class Identities:
    """All accounts with their memberships, grants and credentials."""

    accounts: tuple[Account, ...]
    memberships: tuple[Membership, ...]
    grants: tuple[Grant, ...]
    credentials: tuple[Credential, ...]


def credential_specs() -> Iterator[CredentialSpec]:
    """Every credential by its name in a target profile; `lacking/…` names a missing permission."""
    permissions = catalogue.permissions()
    yield CredentialSpec("primary", "reviewer", permissions)
    yield CredentialSpec("expired", "reviewer", permissions, expires_at=SNAPSHOT_TIME - DAY)
    yield CredentialSpec("revoked", "reviewer", permissions, revoked=True)
    for missing in permissions:
        others = tuple(each for each in permissions if each != missing)
        yield CredentialSpec(f"lacking/{missing}", "reviewer", others)
    yield CredentialSpec("outsider", "outsider", permissions)
    yield CredentialSpec("no-review-role", "viewer", permissions)
    yield CredentialSpec("colleague", "colleague", permissions)
    yield CredentialSpec("throttled", "reviewer", permissions, rate=THROTTLED_RATE)


def secret(seed: int, name: str, scheme: str) -> str:
    """The secret of the credential `name` for one scheme."""
    random_part = blake2b(f"{seed} {scheme} {name}".encode(), digest_size=20).hexdigest()
    return f"{SECRET_PREFIXES[scheme]}_{random_part}"


def build(seed: int, companies: tuple[Company, ...], trees: tuple[ProjectTree, ...]) -> Identities:
    """The identities of a dataset.

    Reviewer, viewer and colleague are members of all companies except the last; the outsider of the
    last only.
    """
    rng = Random(f"{seed} cast")  # another text would change every account id
    accounts = {
        "reviewer": Account(random_uuid(rng), "Inês Duarte", "external"),
        "viewer": Account(random_uuid(rng), "Tomasz Wójcik", "external"),
        "outsider": Account(random_uuid(rng), "Maren Holt", "internal"),
        "colleague": Account(random_uuid(rng), "Ayumi Okada", "external"),
    }
    *shared, foreign = (company.id for company in companies)
    memberships = (
        *(Membership(accounts["reviewer"].id, company, "reviewer") for company in shared),
        *(Membership(accounts["viewer"].id, company, "viewer") for company in shared),
        Membership(accounts["outsider"].id, foreign, "reviewer"),
        *(Membership(accounts["colleague"].id, company, "reviewer") for company in shared),
    )
    return Identities(
        accounts=tuple(accounts.values()),
        memberships=memberships,
        grants=tuple(_grants(memberships, trees)),
        credentials=tuple(_credentials(seed, accounts)),
    )


def _grants(memberships: tuple[Membership, ...], trees: tuple[ProjectTree, ...]) -> Iterator[Grant]:
    """A grant of every project in a member's companies, except the withheld ones."""
    for member in memberships:
        for tree in trees:
            if tree.project.company_id == member.company_id and not tree.withheld:
                yield Grant(member.account_id, tree.project.id)


def _credentials(seed: int, accounts: dict[str, Account]) -> Iterator[Credential]:
    """Every credential for both schemes."""
    for spec in credential_specs():
        for scheme in SECRET_PREFIXES:
            yield Credential(
                digest=digest(secret(seed, spec.name, scheme)),
                scheme=scheme,
                account_id=accounts[spec.account].id,
                permissions=" ".join(spec.permissions),
                expires_at=spec.expires_at,
                revoked=spec.revoked,
                rate_requests=spec.rate.requests,
                rate_seconds=spec.rate.seconds,
            )
