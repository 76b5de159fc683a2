"""The target profile: `target.toml`, or the same tables as data, becomes one frozen Target.

All problems of a profile are reported at once.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from conformance.contract import api, requirements
from conformance.contract.identifiers import is_uuid
from conformance.target import json_schema
from conformance.target.target import (
    Consent,
    Credential,
    Fixtures,
    Limits,
    ParameterName,
    Product,
    RateLimit,
    Target,
    base_url_flaw,
    frozen,
    secret_flaw,
    url_flaw,
)
from conformance.target.token import Token, TokenCommand, TokenError
from conformance.target.toml_schema import (
    Array,
    Either,
    Leaf,
    Place,
    Problem,
    Reader,
    Schema,
    dotted,
    reference,
)

__all__ = [
    "PROFILE",
    "Consent", "Credential", "Fixtures", "Limits", "ParameterName", "Problem", "Product",
    "ProfileError", "RateLimit", "Target",
    "bare", "examine", "load", "parse", "tables_of", "text_of", "variables",
]  # fmt: skip

_API = api.load()
_LARGEST = 9007199254740991  # beyond it a float is no longer exact


NO_OTHERS: Mapping[str, Any] = MappingProxyType({})


class ProfileError(ValueError):
    """A profile that no run can start with; str() shows one problem a line."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def _uuid_flaw(value: str) -> str | None:
    return None if is_uuid(value) else "is not a UUID of the specified pattern"


def _number_flaw(value: float) -> str | None:
    if not value > 0:  # NaN as well
        return "is not above zero"
    return None if value <= _LARGEST else "is too large"


def _name_flaw(value: object) -> str | None:
    return "is not a parameter name" if value in ("", True) else None


def _text_flaw(value: str) -> str | None:
    if not value.strip():
        return "is empty"
    return None if value.isprintable() else "has a control character"


def _argument_flaw(value: str) -> str | None:
    return "contains a null character" if "\0" in value else None


def _required_flaw(value: str) -> str | None:
    known = value in requirements.CLASSES or value in requirements.load()
    return None if known else "is neither a conformance class nor a requirement"


_HTTP = {"pattern": json_schema.or_reference("https?://")}
_BASE_URL = Leaf(
    (str,),
    "write http:// or https://, the host and the path up to the version segment",
    base_url_flaw,
    _HTTP,
)
_URL = Leaf((str,), "write an absolute http:// or https:// URL", url_flaw, _HTTP)
_SECRET = Leaf(
    (str,), 'write the secret, or "${NAME}" for an environment variable that holds it', secret_flaw
)
_ID = Leaf(
    (str,),
    "write the id of a record in quotes",
    _uuid_flaw,
    {"pattern": json_schema.or_reference("[0-9a-fA-F-]{36}$")},
)
_COUNT = Leaf((int,), "write an integer ≥ 1", _number_flaw, {"minimum": 1})
_NUMBER = Leaf((int, float), "write a number above zero", _number_flaw, {"exclusiveMinimum": 0})
_NAME = Leaf(
    (str, bool),
    "write the parameter's name in quotes, or false where the list has none",
    _name_flaw,
)
_ARGUMENT = Leaf(
    (str,), "write the command and its arguments as an array of strings", _argument_flaw
)
_FLAG = Leaf((bool,), "write true or false")
_REQUIRED = Leaf(
    (str,),
    "write a conformance class or the id of a requirement",
    _required_flaw,
    {"enum": [*requirements.CLASSES, *requirements.load()]},
)
_TEXT = Leaf((str,), "write a line of text in quotes", _text_flaw)

_TOKEN_EXAMPLE = 'write { command = ["./token", "--staging"], lifetime = 300 }'
_TOKEN_REMEDY = "it has to print the secret on standard output and end with exit code 0"
_TOKEN: dict[str, Schema] = {"command": Array(_ARGUMENT), "lifetime": _NUMBER}
_CREDENTIAL: Schema = dict.fromkeys(_API.schemes, Either(_SECRET, _TOKEN))
_RATE_LIMIT: dict[str, Schema] = {"requests": _COUNT, "seconds": _NUMBER}
PROFILE: Mapping[str, Schema] = {
    "base-url": _BASE_URL,
    "credentials": {
        **dict.fromkeys(
            (
                "primary",
                "expired",
                "revoked",
                "outsider",
                "no-review-role",
                "colleague",
                "throttled",
            ),
            _CREDENTIAL,
        ),
        "lacking": dict.fromkeys(_API.permissions, _CREDENTIAL),
    },
    "fixtures": {
        "approvable-reviews": Array(_ID),
        "unapprovable-reviews": Array(_ID),
        "foreign": dict.fromkeys(("company", "project", "video", "review"), _ID),
        "ungranted": dict.fromkeys(("project", "video", "review"), _ID),
        "provision": {"approvable-review": Array(_ARGUMENT)},
    },
    "limits": {
        "max-body-bytes": _COUNT,
        "rate-limit": _RATE_LIMIT,
        "requests-per-second": _NUMBER,
        "connections": _COUNT,
        "max-time": _NUMBER,
        "max-requests": _COUNT,
        "max-response-bytes": _COUNT,
    },
    "parameters": {
        operation: {role: _NAME for listed, role in _API.open_names if listed == operation}
        for operation, _ in _API.open_names
    },
    "gate": {"require": Array(_REQUIRED)},
    "product": dict.fromkeys(("vendor", "name", "version"), _TEXT),
    "tools": {"url": _URL},
    "description": {"url": _URL},
    "consent": {flag.name.replace("_", "-"): _FLAG for flag in fields(Consent)},
}


def schema() -> dict[str, Any]:
    """The JSON Schema of a profile, for editors; made of what reads it."""
    return json_schema.document(PROFILE, "target", "A target profile")


def load(
    path: Path,
    *,
    base_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
    credentials: Mapping[str, Any] = NO_OTHERS,
) -> Target:
    """The target that a file describes, at `base_url` where one is given.

    `credentials` replace those of the file, by the names of their callers. Runs the commands that
    print secrets. Raises ProfileError with every problem of the file.
    """
    text = text_of(path)
    data = with_credentials(tables_of(path, text), credentials)
    return parse(data, source=str(path), text=text, base_url=base_url, environ=environ)


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
    profile = examine(reader, data, base_url)
    address = str(base_url or profile.get("base-url", "")).rstrip("/")
    _raise_problems(reader)
    credentials = _credentials(profile.get("credentials", {}), data)
    _run_commands(reader, credentials)
    _raise_problems(reader)
    return Target(
        base_url=address,
        credentials=credentials,
        fixtures=_fixtures(profile.get("fixtures", {})),
        limits=_limits(profile.get("limits", {})),
        parameters=_parameters(profile.get("parameters", {})),
        tools_url=profile.get("tools", {}).get("url"),
        description_url=profile.get("description", {}).get("url"),
        consent=Consent(
            **{key.replace("-", "_"): value for key, value in profile.get("consent", {}).items()}
        ),
        required=profile.get("gate", {}).get("require", ()),
        source=PurePath(source).name if source else None,  # a report names no folders
        product=Product(**profile.get("product", {})),
    )


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
    tables = examine(reader, data)
    _raise_problems(reader)
    if not allow_secrets:
        for name, secrets in _credential_tables(tables.get("credentials", {})):
            for scheme, secret in secrets.items():
                if isinstance(secret, str) and reference(secret) is None:
                    remedy = 'write "${NAME}", and set that environment variable'
                    place = ("credentials", *name, scheme)
                    reader.report(place, "holds the secret itself", remedy)
    return reader.problems


def examine(
    reader: Reader, data: Mapping[str, object], base_url: str | None = None
) -> dict[str, Any]:
    """The sound tables of a profile; the reader has the problems. Runs no command."""
    profile: dict[str, Any] = reader.read(PROFILE, data)
    _check_address(reader, profile, base_url)
    _check_credentials(reader, profile.get("credentials", {}))
    _check_rate_limit(reader, profile.get("limits", {}))
    _check_fixtures(reader, profile.get("fixtures", {}))
    return profile


def bare(base_url: str) -> Target:
    """A target of which only the base URL is known. Raises ProfileError for an invalid URL."""
    return parse({}, base_url=base_url, environ={})


def variables(value: object) -> frozenset[str]:
    """The environment variables that the tables of a profile name."""
    if isinstance(value, Mapping):
        return frozenset().union(*map(variables, value.values()))
    if isinstance(value, list | tuple):
        return frozenset().union(*map(variables, value))
    name = reference(value)
    return frozenset() if name is None else frozenset({name})


def text_of(path: Path) -> str:
    """The text of a profile. Raises ProfileError."""
    try:
        return path.read_text(
            encoding="utf-8-sig"
        )  # editors on Windows put a byte order mark there
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", "give the path of a profile"
        ) from None
    except UnicodeDecodeError:
        raise _unreadable(path, "is not UTF-8 text", "save it as UTF-8") from None


def tables_of(path: Path, text: str) -> dict[str, Any]:
    """The tables of a profile, as TOML has them. Raises ProfileError."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(
            path, f"invalid TOML: {error}", "correct the file", _position(error, text)
        ) from None


def _unreadable(path: Path, what: str, remedy: str, line: int | None = None) -> ProfileError:
    return ProfileError((Problem(str(path), line, "", what, remedy),))


def _position(error: Exception, text: str) -> int | None:
    match = re.search(r"\(at (?:line (\d+)|end of document)", str(error))
    return int(match[1] or len(text.splitlines())) if match else None


def _check_address(reader: Reader, profile: Mapping[str, Any], base_url: str | None) -> None:
    flaw = base_url_flaw(base_url) if base_url else None
    if flaw:
        reader.problems.append(Problem(None, None, "--base-url", flaw, _BASE_URL.remedy))
    if not base_url and "base-url" not in profile and reader.sound(("base-url",)):
        reader.report(
            ("base-url",),
            "is missing",
            'write base-url = "https://…/v1" above the first table, or use --base-url URL',
        )


def _credential_tables(credentials: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    for name, table in credentials.items():
        if name == "lacking":
            yield from (((name, permission), secrets) for permission, secrets in table.items())
        else:
            yield (name,), table


def _check_credentials(reader: Reader, credentials: Mapping[str, Any]) -> None:
    for name, secrets in _credential_tables(credentials):
        place = ("credentials", *name)
        if not secrets and reader.sound(place):
            reader.report(place, "has no secret", "add an api-key, a bearer, or both")
        for scheme, secret in secrets.items():
            if isinstance(secret, Mapping):
                _check_command(reader, (*place, scheme), secret)


def _check_command(reader: Reader, place: Place, table: Mapping[str, Any]) -> None:
    command = table.get("command")
    if command is None and reader.sound(place):
        reader.report(place, "has no command", _TOKEN_EXAMPLE)
    elif command is not None and (not command or command[0] == ""):
        reader.report((*place, "command"), "names no program", _TOKEN_EXAMPLE)


def _run_commands(reader: Reader, credentials: Mapping[str, Credential]) -> None:
    """Get the first secret of each command; a command that gives none is a problem."""
    for credential in credentials.values():
        for scheme in credential.schemes:
            token = credential.token(scheme)
            if token is None:
                continue
            try:
                token.value()
            except TokenError as error:
                place = ("credentials", *_place(credential.name), scheme, "command")
                reader.report(place, str(error), _TOKEN_REMEDY)


def _place(name: str) -> Place:
    """The key of a credential in the profile."""
    table, dot, permission = name.partition(".")
    return (table, permission) if dot else (table,)


def _check_rate_limit(reader: Reader, limits: Mapping[str, Any]) -> None:
    place = ("limits", "rate-limit")
    missing = _RATE_LIMIT.keys() - limits.get("rate-limit", _RATE_LIMIT).keys()
    if missing and reader.sound(place):
        reader.report(
            place,
            f"has no {' and no '.join(sorted(missing))}",
            "write { requests = 100, seconds = 60 }",
        )


def _check_fixtures(reader: Reader, fixtures: Mapping[str, Any]) -> None:
    seen: dict[str, Place] = {}
    for key in ("approvable-reviews", "unapprovable-reviews"):
        for index, review in enumerate(fixtures.get(key, ())):
            place: Place = ("fixtures", key, index)
            first = seen.setdefault(review.lower(), place) if review else place
            if first != place:
                reader.report(
                    place,
                    f"repeats {dotted(first)}",
                    "list each review once, in one of the two lists",
                )
    command = fixtures.get("provision", {}).get("approvable-review", ("…",))
    if not command or command[0] == "":
        reader.report(
            ("fixtures", "provision", "approvable-review"), "names no program", _ARGUMENT.remedy
        )


def _credentials(
    credentials: Mapping[str, Any], data: Mapping[str, Any]
) -> Mapping[str, Credential]:
    stated = dict(_credential_tables(data.get("credentials", {})))
    return frozen(
        {
            ".".join(map(str, name)): Credential(
                name=".".join(map(str, name)),
                api_key=_secret(secrets.get("api-key")),
                bearer=_secret(secrets.get("bearer")),
                api_key_variable=reference(stated[name].get("api-key")),
                bearer_variable=reference(stated[name].get("bearer")),
            )
            for name, secrets in _credential_tables(credentials)
        }
    )


def _secret(stated: str | Mapping[str, Any] | None) -> str | Token | None:
    if not isinstance(stated, Mapping):
        return stated
    return Token(TokenCommand(stated["command"], secret_flaw), stated.get("lifetime"))


def _fixtures(fixtures: Mapping[str, Any]) -> Fixtures:
    return Fixtures(
        approvable_reviews=fixtures.get("approvable-reviews", ()),
        unapprovable_reviews=fixtures.get("unapprovable-reviews", ()),
        foreign=frozen(fixtures.get("foreign", {})),
        ungranted=frozen(fixtures.get("ungranted", {})),
        provision=fixtures.get("provision", {}).get("approvable-review", ()),
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
    )


def _parameters(parameters: Mapping[str, Any]) -> Mapping[tuple[str, str], ParameterName]:
    named = {
        (operation, role): name
        for operation, roles in parameters.items()
        for role, name in roles.items()
    }
    # A filter that has another role here does not have its own.
    gone = {(place[0], role) for place, role in _API.replaced.items() if named.get(place)}
    defaults = {
        place: None if place in gone else default or None
        for place, default in _API.open_names.items()
    }
    declared = {place: ParameterName(name or None, declared=True) for place, name in named.items()}
    return frozen({place: ParameterName(name) for place, name in defaults.items()} | declared)
