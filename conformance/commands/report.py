"""`conformance report`: renders a previous run again, in any format, even an interrupted one."""

import argparse
import sys
from pathlib import Path

from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, INTERRUPTED
from conformance.report import artefacts, previous
from conformance.report.console import output, terminal
from conformance.report.console.screen import Screen
from conformance.report.document_types import Report
from conformance.report.exchange_log import LogError
from conformance.report.journal import JOURNAL, JournalError
from conformance.report.previous import PreviousError
from conformance.report.run import Run
from conformance.runner.disk import check_default


def run(arguments: argparse.Namespace) -> int:
    """Write the formats and print the report; exit code 2 if the run was interrupted."""
    directory: Path = arguments.directory
    formats = artefacts.chosen(arguments.report or ())
    if not directory.is_dir():
        raise UsageError(f"{directory}: not a folder")
    try:
        check_default(directory.absolute(), Path.cwd())
        artefacts.check(directory, formats)
        render = _interrupted if (directory / JOURNAL).exists() else _finished
        report = render(directory, formats)
    except (JournalError, PreviousError, LogError) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    files = ", ".join(sorted(path.name for path in directory.iterdir()))
    screen = Screen.of(sys.stdout, show_all=arguments.show_all)
    lines = terminal.lines(report, screen, files=f"report  {directory} ({files})")
    output.lines(lines)
    return INTERRUPTED if report["interrupted"] else CONFORMANT


def _interrupted(directory: Path, formats: tuple[str, ...]) -> Report:
    """The report of everything that a killed run had found."""
    run = Run.left(directory)
    run.formats = formats
    return run.save()


def _finished(directory: Path, formats: tuple[str, ...]) -> Report:
    """The report of a finished run."""
    report = previous.load(directory)
    artefacts.write(directory, report, formats)
    return report
