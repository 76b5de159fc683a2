"""The profile that a command uses: the one of its options, or `target.toml` of the folder."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from conformance.commands import trusted
from conformance.commands.connection import network
from conformance.commands.outcome import UsageError
from conformance.http.transport import Transport
from conformance.report.console import output
from conformance.runner import examination
from conformance.target import profile
from conformance.target.profile import UNKNOWN, VARIABLES
from conformance.target.profile_file import ProfileError
from conformance.target.profile_schema import BASE_URL
from conformance.target.target import Target

HERE = Path("target.toml")


def chosen(arguments: argparse.Namespace) -> Path | None:
    """The profile to use; one of the folder is announced in a line on standard error.

    With --base-url alone it is not read: its secrets may belong to another host. Raises UsageError
    where the options name two targets, or an empty base URL: neither must check the reference.
    """
    stated: Path | None = arguments.target
    if arguments.base_url == "":  # such as an unset variable of a CI system
        raise UsageError(f"--base-url is empty; {BASE_URL.remedy}")
    if arguments.reference and (stated is not None or arguments.base_url):
        other = "--base-url" if stated is None else "--target"
        raise UsageError(f"--reference and {other} name two targets; leave one of them out")
    if stated is not None or arguments.base_url or arguments.reference or not HERE.is_file():
        return stated
    said = f"Using {HERE} of this folder (--reference checks the bundled reference)"
    output.lines([said], sys.stderr)
    return HERE


def subject(arguments: argparse.Namespace) -> tuple[Target, Transport]:
    """The target of the options, and what reaches it.

    Raises UsageError, also where the user does not allow what a profile demands.
    """

    def load(path: Path, base_url: str | None) -> Target:
        allow = trusted.profile(path, arguments)
        return profile.load(path, base_url=base_url, allow=allow)

    target = _stated(arguments, load, os.environ)
    return (target, network(target)) if target is not None else _reference()


def outline(arguments: argparse.Namespace) -> Target:
    """The target of the options without its secrets, of which only the variables are known.

    Runs no command. Raises UsageError.
    """
    target = _stated(arguments, profile.outline, dict.fromkeys(VARIABLES.values(), UNKNOWN))
    return target if target is not None else _reference()[0]


def _stated(
    arguments: argparse.Namespace, read: Callable[..., Target], secrets: Mapping[str, str]
) -> Target | None:
    """The target of a profile or of --base-url; None for the bundled reference.

    `read` reads a profile; without one, the secrets of primary are among `secrets`.
    """
    path = chosen(arguments)
    try:
        if path is not None:
            return read(path, base_url=arguments.base_url)
        if arguments.base_url:
            return profile.bare(arguments.base_url, secrets)
    except ProfileError as problem:
        raise UsageError(str(problem)) from None
    if not arguments.reference:
        remedy = "use --target FILE, --base-url URL or --reference"
        raise UsageError(f"there is no target.toml here; {remedy}")
    return None


def _reference() -> tuple[Target, Transport]:
    from conformance import reference  # noqa: PLC0415 - no other target needs it

    made = examination.in_process(reference)
    return made.target, made.transport
