"""`conformance init`: a target profile, with what the target shows of itself."""

import argparse
import os
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from conformance.commands.discovery import connected, profile_text
from conformance.commands.discovery.connected import Connected
from conformance.commands.discovery.discovered import Discovered
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.quantity import per_second, quantity
from conformance.http import secrecy
from conformance.http.budget import OWN_REQUESTS, OWN_SECONDS
from conformance.report import prospect
from conformance.report.console import output
from conformance.report.console.line import Copied
from conformance.report.prospect import Prospect
from conformance.report.text import word
from conformance.storage import fresh_file, toml_text
from conformance.target import profile, trust
from conformance.target.profile import VARIABLES
from conformance.target.profile_file import ProfileError
from conformance.target.target import Target, base_url_flaw

EXAMPLE = "https://api.example.com/v1"


def run(arguments: argparse.Namespace) -> int:
    """Write a profile. Raises UsageError for an existing file or an unusable target."""
    path: Path = arguments.file
    _require_free(path)
    text, lines = template(arguments.base_url), list[str]()
    connection = _connection(arguments)
    if connection is not None:
        text = connected.filled(text, connection)
    if arguments.base_url and not arguments.template:
        text, lines = _discovered(_target(arguments, connection), text)
    _require_free(path)  # looking at a target takes up to a minute
    try:
        # A target may name a parameter like a secret.
        fresh_file.write(path, secrecy.redacted(text).encode())
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}") from None
    if connection is None or not arguments.template:
        _remember(path)  # of a connection that sends nothing yet, nobody has been asked
    output.lines(lines)
    option = "" if path == Path("target.toml") else f" --target {word(path)}"
    verb = "Next" if lines else "Fill it in, then run"
    output.lines([Copied(f"Wrote {path}. {verb}: conformance run{option}")])
    return CONFORMANT


def _require_free(path: Path) -> None:
    if path.exists():
        raise UsageError(f"{path} exists and is not overwritten; name another file")


def _connection(arguments: argparse.Namespace) -> Connected | None:
    """What the option names. Raises UsageError."""
    path: Path | None = arguments.connection
    if path is None:
        return None
    if not arguments.base_url:
        raise UsageError("--connection says how a deployment is reached: name it with --base-url")
    if path.absolute().parent != arguments.file.absolute().parent:
        raise UsageError(f"{arguments.file}: write it beside {path}, where its paths begin")
    try:
        return connected.read(path, arguments.base_url)
    except ProfileError as problem:
        raise UsageError(str(problem)) from None


def _target(arguments: argparse.Namespace, connection: Connected | None) -> Target:
    """The deployment that is read. Raises UsageError."""
    base_url, environ = arguments.base_url, os.environ
    try:
        if connection is None:
            return profile.bare(base_url, environ)
        return connected.target(base_url, connection, environ, is_trusted=arguments.trust)
    except ProfileError as problem:
        raise UsageError(str(problem)) from None


def _remember(path: Path) -> None:
    """The user has just named the address: nobody has to be asked about this file as it is."""
    environ = {VARIABLES["api-key"]: "placeholder", **os.environ}
    trust.remember(profile.demands_of(path, environ=environ))


def _discovered(target: Target, text: str) -> tuple[str, list[str]]:
    """The filled template, and what to say about it."""
    # Only a search needs a client, and the checks.
    from conformance.commands.discovery import search  # noqa: PLC0415

    found = search.discover(target, os.environ)
    plain = profile_text.filled(text, found, Prospect(0, 0, 0, ()))
    # A variable that is not set has a placeholder: only which keys there are counts here.
    environ = {VARIABLES["api-key"]: "placeholder", **os.environ}
    tables = {**tomllib.loads(plain), connected.TABLE: {}}  # its paths begin at another folder
    expected = prospect.of(profile.parse(tables, environ=environ))
    lines = [*_found(found), *_prospect(expected)]
    return profile_text.filled(text, found, expected), lines


def _found(found: Discovered) -> Iterator[str]:
    yield f"Read {found.base_url} with {quantity(found.requests, 'request')}:"
    schemes = ", ".join(f"{scheme} in {name}" for scheme, name in found.schemes.items())
    yield f"  accepted     {schemes or 'nothing: set LOCALIZATION_API_KEY or LOCALIZATION_TOKEN'}"
    yield f"  description  {found.description or 'not at the usual places'}"
    tools = f"{found.tools} ({found.tool_count} of the tools)" if found.tools else None
    yield f"  tools        {tools or 'not at the usual places'}"
    names = (f"{of}.{role} = {name}" for (of, role), name in (found.parameters or {}).items())
    yield f"  parameters   {', '.join(names) or 'none confirmed'}"
    allows = per_second(found.rate) if found.rate else "no limit was met"
    yield f"  rate         {allows}"
    reviews = f"{len(found.approvable)} approvable, {len(found.unapprovable)} not"
    yield f"  reviews      {reviews}, as comments in the file"
    companies = quantity(len(found.companies), "company", "companies")
    yield f"  grant        {companies}, {quantity(found.projects, 'project')} on the first page"
    if not found.is_complete:
        budget = f"{OWN_REQUESTS} requests or {OWN_SECONDS:.0f} s"
        yield f"  ended        after {budget}: there may be more"


def _prospect(expected: Prospect) -> Iterator[str]:
    part = f", {expected.part} in part" if expected.part else ""
    yield f"A run can check {expected.whole} of {expected.requirements} requirements{part}."
    yield profile_text.MISSING
    yield from (f"  {line}" for line in profile_text.missing(expected))


def template(base_url: str | None = None) -> str:
    """The text of a profile with every key explained. Raises UsageError."""
    text = (
        resources.files("conformance.commands").joinpath("target.toml").read_text(encoding="utf-8")
    )
    if base_url is None:
        return text
    if flaw := base_url_flaw(base_url):
        raise UsageError(
            f"--base-url {flaw}; "
            "write http:// or https://, the host and the path up to the version segment"
        )
    return text.replace(f'base-url = "{EXAMPLE}"', f"base-url = {toml_text.quoted(base_url)}", 1)
