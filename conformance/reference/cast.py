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
from conformance.reference.limits import Rate
from conformance.reference.moments import DAY, PRESENT
from conformance.reference.productions import Production
from conformance.reference.records import Account, Company, Credential, Grant, Membership
from conformance.reference.schemes import API_KEY, BEARER, digest

SCHEMES: Final = {API_KEY: "lk", BEARER: "lt"}
"""The two schemes, with what a secret of each begins with."""

UNLIMITED: Final = Rate(requests=1_000_000, seconds=1.0)
TIGHT: Final = Rate(requests=20, seconds=2.0)


@dataclass(frozen=True, slots=True)
class Part:
    """One credential of the profile, in either scheme; `expires_at` is in epoch seconds, None for never."""

    name: str
    account: str
    permissions: tuple[str, ...]
    expires_at: float | None = None
    revoked: bool = False
    rate: Rate = UNLIMITED


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody, and what they may reach."""

    accounts: tuple[Account, ...]
    memberships: tuple[Membership, ...]
    grants: tuple[Grant, ...]
    credentials: tuple[Credential, ...]


def parts() -> Iterator[Part]:
    """Every credential, named as in a target profile; `lacking` ones carry the permission that they lack behind a slash."""
    every = catalogue.permissions()
    yield Part("primary", "reviewer", every)
    yield Part("expired", "reviewer", every, expires_at=PRESENT - DAY)
    yield Part("revoked", "reviewer", every, revoked=True)
    for missing in every:
        yield Part(
            f"lacking/{missing}", "reviewer", tuple(held for held in every if held != missing)
        )
    yield Part("outsider", "outsider", every)
    yield Part("no-review-role", "viewer", every)
    yield Part("throttled", "reviewer", every, rate=TIGHT)


def secret(seed: int, name: str, scheme: str) -> str:
    """The secret of the credential `name` in one scheme."""
    return f"{SCHEMES[scheme]}_{blake2b(f'{seed} {scheme} {name}'.encode(), digest_size=20).hexdigest()}"


def assemble(
    seed: int, companies: tuple[Company, ...], productions: tuple[Production, ...]
) -> Cast:
    """The cast of a dataset: reviewer and viewer share all companies but the last, which is the outsider's."""
    chance = Random(f"{seed} cast")
    accounts = {
        "reviewer": Account(random_uuid(chance), "Inês Duarte", "external"),
        "viewer": Account(random_uuid(chance), "Tomasz Wójcik", "external"),
        "outsider": Account(random_uuid(chance), "Maren Holt", "internal"),
    }
    *shared, foreign = (company.id for company in companies)
    memberships = (
        *(Membership(accounts["reviewer"].id, company, "reviewer") for company in shared),
        *(Membership(accounts["viewer"].id, company, "viewer") for company in shared),
        Membership(accounts["outsider"].id, foreign, "reviewer"),
    )
    return Cast(
        accounts=tuple(accounts.values()),
        memberships=memberships,
        grants=tuple(_grants(memberships, productions)),
        credentials=tuple(_credentials(seed, accounts)),
    )


def _grants(
    memberships: tuple[Membership, ...], productions: tuple[Production, ...]
) -> Iterator[Grant]:
    """Every project of a member's companies but the withheld ones."""
    for member in memberships:
        for production in productions:
            if production.project.company_id == member.company_id and not production.withheld:
                yield Grant(member.account_id, production.project.id)


def _credentials(seed: int, accounts: dict[str, Account]) -> Iterator[Credential]:
    """Every part of the cast in both schemes."""
    for part in parts():
        for scheme in SCHEMES:
            yield Credential(
                digest=digest(secret(seed, part.name, scheme)),
                scheme=scheme,
                account_id=accounts[part.account].id,
                permissions=" ".join(part.permissions),
                expires_at=part.expires_at,
                revoked=part.revoked,
                rate_requests=part.rate.requests,
                rate_seconds=part.rate.seconds,
            )
