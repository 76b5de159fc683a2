"""`conformance known`: writes and shortens a file of known failures, from reports."""

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from conformance.commands.outcome import UsageError
from conformance.contract import requirements
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.quantity import quantity
from conformance.contract.verdict import Level
from conformance.report import known_changes, previous
from conformance.report.console import output
from conformance.report.document_types import Report
from conformance.report.known_changes import Shares
from conformance.report.known_failures import PLACEHOLDER, Known, KnownError
from conformance.report.known_file import KnownFile
from conformance.storage import fresh_file, regular_file
from conformance.target.toml_schema import dotted


def run(arguments: argparse.Namespace) -> int:
    """Change the file; UsageError for files that cannot be used."""
    try:
        reports = _reports(arguments.reports)
        if arguments.action == "prune":
            lines = list(_pruned(KnownFile.read(arguments.file), reports))
        else:
            if arguments.db and not arguments.name:
                raise UsageError("--db takes what it calls the target: add --name NAME")
            flapping = remembered(arguments.db, arguments.name) if arguments.db else {}
            lines = updated(opened(arguments.file), reports, flapping)
    except (KnownError, previous.PreviousError) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    output.lines(lines)
    return CONFORMANT


def opened(path: Path) -> KnownFile:
    """The file to be updated; an empty one where there is none. Raises UsageError."""
    try:
        fresh_file.check(path)
        if regular_file.is_there(path):
            return KnownFile.read(path)
        path.parent.stat()  # raises where there is no such folder
    except KnownError as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    return KnownFile(path)


def updated(file: KnownFile, reports: Sequence[Report], flapping: Shares) -> list[str]:
    """Add the failures of runs to a file, and write it; what has changed.

    `flapping` are those that a memory calls so. Raises KnownError and OSError.
    """
    found = known_changes.shares(reports) | flapping
    added = known_changes.new(file.entries, found)
    flaky = known_changes.flaky(file.entries, found)
    changed = file.changed(added, flaky)
    if changed is not file or not regular_file.is_there(file.path):
        changed.write()
    lines = [f"added  {_named(entry)}" for entry in added]
    lines += [f"flaky  {_name(file.entries[key])}, fails in {flaky[key]}" for key in flaky]
    return [*(lines or ["nothing to add"]), *unfilled(KnownFile.read(file.path))]


def unfilled(file: KnownFile) -> Iterator[str]:
    """One line about the reasons that nobody has written yet, if there are any."""
    keys = [key for key, entry in file.entries.items() if entry.reason == PLACEHOLDER]
    if keys:
        place = (*keys[0], "reason")
        where = f"{file.path}:{file.line(place)}: {dotted(place)}"
        yield f"{where} is to be filled in ({quantity(len(keys), 'reason')} in this file)"


def _pruned(file: KnownFile, reports: Sequence[Report]) -> Iterator[str]:
    gone = known_changes.gone(file.entries, reports)
    if gone:
        file.changed(deleted=gone).write()
    for key in gone:
        yield f"deleted  {_named(file.entries[key])}"
    today = datetime.now(UTC).date()
    for key, entry in file.entries.items():
        if key not in gone and not entry.is_live(today):
            yield f"kept  {_named(entry)}: expired on {entry.expires}, and not seen to be fixed"
        elif key not in gone and entry.flaky:
            passes = known_changes.passes_needed(entry)
            yield f"kept  {_named(entry)}: takes {passes} reports without it"
    if not gone:
        yield "nothing to delete"


def _name(entry: Known) -> str:
    return f"{entry.requirement} on {entry.operation}" if entry.operation else entry.requirement


def _named(entry: Known) -> str:
    return f"{_name(entry)}, fails in {entry.flaky}" if entry.flaky else _name(entry)


def _reports(paths: Sequence[Path]) -> list[Report]:
    reports = [previous.load(path) for path in paths]
    if len({report["target"]["base-url"] for report in reports}) > 1:
        raise UsageError("the reports are about different targets; a file is about one")
    return reports


def remembered(db: str, name: str) -> Shares:
    """What takes turns on a target of a memory, and in how many of its latest runs it fails."""
    # Only whoever has a memory needs a database.
    from conformance.commands.fleet.memory import reader  # noqa: PLC0415
    from conformance.fleet.answers import standing  # noqa: PLC0415

    with reader(db) as connection:
        stands = standing.of(connection, name)
    if stands.last is None:
        raise UsageError(f"--name: no target {name!r} in the memory")
    catalogue = requirements.load()
    return {
        (each.requirement, each.operation or None): each.flapping
        for each in stands.failures
        if each.flapping and each.level == Level.MUST and each.requirement in catalogue
    }
