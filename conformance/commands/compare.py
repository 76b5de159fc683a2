"""`conformance compare`: what changed from one report to another; exit code 1 for a new failure."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report.comparison import Comparison, compare
from conformance.report.document_types import Report
from conformance.report.text import visible

TITLES = {
    "broke": "NEW FAILURES",
    "mended": "FIXED",
    "otherwise": "OTHER VERDICTS",
    "observed": "OTHER OBSERVATIONS, where the specification is silent",
    "slower": "SLOWER",
}


def run(arguments: argparse.Namespace) -> int:
    """Compare two reports."""
    found = compare(_report(arguments.before), _report(arguments.after))
    if arguments.json:
        sys.stdout.write(json.dumps(found.document(), indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(found))
    return NON_CONFORMANT if found.broke else CONFORMANT


def _report(path: Path) -> Report:
    file = path / "report.json" if path.is_dir() else path
    try:
        report: Report = json.loads(file.read_bytes())
        if not {"requirements", "observations", "latencies"} <= set(report):
            raise UsageError(f"{file}: not a report of this suite")
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror}") from None
    except (ValueError, TypeError):
        raise UsageError(f"{file}: not a JSON object") from None
    return report


def _lines(found: Comparison) -> Iterator[str]:
    changes = {name: entries for name, entries in found.document().items() if entries}
    if not changes:
        yield "Nothing changed."
    for number, (name, entries) in enumerate(changes.items()):
        if number:
            yield ""
        yield TITLES[name]
        for entry in entries:
            yield f"  {visible(entry)}"
