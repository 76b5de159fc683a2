"""A target as part of the evidence: the content of the profile, without the secrets."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from conformance.target.target import (
    Consent,
    Credential,
    Fixtures,
    Limits,
    ParameterName,
    Product,
    RateLimit,
    Target,
    frozen,
)
from conformance.target.token import Token


def of(target: Target, provisioned: list[str]) -> dict[str, Any]:
    """The snapshot as JSON values, with the name of a variable for each secret.

    `provisioned` are the reviews that the provision command made during the run.
    """
    return {
        "base-url": target.base_url,
        "credentials": {
            name: _credential(credential) for name, credential in target.credentials.items()
        },
        "fixtures": {
            "approvable-reviews": list(target.fixtures.approvable_reviews),
            "unapprovable-reviews": list(target.fixtures.unapprovable_reviews),
            "foreign": dict(target.fixtures.foreign),
            "ungranted": dict(target.fixtures.ungranted),
            "provisioned": provisioned,
        },
        "limits": asdict(target.limits),
        "parameters": [
            [*place, name.name, name.declared] for place, name in target.parameters.items()
        ],
        "tools": target.tools_url,
        "description": target.description_url,
        "consent": asdict(target.consent),
        "profile": target.source,
        "product": dict(target.product.stated),
        "required": list(target.required),
    }


def _credential(credential: Credential) -> dict[str, Any]:
    return {
        scheme: {
            "variable": credential.variable(scheme)[1:],
            "near-misses": [value is not None for value in credential.near_misses(scheme)],
            "command": credential.token(scheme) is not None,
        }
        for scheme in credential.schemes
    }


def target(snapshot: Mapping[str, Any]) -> Target:
    """The target of a snapshot, with placeholders for its secrets.

    Raises KeyError, TypeError or ValueError for a malformed snapshot.
    """
    fixtures, limits = snapshot["fixtures"], snapshot["limits"]
    rate = limits["rate_limit"]
    return Target(
        base_url=snapshot["base-url"],
        credentials=frozen(
            {name: _placeholder(name, schemes) for name, schemes in snapshot["credentials"].items()}
        ),
        fixtures=Fixtures(
            tuple(fixtures["approvable-reviews"]),
            tuple(fixtures["unapprovable-reviews"]),
            frozen(fixtures["foreign"]),
            frozen(fixtures["ungranted"]),
        ),
        limits=Limits(
            limits["max_body_bytes"],
            RateLimit(**rate) if rate else None,
            connections=limits.get("connections"),
            max_response_bytes=limits.get("max_response_bytes"),
        ),
        parameters=frozen(
            {
                (operation, role): ParameterName(name, said)
                for operation, role, name, said in snapshot["parameters"]
            }
        ),
        tools_url=snapshot["tools"],
        description_url=snapshot["description"],
        consent=Consent(**snapshot["consent"]),
        source=snapshot["profile"],
        product=Product(**snapshot.get("product", {})),
        required=tuple(snapshot.get("required", ())),
    )


def _placeholder(name: str, schemes: Mapping[str, Any]) -> Credential:
    """A credential whose secrets are unlike anything that a response could hold."""

    def secret(scheme: str) -> str | Token | None:
        stated = schemes.get(scheme)
        if stated is None:
            return None
        text = f"\x80{stated['variable']}\x80"
        return Token(lambda: text) if stated.get("command") else text

    def variable(scheme: str) -> str | None:
        return schemes[scheme]["variable"] if scheme in schemes else None

    return Credential(
        name,
        secret("api-key"),
        secret("bearer"),
        variable("api-key"),
        variable("bearer"),
        {scheme: tuple(stated["near-misses"]) for scheme, stated in schemes.items()},
    )
