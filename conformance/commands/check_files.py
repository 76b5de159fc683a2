"""`conformance check-files`: profiles and known failures checked without a request."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report import known_failures
from conformance.report.console import output
from conformance.report.known_failures import KnownError
from conformance.storage import toml_text
from conformance.target import profile
from conformance.target.profile_file import ProfileError


def run(arguments: argparse.Namespace) -> int:
    """Check each file; environment variables need not be set, and no command is run."""
    problems = [
        problem
        for file in arguments.files
        for problem in _problems(file, allow_secrets=arguments.allow_secrets)
    ]
    output.lines(problems, sys.stderr)
    return NON_CONFORMANT if problems else CONFORMANT


def _problems(file: Path, *, allow_secrets: bool) -> Iterator[str]:
    if _has_known_failures(file):
        try:
            known_failures.listed(file)
        except KnownError as problem:
            yield str(problem)
        return
    try:
        yield from map(str, profile.check(file, allow_secrets=allow_secrets))
    except ProfileError as error:
        yield from map(str, error.problems)


def _has_known_failures(file: Path) -> bool:
    """Whether a file has known failures or gaps; an unreadable one is reported as a profile."""
    if file.name.startswith("known"):
        return True
    try:
        tables = toml_text.parse(toml_text.read(file, follow=True))
        return not known_failures.TABLES.keys().isdisjoint(tables)
    except (OSError, ValueError):
        return False
