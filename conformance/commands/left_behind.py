"""The report of a run that was stopped, from what it has left behind.

`python -m conformance.commands.left_behind STATED` writes it in a process of its own, where that of
the run heeds nothing any more.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from conformance.commands.outcome import STOPPED_EARLY, STOPPED_LATE
from conformance.http import secrecy
from conformance.report import event_stream
from conformance.report.artefacts import REPORT
from conformance.report.console import output
from conformance.report.document_types import Report
from conformance.report.event_stream import STANDARD_OUTPUT
from conformance.report.journal import JOURNAL, JournalError
from conformance.report.run import Run
from conformance.runner import gathering

STATED = ("target", "base_url", "seed", "depth", "workers", "classes", "report", "resume", "events")
"""The arguments of a run that its report needs."""


def command(directory: Path, arguments: argparse.Namespace) -> Sequence[str]:
    """The command line that completes the report of a run which begins now."""
    stated = {name: getattr(arguments, name) for name in STATED}
    described = json.dumps([str(directory), time.time(), stated], default=str)
    return [sys.executable, "-m", __name__, described]


def complete(directory: Path, began: float, arguments: argparse.Namespace) -> None:
    """See to it that a run has a report, and say in one line what it is.

    `began` is its start, in seconds since 1970.
    """
    secrecy.hurry()
    try:
        note = _completed(directory, began, arguments)
    except (JournalError, OSError) as problem:
        note = f"{directory}: {problem}"
    if note:
        output.lines([f"conformance run: {note}"], sys.stderr)
        sys.stderr.flush()


def _completed(directory: Path, began: float, arguments: argparse.Namespace) -> str | None:
    """What the report is; None where the run had completed it itself."""
    if (directory / JOURNAL).exists():
        run = Run.left(directory)
        run.formats = gathering.formats(arguments)
        _end_events(arguments, run.save())
        return STOPPED_LATE
    report = directory / REPORT
    if report.exists() and report.stat().st_mtime >= began:
        return None
    # The report of a run that is resumed is that of its first part.
    if arguments.resume is None:
        gathering.unbegun(directory, arguments)
    _end_events(arguments, None)
    return STOPPED_EARLY


def _end_events(arguments: argparse.Namespace, report: Report | None) -> None:
    """Let the file of events end as every other; standard output belongs to the run."""
    path = arguments.events and Path(arguments.events)
    if path and path != STANDARD_OUTPUT:
        event_stream.end(path, report)


def main() -> None:
    """Complete the report of the run that the argument describes."""
    directory, began, stated = json.loads(sys.argv[1])
    complete(Path(directory), began, argparse.Namespace(**stated))


if __name__ == "__main__":
    main()
