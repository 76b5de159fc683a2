"""What `conformance serve` prints: the addresses, a key for each kind of caller, and requests."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.reference import Reference
from conformance.reference.target import Table
from conformance.report.console.line import Copied

LACKING = "lacking"
REVISION = "SELECT subject_revision FROM reviews WHERE id = :review"


def callers(profile: Table) -> dict[str, dict[str, str]]:
    """The credentials of a profile by the name of the caller."""
    found: dict[str, dict[str, str]] = {}
    for name, value in profile["credentials"].items():
        nested = {f"{LACKING} {permission}": each for permission, each in value.items()}
        found |= nested if name == LACKING else {name: value}
    return found


def lines(reference: Reference, profile: Table) -> Iterator[str]:
    """The greeting, whose first line is the base URL."""
    base_url, keys = profile["base-url"], callers(profile)
    yield base_url
    yield ""
    yield f"  docs   {base_url.removesuffix('/v1')}/docs"
    yield f"  tools  {profile['tools']['url']}"
    yield ""
    yield "Keys of this sandbox, as x-api-key (--target-out FILE has the bearer tokens too):"
    width = max(map(len, keys))
    yield from (f"  {name:{width}}  {each['api-key']}" for name, each in keys.items())
    yield ""
    yield "To start:"
    commands = _commands(reference, profile, keys["primary"])
    yield from (Copied(f"  {command}") for command in commands)
    yield ""


def _commands(
    reference: Reference, profile: Mapping[str, Any], primary: Mapping[str, str]
) -> Iterator[str]:
    base_url, key = profile["base-url"], f"-H 'x-api-key: {primary['api-key']}'"
    yield f"curl -s {base_url}/account {key}"
    yield f"curl -s '{base_url}/projects?limit=2' -H 'authorization: Bearer {primary['bearer']}'"
    for review in profile["fixtures"]["approvable-reviews"][:1]:
        (row,) = reference.store.rows(REVISION, {"review": review})
        body = (
            f'{{"expectedSubjectRevision": {row["subject_revision"]}, "idempotencyKey": "first"}}'
        )
        json_type = "-H 'content-type: application/json'"
        yield f"curl -s {base_url}/reviews/{review}/approve {key} {json_type} -d '{body}'"
