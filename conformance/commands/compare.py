"""`conformance compare`: what changed from one report to another; exit code 1 if it got worse."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime

from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report import known_failures, known_gaps
from conformance.report.comparison import Comparison, compare
from conformance.report.console import output
from conformance.report.document_types import Report
from conformance.report.previous import PreviousError, load

TITLES = {
    "broke": "NEW FAILURES",
    "lost": "PASSED BEFORE, NOT CHECKED NOW",
    "known": "KNOWN FAILURES AND GAPS",
    "mended": "FIXED",
    "otherwise": "OTHER VERDICTS",
    "observed": "OTHER OBSERVATIONS, where the specification is silent",
    "slower": "SLOWER",
}


def run(arguments: argparse.Namespace) -> int:
    """Compare two reports."""
    found = compare(*_reports(arguments))
    if arguments.json:
        output.document(found.document())
    else:
        output.lines(_lines(found))
    return NON_CONFORMANT if found.broke or found.lost else CONFORMANT


def _reports(arguments: argparse.Namespace) -> tuple[Report, Report]:
    """Both reports, the later one with its known failures and gaps."""
    try:
        before, after = load(arguments.before), load(arguments.after)
        if arguments.known_failures:
            today = datetime.now(UTC).date()
            entries = known_failures.listed(arguments.known_failures)
            known_failures.mark(after, entries, today)
            known_gaps.mark(after, entries, today)
    except (PreviousError, known_failures.KnownError) as problem:
        raise UsageError(str(problem)) from None
    return before, after


def _lines(found: Comparison) -> Iterator[str]:
    changes = {name: entries for name, entries in found.document().items() if entries}
    if not changes:
        yield "Nothing changed."
    for number, (name, entries) in enumerate(changes.items()):
        if number:
            yield ""
        yield TITLES[name]
        for entry in entries:
            yield f"  {entry}"
