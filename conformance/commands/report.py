"""`conformance report`: tell a run again from what it wrote, in any format; also a run that was killed."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from conformance.commands.outcome import CONFORMANT, INTERRUPTED, UsageError
from conformance.report import artefacts
from conformance.report.console import terminal
from conformance.report.journal import JOURNAL, JournalError
from conformance.report.run import Run


def run(arguments: argparse.Namespace) -> int:
    """Write the formats, and show the verdict; the exit code of an interrupted run where it was one."""
    directory: Path = arguments.directory
    formats = artefacts.chosen(arguments.report.split(",") if arguments.report else ())
    try:
        document = (
            _left(directory, formats)
            if (directory / JOURNAL).exists()
            else _finished(directory, formats)
        )
    except JournalError as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    files = ", ".join(sorted(path.name for path in directory.iterdir()))
    sys.stdout.write(
        "".join(
            f"{line}\n" for line in (*terminal.lines(document), f"  report  {directory} ({files})")
        )
    )
    return INTERRUPTED if document["interrupted"] else CONFORMANT


def _left(directory: Path, formats: tuple[str, ...]) -> dict[str, Any]:
    """The report of everything that a run without an end had found."""
    left = Run.left(directory)
    left.formats = formats
    return left.save()


def _finished(directory: Path, formats: tuple[str, ...]) -> dict[str, Any]:
    """The report of a run that came to its end, as it stands."""
    try:
        document: dict[str, Any] = json.loads((directory / "report.json").read_bytes())
        artefacts.write(directory, document, formats)
    except (ValueError, TypeError, KeyError):
        raise UsageError(f"{directory / 'report.json'}: is no report of this suite") from None
    return document
