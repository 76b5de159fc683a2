"""`conformance run`: one run of the suite, with a face for people."""

import argparse
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from conformance.commands.outcome import UsageError
from conformance.commands.progress import Face
from conformance.runner import pytest_run
from conformance.runner.examination import clear
from conformance.runner.session import DEPTHS
from conformance.suite.fuzzing import generate
from conformance.suite.fuzzing.prefetch import Ahead

FUZZED = "read"
"""The conformance class of the generated requests."""


def run(arguments: argparse.Namespace) -> int:
    """Judge the target and show the verdict; UsageError where the report cannot be written."""
    directory = _writable(arguments.report_dir.absolute())
    if _is_fuzzing(arguments):
        generate.supply(Ahead(arguments.seed, DEPTHS[arguments.depth].examples))
    face, stop = Face(sys.stdout, arguments.report_dir), Stop()
    # A signal may come between the making of a coroutine and its start, about which Python would warn.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
    return face.close(pytest_run.execute(list(_chosen(arguments, directory)), [face, stop]))


class Stopped(KeyboardInterrupt):
    """A run was told to stop, by Ctrl-C or by whoever started it; it still leaves a report.

    A class of its own, since Python ends a process by a signal, whatever its exit code, once a plain KeyboardInterrupt has passed
    through code that `exec` runs from a text, as generated functions are.
    """


class Stop:
    """Stops a run where it is; and before its next check, since Python drops what a signal raises within a callback of its own."""

    def __init__(self) -> None:
        self._told = False
        self._ending = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Take the signal; while the report is written, a first one is none: only who insists leaves without it."""
        if self._ending:
            self._ending = False
            return
        self._told = True
        raise Stopped

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin no check once the run was told to stop."""
        if self._told:
            raise Stopped

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """All that is left is the report."""
        self._ending = True


def _is_fuzzing(arguments: argparse.Namespace) -> bool:
    """Whether this process will send generated requests; with workers, each makes those of its own checks."""
    return not arguments.workers and (not arguments.classes or FUZZED in arguments.classes)


def _writable(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()  # whether anything can be written there
    except OSError as problem:
        raise UsageError(f"--report-dir {directory}: {problem.strerror}") from None
    clear(directory)
    return directory


def _chosen(arguments: argparse.Namespace, directory: Path) -> Iterator[str]:
    yield from pytest_run.options(directory, arguments.depth, arguments.seed, arguments.classes)
    if arguments.base_url:
        yield f"--base-url={arguments.base_url}"
    if arguments.target:
        yield f"--target={arguments.target}"
    if arguments.report:
        yield f"--report={arguments.report}"
    if arguments.known_failures:
        yield f"--known-failures={arguments.known_failures}"
    if arguments.require_complete:
        yield "--require-complete"
    if arguments.workers:
        yield from ("-p", "xdist.plugin", "-n", str(arguments.workers))
