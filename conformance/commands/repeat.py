"""`conformance run --repeat N`: the same run several times, and which failures only some show."""

import argparse
import sys
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path

from conformance.commands import known
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INCOMPLETE,
    INTERRUPTED,
    NON_CONFORMANT,
    USAGE_ERROR,
)
from conformance.contract.quantity import quantity
from conformance.report import known_changes, previous
from conformance.report.console import output
from conformance.report.known_changes import Shares
from conformance.report.known_failures import KnownError
from conformance.runner.run_options import REPORT_DIR
from conformance.storage import folder

REPEATED = Path("reports/repeated")
"""The folder of the runs where none is named: each has one of its own in it, from 1 on."""

ENDING = (INTERRUPTED, CHECKER_ERROR, USAGE_ERROR)
"""Exit codes after which no further run begins."""

WORST_FIRST = (NON_CONFORMANT, INCOMPLETE, CONFORMANT)
SINGLE = ("json", "events", "resume", "shard", "last_failed", "failed_first")
"""Options of a single run, or of a part of one."""

Once = Callable[[argparse.Namespace], int]


def run(arguments: argparse.Namespace, once: Once) -> int:
    """Perform the runs and compare them; the exit code of the worst, or of one that was stopped."""
    _check(arguments)
    whole = _folder(arguments)
    codes: list[int] = []
    for number in range(1, arguments.repeat + 1):
        output.lines([f"run {number} of {arguments.repeat}"], sys.stderr)
        codes.append(once(_single(arguments, whole / str(number))))
        if codes[-1] in ENDING:
            return codes[-1]
    code = next(each for each in WORST_FIRST if each in codes)
    return _compared(arguments, whole) or code


def _check(arguments: argparse.Namespace) -> None:
    """UsageError for options that are about one run, and for a file that cannot be written."""
    for name in SINGLE:
        if getattr(arguments, name):
            option = name.replace("_", "-")
            raise UsageError(f"--repeat takes whole runs; leave --{option} out")
    if arguments.write_known_failures:
        known.opened(arguments.write_known_failures)


def _folder(arguments: argparse.Namespace) -> Path:
    if arguments.report_dir != REPORT_DIR:
        return arguments.report_dir  # type: ignore[no-any-return]
    try:
        folder.check_unnamed(REPEATED, REPEATED)
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    return REPEATED


def _single(arguments: argparse.Namespace, directory: Path) -> argparse.Namespace:
    """The options of one of the runs."""
    single = copy(arguments)
    single.report_dir, single.repeat, single.write_known_failures = directory, None, None
    return single


def _compared(arguments: argparse.Namespace, whole: Path) -> int:
    """Show in how many runs each failure appears, and add them to the file that is named."""
    numbers = range(1, arguments.repeat + 1)
    try:
        reports = [previous.load(whole / str(number)) for number in numbers]
        shares = known_changes.shares(reports)
        output.lines(_lines(shares, arguments.repeat))
        if arguments.write_known_failures:
            file = known.opened(arguments.write_known_failures)
            output.lines(known.updated(file, reports, {}))
    except (KnownError, UsageError, OSError, previous.PreviousError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        output.lines([f"conformance run: error: --repeat: {reason}"], sys.stderr)
        return CHECKER_ERROR
    return CONFORMANT


def _lines(shares: Shares, runs: int) -> Iterator[str]:
    for (requirement, operation), share in sorted(shares.items(), key=str):
        name = f"{requirement} on {operation}" if operation else requirement
        kind = "FLAKY " if share.is_mixed else "STEADY"
        yield f"{kind}  {name}  fails in {share}"
    if not shares:
        yield f"no requirement failed in any of {quantity(runs, 'run')}"
