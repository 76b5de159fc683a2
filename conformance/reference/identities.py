"""Who calls the API: accounts, their memberships and grants, and one credential for each thing that can be shown with one.

Secrets follow from the seed, so that a profile can be written without asking the store. That suits a sandbox and nothing else.
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
"""The two schemes, with what a secret of each begins with."""

UNLIMITED_RATE: Final = Rate(requests=1_000_000, seconds=1.0)
THROTTLED_RATE: Final = Rate(requests=20, seconds=2.0)


@dataclass(frozen=True, slots=True)
class CredentialSpec:
    """One credential of the profile, in either scheme; `expires_at` is in epoch seconds, None for never."""

    name: str
    account: str
    permissions: tuple[str, ...]
    expires_at: float | None = None
    revoked: bool = False
    rate: Rate = UNLIMITED_RATE


@dataclass(frozen=True, slots=True)
class Identities:
    """Everybody, and what they may reach."""

    accounts: tuple[Account, ...]
    memberships: tuple[Membership, ...]
    grants: tuple[Grant, ...]
    credentials: tuple[Credential, ...]


def credential_specs() -> Iterator[CredentialSpec]:
    """Every credential, named as in a target profile; `lacking` ones carry the permission that they lack behind a slash."""
    every = catalogue.permissions()
    yield CredentialSpec("primary", "reviewer", every)
    yield CredentialSpec("expired", "reviewer", every, expires_at=SNAPSHOT_TIME - DAY)
    yield CredentialSpec("revoked", "reviewer", every, revoked=True)
    for missing in every:
        yield CredentialSpec(
            f"lacking/{missing}", "reviewer", tuple(held for held in every if held != missing)
        )
    yield CredentialSpec("outsider", "outsider", every)
    yield CredentialSpec("no-review-role", "viewer", every)
    yield CredentialSpec("throttled", "reviewer", every, rate=THROTTLED_RATE)


def secret(seed: int, name: str, scheme: str) -> str:
    """The secret of the credential `name` in one scheme."""
    return f"{SECRET_PREFIXES[scheme]}_{blake2b(f'{seed} {scheme} {name}'.encode(), digest_size=20).hexdigest()}"


def build(seed: int, companies: tuple[Company, ...], trees: tuple[ProjectTree, ...]) -> Identities:
    """The cast of a dataset: reviewer and viewer share all companies but the last, which is the outsider's."""
    rng = Random(f"{seed} cast")
    accounts = {
        "reviewer": Account(random_uuid(rng), "Inês Duarte", "external"),
        "viewer": Account(random_uuid(rng), "Tomasz Wójcik", "external"),
        "outsider": Account(random_uuid(rng), "Maren Holt", "internal"),
    }
    *shared, foreign = (company.id for company in companies)
    memberships = (
        *(Membership(accounts["reviewer"].id, company, "reviewer") for company in shared),
        *(Membership(accounts["viewer"].id, company, "viewer") for company in shared),
        Membership(accounts["outsider"].id, foreign, "reviewer"),
    )
    return Identities(
        accounts=tuple(accounts.values()),
        memberships=memberships,
        grants=tuple(_grants(memberships, trees)),
        credentials=tuple(_credentials(seed, accounts)),
    )


def _grants(memberships: tuple[Membership, ...], trees: tuple[ProjectTree, ...]) -> Iterator[Grant]:
    """Every project of a member's companies but the withheld ones."""
    for member in memberships:
        for tree in trees:
            if tree.project.company_id == member.company_id and not tree.withheld:
                yield Grant(member.account_id, tree.project.id)


def _credentials(seed: int, accounts: dict[str, Account]) -> Iterator[Credential]:
    """Every part of the cast in both schemes."""
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
