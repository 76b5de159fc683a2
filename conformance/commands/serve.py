"""`conformance serve`: the reference implementation behind a socket, until it is stopped."""

import argparse
import sqlite3

from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.reference import serve


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; UsageError for an unusable address, database or profile."""
    try:
        serve.serve(
            arguments.port, arguments.host, arguments.database, arguments.seed, arguments.target_out
        )
    except OSError as problem:
        raise UsageError(
            f"cannot serve on {arguments.host} port {arguments.port}: {problem.strerror or problem}"
        ) from None
    except (ValueError, sqlite3.Error) as problem:
        raise UsageError(f"--database {arguments.database}: {problem}") from None
    return CONFORMANT
