"""The profile that a command uses: the one of its options, or `target.toml` of the folder."""

import argparse
import sys
from pathlib import Path

HERE = Path("target.toml")


def chosen(arguments: argparse.Namespace) -> Path | None:
    """The profile to use; one of the folder is announced in a line on standard error.

    With --base-url alone it is not read: its secrets may belong to another host.
    """
    stated: Path | None = arguments.target
    if stated is not None or arguments.base_url or arguments.reference or not HERE.is_file():
        return stated
    sys.stderr.write(f"Using {HERE} of this folder (--reference checks the bundled reference)\n")
    return HERE
