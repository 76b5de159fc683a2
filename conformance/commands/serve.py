"""`conformance serve`: the reference implementation behind a socket, until it is stopped."""

import argparse
import socket
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from conformance.commands.options.sandbox import IN_MEMORY
from conformance.commands.outcome import UsageError
from conformance.commands.sandbox import greeting, host_names
from conformance.commands.sandbox.docs import Documented
from conformance.commands.sandbox.faults import Failing
from conformance.commands.sandbox.host_names import Named
from conformance.commands.sandbox.latency import Delayed
from conformance.commands.sandbox.rate import Limited
from conformance.commands.sandbox.request_log import Logged
from conformance.contract.exit_codes import CONFORMANT
from conformance.reference import Reference, dataset, serve, target
from conformance.reference.target import Table
from conformance.report.console import output
from conformance.storage import fresh_file

FEWEST = sum(number for number, _ in dataset.PROJECTS)
"""Projects of every database: fewer would leave out a case."""

EXPOSED = ("retry-after", "www-authenticate", "allow")
"""Headers of responses that a script of another origin may read."""


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; UsageError for an unusable address, database or profile.

    The first printed line is the base URL, once the server accepts requests.
    """
    reference = _reference(arguments)
    try:
        listener = serve.listen(arguments.host, arguments.port)
    except OSError as problem:
        raise UsageError(
            f"cannot serve on {arguments.host} port {arguments.port}: {problem.strerror or problem}"
        ) from None
    name = host_names.shown(arguments.host, arguments.allowed_host)
    profile = reference.profile(serve.address(listener, name))
    with _closed_by_an_error(listener):
        _write(arguments.target_out, profile)
    app = _app(reference, profile, arguments)
    lines = list(greeting.lines(reference, profile))
    serve.serve(serve.server(app, lambda: _print(lines)), listener)
    reference.close()
    return CONFORMANT


@contextmanager
def _closed_by_an_error(listener: socket.socket) -> Iterator[None]:
    try:
        yield
    except UsageError:
        listener.close()
        raise


def _write(path: Path | None, profile: Table) -> None:
    """Write the profile, if it is asked for. Raises UsageError."""
    if path is None:
        return
    try:
        serve.write_private(path, target.toml(profile))
    except OSError as problem:
        raise UsageError(f"--target-out {path}: {problem.strerror}") from None


def _reference(arguments: argparse.Namespace) -> Reference:
    if arguments.data is not None and arguments.data < FEWEST:
        raise UsageError(f"--data {arguments.data}: must be an integer ≥ {FEWEST}")
    try:
        if arguments.database != IN_MEMORY:
            fresh_file.check(Path(arguments.database))
        return Reference(arguments.seed, arguments.database, projects=arguments.data)
    except OSError as problem:
        raise UsageError(f"--database {arguments.database}: {problem.strerror}") from None
    except (ValueError, sqlite3.Error) as problem:
        raise UsageError(f"--database {arguments.database}: {problem}") from None


def _app(reference: Reference, profile: Table, arguments: argparse.Namespace) -> ASGIApp:
    """The application with what the options put in front of it, the log outermost."""
    names = host_names.allowed(arguments.host, arguments.allowed_host)
    app: ASGIApp = Named(reference.app, names)
    if arguments.fail:
        app = Failing(app, arguments.fail, arguments.seed)
    if arguments.rate:
        app = Limited(app, arguments.rate, arguments.seed)
    if arguments.latency:
        app = Delayed(app, arguments.latency, arguments.seed)
    app = Documented(app, reference.description(profile["base-url"]))
    if arguments.cors:
        methods = ("GET", "HEAD", "POST")
        app = CORSMiddleware(app, ("*",), methods, ("*",), expose_headers=EXPOSED)
    if arguments.log if arguments.log is not None else sys.stderr.isatty():
        app = Logged(app, _names(profile), _log)
    return app


def _names(profile: Table) -> dict[str, str]:
    """The name of the caller of each secret."""
    callers = greeting.callers(profile).items()
    return {secret: name for name, secrets in callers for secret in secrets.values()}


def _log(line: str) -> None:
    with suppress(OSError):  # nobody reads it any more
        output.lines([line], sys.stderr)


def _print(lines: list[str]) -> None:
    with suppress(BrokenPipeError):  # a script may have read the first line only
        output.lines(lines)
        sys.stdout.flush()
