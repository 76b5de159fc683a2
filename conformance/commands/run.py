"""`conformance run`: one run of the suite, with its progress on the screen."""

import argparse
import io
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from conformance.commands import known, left_behind, own_profile, repeat, trusted
from conformance.commands.forecast import Forecast
from conformance.commands.notes import Notes
from conformance.commands.outcome import Stopped, UsageError
from conformance.commands.progress import RunDisplay
from conformance.commands.stop import Stop
from conformance.contract.exit_codes import CHECKER_ERROR, CONFORMANT, INTERRUPTED
from conformance.report import artefacts, outcome
from conformance.report.console import output
from conformance.report.document_types import Report
from conformance.report.event_stream import STANDARD_OUTPUT, EventStream
from conformance.report.known_failures import KnownError
from conformance.runner import disk, gathering, pytest_run
from conformance.runner.depth import DEPTHS
from conformance.runner.disk import locked
from conformance.runner.events import Events
from conformance.runner.examination import clear
from conformance.runner.run_options import OPTIONS, REPORT_DIR
from conformance.suite.fuzzing.prefetch import Prefetch
from conformance.target import trust

if TYPE_CHECKING:
    from conformance.commands.remembered import Remembered

FUZZED = "read"
"""The conformance class of the generated requests."""


def run(arguments: argparse.Namespace) -> int:
    """Check the target, once or several times; UsageError where it cannot begin."""
    return repeat.run(arguments, _once) if arguments.repeat else _once(arguments)


def _once(arguments: argparse.Namespace) -> int:
    """Check the target and print the verdict; UsageError where the report cannot be written."""
    _check_options(arguments)
    chosen = own_profile.chosen(arguments)
    if chosen is not None:
        arguments.trust = trusted.profile(chosen, arguments) is trust.anything
        arguments.target = chosen
    directory = _writable(_directory(arguments).absolute())
    with locked(directory) as is_free:
        if not is_free:
            message = "another run writes to it; name another folder"
            raise UsageError(f"--report-dir {directory}: {message}")
        _check(directory, arguments)
        if arguments.resume is None:
            _clear(directory)
        return _stoppable(arguments, directory)


def _clear(directory: Path) -> None:
    try:
        clear(directory)
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None


def _check_options(arguments: argparse.Namespace) -> None:
    """UsageError for options that exclude each other, and for a file that cannot be written."""
    if arguments.shard and arguments.db:
        raise UsageError("--db takes whole runs, and --shard performs a part of one")
    if arguments.events == STANDARD_OUTPUT and arguments.json:
        raise UsageError("--json and --events - both write to standard output: name a file")
    if arguments.name and not arguments.db:
        raise UsageError("--name is the name of the target in a memory: add --db URL")
    if arguments.write_known_failures:
        if arguments.shard:
            message = "a shard is a part of a run; merge them, and use `conformance known update`"
            raise UsageError(f"--write-known-failures: {message}")
        known.opened(arguments.write_known_failures)


def _stoppable(arguments: argparse.Namespace, directory: Path) -> int:
    """Perform the run; whenever it is stopped, there is a report."""
    began = time.time()
    stop = Stop(left_behind.command(directory, arguments), arguments.workers)
    code = INTERRUPTED
    with suppress(Stopped), stop.installed(), stop.watching(), _memory(arguments) as memory:
        code = _checked(arguments, directory, memory, stop)
    if code == INTERRUPTED and not stop.has_finished:
        left_behind.complete(directory, began, arguments)
    return _ended(code, stop)


def _directory(arguments: argparse.Namespace) -> Path:
    """The folder of the report: that of the run to be resumed, if there is one."""
    resumed, stated = arguments.resume, arguments.report_dir
    if resumed is None:
        return stated  # type: ignore[no-any-return]
    if stated not in (REPORT_DIR, resumed):
        raise UsageError(f"--resume {resumed}: the report is written there, not to {stated}")
    if not resumed.is_dir():
        raise UsageError(f"--resume {resumed}: no such folder")
    arguments.report_dir = resumed
    return resumed  # type: ignore[no-any-return]


def _memory(arguments: argparse.Namespace) -> "AbstractContextManager[Remembered | None]":
    """The memory that the run is added to; None where none is named."""
    if not arguments.db:
        return nullcontext()
    # Only such a run needs a database.
    from conformance.commands.remembered import Remembered  # noqa: PLC0415

    return Remembered(arguments.db, arguments.name or arguments.base_url or _profile_of(arguments))


def _profile_of(arguments: argparse.Namespace) -> str:
    """How the memory calls a target without a name: the folder and the file of its profile."""
    if arguments.target is None:
        return "reference"
    path: Path = arguments.target.absolute()
    return f"{path.parent.name}/{path.name}"


def _checked(
    arguments: argparse.Namespace, directory: Path, memory: "Remembered | None", stop: Stop
) -> int:
    examples = DEPTHS[arguments.depth].examples
    prefetch = [Prefetch(arguments.seed, examples)] if _is_fuzzing(arguments) else []
    stream = io.StringIO() if arguments.json else sys.stdout
    has_events = arguments.events == STANDARD_OUTPUT
    events = [Events(EventStream(arguments.events, sys.stdout))] if has_events else []
    if has_events:
        arguments.events, stream = None, sys.stderr
    said = sys.stdout if stream is sys.stdout else sys.stderr
    display = RunDisplay(stream, arguments.report_dir, show_all=arguments.show_all)
    # A signal may arrive between the creation of a coroutine and its start: Python would warn.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    options = list(_chosen(arguments, directory))
    forecast = [] if arguments.max_time else [Forecast(arguments.depth, display.note)]
    plugins = [display, stop, Notes(arguments, display.note), *forecast, *prefetch, *events]
    code = display.close(pytest_run.execute(options, plugins))
    if arguments.json and display.document is not None:
        found = outcome.of(display.document, code, arguments.report_dir)
        output.document(found)
    if memory and display.document is not None and not memory.add(directory, code):
        code = code or CHECKER_ERROR
    if arguments.write_known_failures and display.document is not None:
        added = _add_known_failures(arguments, display.document, memory, said)
        code = code or added
    return code


def _add_known_failures(
    arguments: argparse.Namespace, report: Report, memory: "Remembered | None", stream: TextIO
) -> int:
    """Add what fails to the file that is named; the exit code, with a line where that failed."""
    path = arguments.write_known_failures
    try:
        flapping = known.remembered(arguments.db, memory.target) if memory else {}
        lines = known.updated(known.opened(path), [report], flapping)
    except (KnownError, UsageError, OSError) as problem:
        reason = getattr(problem, "strerror", problem)
        said = f"conformance run: error: --write-known-failures {path}: not written: {reason}"
        output.lines([said], sys.stderr)
        return CHECKER_ERROR
    output.lines(lines, stream)
    return CONFORMANT


def _ended(code: int, stop: "Stop") -> int:
    """The exit code; a process that was stopped ends at once, whatever its threads wait for."""
    if stop.is_stopped:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    return code


def _is_fuzzing(arguments: argparse.Namespace) -> bool:
    """Whether this process sends many generated requests; with workers, each generates its own."""
    is_narrowed = arguments.only or arguments.last_failed
    is_alone = not arguments.workers and not is_narrowed
    return is_alone and (not arguments.classes or FUZZED in arguments.classes)


def _check(directory: Path, arguments: argparse.Namespace) -> None:
    """UsageError where a link is in the way of a file of the report."""
    try:
        artefacts.check(directory, gathering.formats(arguments))
    except OSError as problem:
        raise UsageError(f"--report-dir {problem.filename}: {problem.strerror}") from None


def _writable(directory: Path) -> Path:
    try:
        disk.check_default(directory, Path.cwd())
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()  # raises where nothing can be written
    except OSError as problem:
        place = problem.filename or directory
        raise UsageError(f"--report-dir {place}: {problem.strerror}") from None
    return directory


def _chosen(arguments: argparse.Namespace, directory: Path) -> Iterator[str]:
    given = vars(arguments) | {"report_dir": directory, "class": arguments.classes}
    for option in OPTIONS:
        yield from option.written(given[option.name.replace("-", "_")])
    if arguments.base_url:
        yield f"--base-url={arguments.base_url}"
    if arguments.workers:
        yield from ("-p", "xdist.plugin", "-n", str(arguments.workers))
