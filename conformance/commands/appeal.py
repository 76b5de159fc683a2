"""`conformance appeal`: what a vendor says against a requirement, as a variant that runs."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.assurance.appeal import derivation, document
from conformance.assurance.appeal.document import Appeal
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.verdict import Verdict
from conformance.report import previous
from conformance.report.console import output
from conformance.report.console.line import Copied
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    Report,
    RequirementEntry,
)
from conformance.report.text import word
from conformance.storage import fresh_file


def run(arguments: argparse.Namespace) -> int:
    """Write the file of an appeal; never over one."""
    appeal = _appeal(arguments)
    file = arguments.out or Path(f"{appeal.id}.toml")
    text = document.text(appeal, str(file), rejected=arguments.rejected)
    try:
        fresh_file.new(file, text.encode())
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror}") from None
    is_derived = not isinstance(appeal.derived, str)
    missing = [] if arguments.rejected else list(_missing(appeal))  # a mutant has none of it
    if arguments.json:
        stated = {
            "file": str(file),
            "id": appeal.id,
            "derived": is_derived,
            "note": appeal.derived.caution if is_derived else appeal.derived,  # type: ignore[union-attr]
            "missing": missing,
        }
        output.document(stated)
    else:
        output.lines(_lines(appeal, str(file), missing))
    return CONFORMANT


def _lines(appeal: Appeal, file: str, missing: Sequence[str]) -> Iterator[str]:
    yield f"appeal  {file}"
    if isinstance(appeal.derived, str):
        yield f"edits   none follow from the report: {appeal.derived}"
    else:
        yield f"edits   derived; {appeal.derived.caution}"
    yield from (f"write   {name}" for name in missing)
    command = f"conformance selftest --also {word(file)} --only {word(appeal.id)}"
    yield Copied(f"run     {command}")


def _missing(appeal: Appeal) -> Iterator[str]:
    """What only the vendor can say."""
    if appeal.words == document.WORDS:
        yield "words: the words of the specification that allow it (--words)"
    if appeal.description == document.DESCRIPTION:
        yield "description: why the check is wrong, and what is right (--description)"
    if "product" not in appeal.report["target"]:
        yield "implementation: the profile of the run has no [product]"


def _appeal(arguments: argparse.Namespace) -> Appeal:
    try:
        report = previous.load(arguments.report)
    except previous.PreviousError as problem:
        raise UsageError(str(problem)) from None
    entry = _entry(report, arguments.requirement)
    found, exchange = _evidence(entry, arguments.exchange)
    try:
        derived: derivation.Derived | str = derivation.derive(found, exchange)
    except derivation.Underivable as problem:
        derived = str(problem)
    return Appeal(
        report,
        entry,
        found,
        exchange,
        derived,
        arguments.words or document.WORDS,
        arguments.description or document.DESCRIPTION,
    )


def _entry(report: Report, id: str) -> RequirementEntry:
    failed = [each for each in report["requirements"] if each["verdict"] == Verdict.FAIL]
    for entry in failed:
        if entry["id"] == id:
            return entry
    shown = ", ".join(entry["id"] for entry in failed) or "none"
    raise UsageError(f"{id} did not fail; failed: {shown}")


def _evidence(entry: RequirementEntry, id: str | None) -> tuple[FindingEntry, ExchangeEntry]:
    """The finding with an exchange, and the exchange; by default the last one of the first."""
    failures = [
        each for each in entry["findings"] if each["verdict"] == Verdict.FAIL and each["exchanges"]
    ]
    known = [(found, exchange) for found in failures for exchange in found["exchanges"]]
    if not known:
        raise UsageError(f"{entry['id']} failed without an exchange")
    if id is None:
        return failures[0], failures[0]["exchanges"][-1]
    for found, exchange in known:
        if exchange["id"] == id:
            return found, exchange
    shown = ", ".join(dict.fromkeys(exchange["id"] for _, exchange in known))
    raise UsageError(f"--exchange {id}: the exchanges of this failure are {shown}")
