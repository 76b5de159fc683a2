"""`conformance fleet prune`: deletes the files of old runs, and keeps their verdicts."""

import argparse
import time

from conformance.commands.fleet.memory import writer
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.quantity import quantity
from conformance.fleet.memory import retention
from conformance.report.console import output

DAY = 86_400.0


def run(arguments: argparse.Namespace) -> int:
    """Delete them, and print how many there were."""
    with writer(arguments.db) as connection:
        pruned = retention.prune(connection, time.time() - arguments.keep * DAY)
    runs = quantity(pruned.runs, "run")
    output.lines([f"deleted the files of {runs}: {pruned.size:,} bytes; verdicts are kept"])
    return CONFORMANT
