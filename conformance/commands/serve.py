"""`conformance serve`: the reference implementation behind a socket, until it is stopped."""

import argparse
import sqlite3
import sys

from starlette.types import ASGIApp

from conformance.commands.outcome import UsageError
from conformance.commands.sandbox.latency import Delayed
from conformance.contract.exit_codes import CONFORMANT
from conformance.reference import Reference, serve, target


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; UsageError for an unusable address, database or profile.

    The first printed line is the base URL, once the server accepts requests.
    """
    reference = _reference(arguments)
    try:
        listener = serve.listen(arguments.host, arguments.port)
        base_url = serve.address(listener)
        if arguments.target_out is not None:
            serve.write_private(arguments.target_out, target.toml(reference.profile(base_url)))
    except OSError as problem:
        raise UsageError(
            f"cannot serve on {arguments.host} port {arguments.port}: {problem.strerror or problem}"
        ) from None
    server = serve.server(_app(reference, arguments), lambda: _announce(base_url))
    serve.serve(server, listener)
    reference.close()
    return CONFORMANT


def _reference(arguments: argparse.Namespace) -> Reference:
    try:
        return Reference(arguments.seed, arguments.database)
    except (ValueError, sqlite3.Error) as problem:
        raise UsageError(f"--database {arguments.database}: {problem}") from None


def _app(reference: Reference, arguments: argparse.Namespace) -> ASGIApp:
    """The application with what the options put in front of it."""
    app: ASGIApp = reference.app
    if arguments.latency:
        app = Delayed(app, arguments.latency, arguments.seed)
    return app


def _announce(base_url: str) -> None:
    sys.stdout.write(f"{base_url}\n")
    sys.stdout.flush()
