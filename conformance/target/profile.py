"""The target profile: `target.toml`, or the same tables as data, becomes one frozen Target.

All problems of a profile are reported at once.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from conformance.target import connection_files, demands, duration, token, trust
from conformance.target.demands import Demands, Origin
from conformance.target.profile_file import ProfileError, tables_of, text_of
from conformance.target.profile_flaws import (
    check_address,
    check_connection,
    check_credentials,
    check_fixtures,
    check_rate_limit,
    credential_tables,
)
from conformance.target.profile_schema import API, PROFILE, READS
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
    secret_flaw,
)
from conformance.target.token import Token, TokenError
from conformance.target.toml_schema import Place, Problem, Reader, places, reference
from conformance.target.trust import Allow

NO_OTHERS: Mapping[str, Any] = MappingProxyType({})
VARIABLES = {"api-key": "LOCALIZATION_API_KEY", "bearer": "LOCALIZATION_TOKEN"}
"""The environment variables with the secrets of primary, where there is no profile."""
UNKNOWN = "unknown"
"""What stands for a secret that is not read."""

_TOKEN_REMEDY = "it has to print the secret on standard output and end with exit code 0"


def load(
    path: Path,
    *,
    base_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
    credentials: Mapping[str, Any] = NO_OTHERS,
    allow: Allow = trust.named,
) -> Target:
    """The target that a file describes, at `base_url` where one is given.

    `credentials` replace those of the file, by the names of their callers. Runs the commands that
    print secrets, where `allow` lets the file do what it demands. Raises ProfileError with every
    problem of the file, or with all that is not allowed.
    """
    text = text_of(path)
    tables = tables_of(path, text)
    data = with_credentials(tables, credentials)
    sound(Reader(str(path), text, environ), data, base_url)
    # What replaces a part of the file is not the file's.
    own = with_credentials(tables, {name: {} for name in credentials})
    demanded = demands.of(own, Origin(path, text), base_url)
    if not allow(demanded):
        raise ProfileError(tuple(demanded.problems()))
    return parse(data, source=str(path), text=text, base_url=base_url, environ=environ)


def outline(
    path: Path, *, base_url: str | None = None, environ: Mapping[str, str] = os.environ
) -> Target:
    """The same without its secrets, of which only the variables are known: it runs no command."""
    text = text_of(path)
    data = tables_of(path, text)
    secret = (data.get(table) for table in ("credentials", "connection"))
    unset = dict.fromkeys(frozenset().union(*map(variables, secret)), UNKNOWN)
    return _target(Reader(str(path), text, {**environ, **unset}), data, base_url)


def demands_of(
    path: Path, base_url: str | None = None, environ: Mapping[str, str] = os.environ
) -> Demands:
    """What a file demands; runs and sends nothing. Raises ProfileError with its problems."""
    text = text_of(path)
    tables = tables_of(path, text)
    sound(Reader(str(path), text, environ), tables, base_url)
    return demands.of(tables, Origin(path, text), base_url)


def with_credentials(
    tables: Mapping[str, Any], credentials: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The tables of a profile with other credentials, by the names of their callers."""
    if not credentials:
        return tables
    stated = tables.get("credentials", {})
    # What is no table is left as it is, for the reader to report.
    replaced = {**stated, **credentials} if isinstance(stated, Mapping) else stated
    return {**tables, "credentials": replaced}


def parse(
    data: Mapping[str, object],
    *,
    source: str | None = None,
    text: str | None = None,
    base_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Target:
    """The target that a profile's tables describe, as for `load`.

    `source` names the tables in problems, and `text` gives the line numbers.
    """
    reader = Reader(source, text, environ)
    target = _target(reader, data, base_url)
    _run_commands(reader, target)
    connection_files.check(reader, target.connection)
    _raise_problems(reader)
    name = PurePath(source).name if source else None  # a report names no folders
    return replace(target, source=name, stated=places(data, text or "") if source else frozenset())


def _target(reader: Reader, data: Mapping[str, object], base_url: str | None) -> Target:
    profile = sound(reader, data, base_url)
    address = str(base_url or profile["base-url"]).rstrip("/")
    return Target(
        base_url=address,
        credentials=_credentials(profile.get("credentials", {}), data),
        fixtures=_fixtures(profile.get("fixtures", {})),
        limits=_limits(profile.get("limits", {})),
        parameters=_parameters(profile.get("parameters", {})),
        tools_url=profile.get("tools", {}).get("url"),
        description_url=profile.get("description", {}).get("url"),
        consent=Consent(
            **{key.replace("-", "_"): value for key, value in profile.get("consent", {}).items()}
        ),
        required=profile.get("gate", {}).get("require", ()),
        p95=_p95(profile.get("gate", {}).get("p95", {})),
        product=Product(**profile.get("product", {})),
        connection=connection_files.connection(
            profile.get("connection", {}), data.get("connection"), reader.folder
        ),
    )


def sound(
    reader: Reader, data: Mapping[str, object], base_url: str | None = None
) -> dict[str, Any]:
    """The tables of a profile without a problem. Raises ProfileError."""
    profile = examine(reader, data, base_url)
    _raise_problems(reader)
    return profile


def _raise_problems(reader: Reader) -> None:
    if reader.problems:
        in_order = sorted(reader.problems, key=lambda problem: (problem.line or 0, problem.key))
        raise ProfileError(tuple(in_order))


def check(path: Path, *, allow_secrets: bool = False) -> list[Problem]:
    """The secrets that stand in a file, unless they are allowed.

    Needs no environment variable, and runs no command. Raises ProfileError for other problems.
    """
    text = text_of(path)
    data = tables_of(path, text)
    reader = Reader(str(path), text, None)
    tables = sound(reader, data)
    if not allow_secrets:
        for place, secret in _stated_secrets(tables):
            if isinstance(secret, str) and reference(secret) is None:
                remedy = 'write "${NAME}", and set that environment variable'
                reader.report(place, "holds the secret itself", remedy)
    return reader.problems


def _stated_secrets(tables: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Each secret of a profile, as it is written there, and its place."""
    for name, secrets in credential_tables(tables.get("credentials", {})):
        for scheme, secret in secrets.items():
            yield ("credentials", *name, scheme), secret
    for name, secret in tables.get("connection", {}).get("headers", {}).items():
        yield ("connection", "headers", name), secret


def examine(
    reader: Reader, data: Mapping[str, object], base_url: str | None = None
) -> dict[str, Any]:
    """The sound tables of a profile; the reader has the problems. Runs no command."""
    profile: dict[str, Any] = reader.read(PROFILE, data)
    check_address(reader, profile, base_url)
    check_credentials(reader, profile.get("credentials", {}))
    check_connection(reader, profile.get("connection", {}))
    check_rate_limit(reader, profile.get("limits", {}))
    check_fixtures(reader, profile.get("fixtures", {}))
    return profile


def bare(base_url: str, environ: Mapping[str, str] = NO_OTHERS) -> Target:
    """A target without a profile: a base URL, and the secrets of the environment.

    Raises ProfileError for an invalid URL, or an invalid secret.
    """
    return parse(of_environment(environ), base_url=base_url, environ=environ)


def of_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The tables of a profile with the secrets that the environment has for primary."""
    stated = {scheme: f"${{{name}}}" for scheme, name in VARIABLES.items() if environ.get(name)}
    return {"credentials": {"primary": stated}} if stated else {}


def variables(value: object) -> frozenset[str]:
    """The environment variables that the tables of a profile name."""
    if isinstance(value, Mapping):
        return frozenset().union(*map(variables, value.values()))
    if isinstance(value, list | tuple):
        return frozenset().union(*map(variables, value))
    name = reference(value)
    return frozenset() if name is None else frozenset({name})


def _run_commands(reader: Reader, target: Target) -> None:
    """Get the first secret of each command; a command that gives none is a problem."""
    for place, each in _tokens(target):
        try:
            each.value()
        except TokenError as error:
            reader.report((*place, "command"), str(error), _TOKEN_REMEDY)


def _tokens(target: Target) -> Iterator[tuple[Place, Token]]:
    for credential in target.credentials.values():
        for scheme in credential.schemes:
            renewed = credential.token(scheme)
            if renewed is not None:
                yield ("credentials", *_place(credential.name), scheme), renewed
    for header in target.connection.headers:
        if isinstance(header.secret, Token):
            yield ("connection", "headers", header.name), header.secret


def _place(name: str) -> Place:
    """The key of a credential in the profile."""
    table, dot, permission = name.partition(".")
    return (table, permission) if dot else (table,)


def _credentials(
    credentials: Mapping[str, Any], data: Mapping[str, Any]
) -> Mapping[str, Credential]:
    stated = dict(credential_tables(data.get("credentials", {})))
    return frozen(
        {
            ".".join(map(str, name)): Credential(
                name=".".join(map(str, name)),
                api_key=token.secret(secrets.get("api-key"), secret_flaw),
                bearer=token.secret(secrets.get("bearer"), secret_flaw),
                api_key_variable=reference(stated[name].get("api-key")),
                bearer_variable=reference(stated[name].get("bearer")),
            )
            for name, secrets in credential_tables(credentials)
        }
    )


def _fixtures(fixtures: Mapping[str, Any]) -> Fixtures:
    return Fixtures(
        approvable_reviews=fixtures.get("approvable-reviews", ()),
        unapprovable_reviews=fixtures.get("unapprovable-reviews", ()),
        foreign=frozen(fixtures.get("foreign", {})),
        ungranted=frozen(fixtures.get("ungranted", {})),
        provision=fixtures.get("provision", {}).get("approvable-review", ()),
        reset=fixtures.get("reset", ()),
    )


def _limits(limits: Mapping[str, Any]) -> Limits:
    rate, requests = limits.get("rate-limit"), limits.get("requests-per-second")
    return Limits(
        max_body_bytes=limits.get("max-body-bytes"),
        rate_limit=RateLimit(rate["requests"], float(rate["seconds"])) if rate else None,
        requests_per_second=float(requests) if requests else None,
        connections=limits.get("connections"),
        max_time=limits.get("max-time"),
        max_requests=limits.get("max-requests"),
        max_response_bytes=limits.get("max-response-bytes"),
        lag=float(limits.get("lag", USUAL_LAG)),
    )


def _p95(stated: str | Mapping[str, str]) -> Mapping[str, float]:
    """The claim about each operation in seconds; one for all of them is that of each read."""
    claims = dict.fromkeys(READS, stated) if isinstance(stated, str) else stated
    return frozen({operation: duration.seconds(text) for operation, text in claims.items()})


def _parameters(parameters: Mapping[str, Any]) -> Mapping[tuple[str, str], ParameterName]:
    named = {
        (operation, role): name
        for operation, roles in parameters.items()
        for role, name in roles.items()
    }
    # A filter that has another role here does not have its own.
    gone = {(place[0], role) for place, role in API.replaced.items() if named.get(place)}
    defaults = {
        place: None if place in gone else default or None
        for place, default in API.open_names.items()
    }
    declared = {place: ParameterName(name or None, declared=True) for place, name in named.items()}
    return frozen({place: ParameterName(name) for place, name in defaults.items()} | declared)
