"""`conformance fleet matrix`: the jobs of a CI system for a fleet."""

import argparse

from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.fleet import ci_matrix, fleet_file
from conformance.fleet.ci_matrix import MatrixError
from conformance.fleet.fleet_file import FleetError
from conformance.report.console import output


def run(arguments: argparse.Namespace) -> int:
    """Print the matrix; secrets stay the variables that the profiles name."""
    try:
        targets = fleet_file.load(arguments.file, None).targets
        # Before they are made: the number of shards is anybody's.
        ci_matrix.check(len(targets) * (arguments.shards or 1), arguments.format)
        further = ["--trust"] if arguments.trust else []
        jobs = (
            ci_matrix.divided(targets, arguments.shards, further)
            if arguments.shards
            else ci_matrix.whole(arguments.file, targets, further)
        )
        output.own(ci_matrix.rendered(jobs, arguments.format))
    except (FleetError, MatrixError) as problem:
        raise UsageError(str(problem)) from None
    return CONFORMANT
