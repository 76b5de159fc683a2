"""`conformance replay`: decides the failures of a report again, and says which are fixed."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from conformance.commands import own_profile
from conformance.commands.outcome import UsageError
from conformance.commands.reproduction import pytest_file
from conformance.commands.reproduction.again import FIXED, Failure, Replay
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.contract.quantity import quantity
from conformance.contract.verdict import Verdict
from conformance.report import previous, subject
from conformance.report.console import output
from conformance.report.document import is_checked
from conformance.report.document_types import Report
from conformance.storage import fresh_file


def run(arguments: argparse.Namespace) -> int:
    """Replay the failures of a report, or write them as a test file; 0 if all are fixed."""
    report = _report(arguments.report)
    failures = list(_failures(report, arguments.ids))
    if arguments.write_test is not None:
        return _write(failures, report, arguments)
    if not failures:
        output.lines(["The report has no failure."])
        return CONFORMANT
    target, transport = own_profile.subject(arguments)
    with closing(Replay(report, target, transport)) as replay:
        counts = _replay(failures, replay)
    output.lines([", ".join(f"{count} {word.lower()}" for word, count in counts.items())])
    return CONFORMANT if set(counts) == {FIXED} else NON_CONFORMANT


def _replay(failures: Sequence[Failure], replay: Replay) -> Counter[str]:
    """Decide each failure again, and print what became of it."""
    counts: Counter[str] = Counter()
    for failure in failures:
        outcome = replay.outcome(failure)
        counts[outcome.word] += 1
        output.lines([f"{outcome.word:13}  {_name(failure)}: {outcome.detail}"])
        sys.stdout.flush()
    return counts


def _report(path: Path) -> Report:
    try:
        report = previous.load(path)
    except previous.PreviousError as problem:
        raise UsageError(str(problem)) from None
    again = subject.command(report)
    if again is not None:
        reason = "the report is about requests that somebody else has sent"
        raise UsageError(f"{path}: {reason}; to see them judged again, run `{again}`")
    return report


def _failures(report: Report, ids: Sequence[str]) -> Iterator[Failure]:
    """The failures of the requirements, or of these. UsageError for one that did not fail."""
    failed = {
        entry["id"]: entry
        for entry in report["requirements"]
        if is_checked(entry) and entry["verdict"] == Verdict.FAIL
    }
    for id in ids:
        if id not in failed:
            raise UsageError(f"{id} did not fail; failed: {', '.join(failed) or 'none'}")
    for id, entry in failed.items():
        for found in entry["findings"] if not ids or id in ids else ():
            if found["verdict"] == Verdict.FAIL and found["exchanges"]:
                yield entry, found


def _write(failures: Sequence[Failure], report: Report, arguments: argparse.Namespace) -> int:
    target, path = own_profile.outline(arguments), arguments.write_test
    written = pytest_file.write(failures, report, target)
    try:
        fresh_file.write(path, written.text.encode())
    except OSError as problem:
        raise UsageError(f"--write-test {path}: {problem.strerror}") from None
    output.lines([f"{path} has {quantity(written.tests, 'test')}"])
    output.lines(f"left out  {_name(failure)}: {reason}" for failure, reason in written.left_out)
    return CONFORMANT


def _name(failure: Failure) -> str:
    entry, found = failure
    place = f" on {found['operation']}" if found["operation"] else ""
    return f"{entry['id']}{place}"
