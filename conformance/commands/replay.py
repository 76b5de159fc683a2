"""`conformance replay`: sends the requests of failures again, and says which are fixed."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from conformance.commands import own_profile
from conformance.commands.outcome import UsageError
from conformance.commands.reproduction import pytest_file
from conformance.commands.reproduction.pytest_file import Failure
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.contract.quantity import quantity
from conformance.contract.verdict import Inconclusive, Verdict
from conformance.report import previous
from conformance.report.console import output
from conformance.report.document import is_checked
from conformance.report.document_types import ExchangeEntry, Report
from conformance.report.repair import Status, conditions, status_of
from conformance.runner.resending import Recorded, Resender
from conformance.storage import fresh_file

FIXED, FAILING, DIFFERS, UNSENT = "FIXED", "STILL FAILING", "DIFFERS", "NOT SENT"


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
    with closing(transport), closing(Resender(target, transport, _recorded(report))) as resender:
        counts = _replay(failures, resender)
    output.lines([", ".join(f"{count} {word.lower()}" for word, count in counts.items())])
    return CONFORMANT if set(counts) == {FIXED} else NON_CONFORMANT


def _replay(failures: Sequence[Failure], resender: Resender) -> Counter[str]:
    """Send the requests of each failure, and print what became of it."""
    counts: Counter[str] = Counter()
    for entry, found in failures:
        resender.begin(f"replay::{entry['id']}[{found['operation'] or ''}]")
        word, detail = _replayed((entry, found), resender)
        counts[word] += 1
        output.lines([f"{word:13}  {_name((entry, found))}: {detail}"])
        sys.stdout.flush()
    return counts


def _report(path: Path) -> Report:
    try:
        return previous.load(path)
    except previous.PreviousError as problem:
        raise UsageError(str(problem)) from None


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


def _recorded(report: Report) -> Recorded:
    approved = {entry["review"].lower() for entry in report["ledger"]}
    return Recorded(report["target"]["base-url"], report["suite"]["seed"], approved)


def _replayed(failure: Failure, resender: Resender) -> tuple[str, str]:
    """What became of a failure, and the reason."""
    _, found = failure
    steps = found["exchanges"]
    for step in steps:
        obstacle = resender.obstacle(step)
        if obstacle is not None:
            return UNSENT, obstacle
    try:
        fresh = [resender.send(step) for step in steps]
    except Inconclusive as problem:
        return DIFFERS, problem.message
    return _compared(failure, fresh)


def _compared(failure: Failure, fresh: Sequence[ExchangeEntry]) -> tuple[str, str]:
    _, found = failure
    steps = found["exchanges"]
    holds = conditions(found["defect"], steps) if "defect" in found else []
    checked = {condition.step for condition in holds if isinstance(condition, Status)}
    for number, (before, after) in enumerate(zip(steps, fresh, strict=True)):
        if number not in checked and status_of(before) != status_of(after):
            return DIFFERS, f"{before['purpose']} was {_described(before)}, is {_described(after)}"
    if not holds:
        return DIFFERS, "its responses cannot be compared one by one; run the check again"
    if all(condition.holds(fresh) for condition in holds):
        return FIXED, f"the response is {_described(fresh[-1])}"
    return FAILING, found["message"]


def _name(failure: Failure) -> str:
    entry, found = failure
    place = f" on {found['operation']}" if found["operation"] else ""
    return f"{entry['id']}{place}"


def _described(exchange: ExchangeEntry) -> str:
    status = status_of(exchange)
    return str(status) if status is not None else f"no response ({exchange.get('failure')})"
