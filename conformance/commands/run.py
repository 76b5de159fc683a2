"""`conformance run`: the suite under pytest, in this process, with exactly the plugins that it needs."""

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

from conformance import suite
from conformance.commands.face import Face
from conformance.commands.outcome import UsageError

FOREIGN = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Environment variables that would change a run on behalf of somebody else's tests."""

CONFIGURATION = (
    "--disable-plugin-autoload",
    "--capture=sys",
    "--tb=native",  # the other styles read source files for every check that ends early: milliseconds each
    "--assert=plain",
)
PLUGINS = ("conformance.plugin", "pytest_base_url.plugin")
WITHOUT = ("cacheprovider", "logging", "terminalreporter", "threadexception", "unraisableexception")


def run(arguments: argparse.Namespace) -> int:
    """Judge the target and show the verdict; UsageError where the report cannot be written."""
    directory = _writable(arguments.report_dir.absolute())
    for name in FOREIGN:
        os.environ.pop(name, None)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    face = Face(sys.stdout, arguments.report_dir)
    status = int(pytest.main([*_fixed(), *_chosen(arguments, directory)], plugins=[face]))
    return face.close(status)


class Stopped(KeyboardInterrupt):
    """A run was told to stop, by Ctrl-C or by whoever started it; it still leaves a report.

    A class of its own, since Python ends a process by a signal, whatever its exit code, once a plain KeyboardInterrupt has passed
    through code that `exec` runs from a text, as generated functions are.
    """


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Stopped


def _writable(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(f"--report-dir {directory}: {problem.strerror}") from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise UsageError(f"--report-dir {directory}: nothing can be written there")
    for left in directory.glob("exchanges-*.jsonl"):  # of a run that was killed; the report would take them for its own
        left.unlink()
    return directory


def _fixed() -> Iterator[str]:
    yield from suite.__path__  # by its place: by its name, the current directory would be searched for a conftest.py
    yield from ("-c", str(Path(__file__).with_name("run.ini")))
    yield f"--rootdir={suite.__path__[0]}"
    yield from CONFIGURATION
    for name in PLUGINS:
        yield from ("-p", name)
    for name in WITHOUT:
        yield from ("-p", f"no:{name}")


def _chosen(arguments: argparse.Namespace, directory: Path) -> Iterator[str]:
    yield f"--report-dir={directory}"
    yield f"--depth={arguments.depth}"
    yield f"--conformance-seed={arguments.seed}"
    if arguments.base_url:
        yield f"--base-url={arguments.base_url}"
    if arguments.target:
        yield f"--target={arguments.target}"
    for name in arguments.classes:
        yield f"--conformance-class={name}"
    if arguments.require_complete:
        yield "--require-complete"
    if arguments.workers:
        yield from ("-p", "xdist.plugin", "-n", str(arguments.workers))
