"""The end of a command that has written a report: its verdict on the screen, or as JSON."""

import argparse
import sys
from pathlib import Path

from conformance.report import artefacts, outcome
from conformance.report.console import output, terminal
from conformance.report.console.screen import Screen
from conformance.report.run import Run


def report(run: Run, code: int, arguments: argparse.Namespace) -> None:
    """Show the report of a finished run; `code` is its exit code."""
    document, directory = run.document, Path(arguments.report_dir)
    assert document is not None
    if arguments.json:
        found = outcome.of(document, code, directory)
        output.document(found)
        return
    files = ", ".join(sorted(path.name for path in directory.iterdir()))
    screen = Screen.of(sys.stdout, show_all=arguments.show_all)
    lines = terminal.lines(document, screen, files=f"report  {directory} ({files})")
    output.lines(lines)
    output.obeyed(artefacts.publish(document))
