"""`conformance fleet report`: writes the site of a fleet."""

import argparse
from pathlib import Path

from conformance.commands.fleet.memory import reader
from conformance.commands.options import usual
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.fleet.site import build
from conformance.report.console import output
from conformance.storage import folder


def run(arguments: argparse.Namespace) -> int:
    """Write the pages, their data and the badges."""
    out: Path = arguments.out
    try:
        folder.check_unnamed(out, usual.SITE)
        with reader(arguments.db) as connection:
            build.build(connection, out)
    except OSError as problem:
        raise UsageError(f"--out {problem.filename}: {problem.strerror}") from None
    output.lines([f"site  {out / 'index.html'}"])
    return CONFORMANT
