"""A target as part of the evidence: the content of the profile, without the secrets."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from conformance.target.connection import Connection, FurtherHeader
from conformance.target.near_misses import near_misses
from conformance.target.profile_schema import PROFILE
from conformance.target.target import (
    USUAL_LAG,
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
from conformance.target.toml_schema import Reader, reference

NEAR_MISSES = len(near_misses("any secret"))
MOST_NEAR_MISSES = 100
"""Those of another suite, each of which is a request."""


def of(target: Target, provisioned: list[str]) -> dict[str, Any]:
    """The snapshot as JSON values, with the name of a variable for each secret.

    `provisioned` are the reviews that the provision command made during the run.
    """
    snapshot = {
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
        "stated": sorted(target.stated),
        "product": dict(target.product.stated),
        "required": list(target.required),
    }
    connection = _connection(target.connection)
    return {**snapshot, "connection": connection} if connection else snapshot


def _connection(stated: Connection) -> dict[str, Any]:
    """What a command needs beside a request; no path, no secret, and no time limit."""
    entries: dict[str, Any] = {
        "client-certificate": stated.client_certificate is not None,
        "client-key": stated.client_key is not None,
        "ca": stated.ca is not None,
        "socket": stated.socket is not None,
        "http2": stated.http2,
        "host": stated.host,
        "headers": {each.name: each.variable[1:] for each in stated.headers},
    }
    return {key: value for key, value in entries.items() if value}


def _reached(snapshot: Mapping[str, Any]) -> Connection:
    """The connection of a snapshot, which is never opened: placeholders stand for its files.

    Raises TypeError or ValueError where it is not what a profile may state: commands quote it.
    """
    files = ("client-certificate", "client-key", "ca", "socket")
    reader = Reader(None, None, {})
    stated = {key: value for key, value in snapshot.items() if key not in files}
    if not all(snapshot.get(key, True) is True for key in files):
        raise TypeError("not a flag")
    variables = {f"${{{name}}}" for name in snapshot.get("headers", {}).values()}
    if not all(map(reference, variables)):
        raise ValueError("not the name of a variable")
    reader.read(PROFILE["connection"], stated)
    if reader.problems:
        raise ValueError("not a connection")
    paths: dict[str, Any] = {
        key.replace("-", "_"): key if key in snapshot else None for key in files
    }
    return Connection(
        **paths,
        headers=tuple(
            FurtherHeader(name, f"\x80{variable}\x80", variable)
            for name, variable in snapshot.get("headers", {}).items()
        ),
        host=snapshot.get("host"),
        http2=snapshot.get("http2", False),
    )


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
            lag=limits.get("lag", USUAL_LAG),
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
        stated=frozenset(snapshot.get("stated", ())),
        product=Product(**snapshot.get("product", {})),
        required=tuple(snapshot.get("required", ())),
        connection=_reached(snapshot.get("connection", {})),
    )


def is_exact(snapshot: Mapping[str, Any]) -> bool:
    """Whether a snapshot is as `of` writes it: no further keys, and as many near misses.

    Some limits are for runs over a network only; a target of a snapshot has none of them.
    """
    stated = snapshot["limits"]
    expected = of(target(snapshot), list(snapshot["fixtures"]["provisioned"]))
    expected["limits"] = {name: stated[name] for name in expected["limits"]}
    return snapshot == expected and all(
        len(scheme["near-misses"]) == NEAR_MISSES
        for schemes in snapshot["credentials"].values()
        for scheme in schemes.values()
    )


def _placeholder(name: str, schemes: Mapping[str, Any]) -> Credential:
    """A credential whose secrets are unlike anything that a response could hold."""

    if any(len(stated["near-misses"]) > MOST_NEAR_MISSES for stated in schemes.values()):
        raise ValueError(f"a credential has more than {MOST_NEAR_MISSES} near misses")

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
