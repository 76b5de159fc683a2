"""The profile that a command uses: the one of its options, or `target.toml` of the folder."""

import argparse
import sys
from pathlib import Path

from conformance.commands.outcome import UsageError
from conformance.target.profile_schema import BASE_URL

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
    sys.stderr.write(f"Using {HERE} of this folder (--reference checks the bundled reference)\n")
    return HERE
