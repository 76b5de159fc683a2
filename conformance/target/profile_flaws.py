"""What is wrong with the tables of a profile beyond the type of each value."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.target.profile_file import LISTS
from conformance.target.profile_schema import ARGUMENT, BASE_URL, RATE_LIMIT, TOKEN_EXAMPLE
from conformance.target.target import base_url_flaw
from conformance.target.toml_schema import Place, Problem, Reader, dotted


def check_address(reader: Reader, profile: Mapping[str, Any], base_url: str | None) -> None:
    """Report a base URL that is missing, or the flaw of --base-url."""
    flaw = base_url_flaw(base_url) if base_url else None
    if flaw:
        reader.problems.append(Problem(None, None, "--base-url", flaw, BASE_URL.remedy))
    if not base_url and "base-url" not in profile and reader.is_sound(("base-url",)):
        reader.report(
            ("base-url",),
            "is missing",
            'write base-url = "https://…/v1" above the first table, or use --base-url URL',
        )


def credential_tables(credentials: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """The table of each credential, with its place; `lacking` has one for each permission."""
    for name, table in credentials.items():
        if name == "lacking":
            yield from (((name, permission), secrets) for permission, secrets in table.items())
        else:
            yield (name,), table


def check_credentials(reader: Reader, credentials: Mapping[str, Any]) -> None:
    """Report credentials without a secret, and commands without a program."""
    for name, secrets in credential_tables(credentials):
        place = ("credentials", *name)
        if not secrets and reader.is_sound(place):
            reader.report(place, "has no secret", "add an api-key, a bearer, or both")
        for scheme, secret in secrets.items():
            if isinstance(secret, Mapping):
                _check_command(reader, (*place, scheme), secret)


def _check_command(reader: Reader, place: Place, table: Mapping[str, Any]) -> None:
    command = table.get("command")
    if command is None and reader.is_sound(place):
        reader.report(place, "has no command", TOKEN_EXAMPLE)
    elif command is not None and (not command or command[0] == ""):
        reader.report((*place, "command"), "names no program", TOKEN_EXAMPLE)


def check_connection(reader: Reader, connection: Mapping[str, Any]) -> None:
    """Report a key without its certificate, headers without a program, and one named twice."""
    if "client-key" in connection and "client-certificate" not in connection:
        place: Place = ("connection", "client-key")
        reader.report(place, "has no certificate", "write connection.client-certificate as well")
    seen: set[str] = set()
    for name, secret in connection.get("headers", {}).items():
        place = ("connection", "headers", name)
        if name.lower() in seen:
            reader.report(place, "names a header twice", "headers have no upper and lower case")
        seen.add(name.lower())
        if isinstance(secret, Mapping):
            _check_command(reader, place, secret)


def check_rate_limit(reader: Reader, limits: Mapping[str, Any]) -> None:
    """Report a rate limit without its number of requests or of seconds."""
    place = ("limits", "rate-limit")
    missing = RATE_LIMIT.keys() - limits.get("rate-limit", RATE_LIMIT).keys()
    if missing and reader.is_sound(place):
        reader.report(
            place,
            f"has no {' and no '.join(sorted(missing))}",
            "write { requests = 100, seconds = 60 }",
        )


def _check_listed(reader: Reader, place: Place) -> None:
    """Report a table that is still there: the file of a profile has ids in its place."""
    if reader.is_sound(place):
        reader.report(
            place, "names a file, but stands in no file of its own", "write the ids in brackets"
        )


def check_fixtures(reader: Reader, fixtures: Mapping[str, Any]) -> None:
    """Report reviews that are listed twice, and commands without a program."""
    seen: dict[str, Place] = {}
    for key in LISTS:
        if isinstance(fixtures.get(key), Mapping):
            _check_listed(reader, ("fixtures", key))
            continue
        for index, review in enumerate(fixtures.get(key, ())):
            place: Place = ("fixtures", key, index)
            first = seen.setdefault(review.lower(), place) if review else place
            if first != place:
                reader.report(
                    place,
                    f"repeats {dotted(first)}",
                    "list each review once, in one of the two lists",
                )
    commands: dict[Place, Any] = {
        ("fixtures", "provision", "approvable-review"): fixtures.get("provision", {}).get(
            "approvable-review"
        ),
        ("fixtures", "reset"): fixtures.get("reset"),
    }
    for where, command in commands.items():
        if command is not None and (not command or command[0] == ""):
            reader.report(where, "names no program", ARGUMENT.remedy)
