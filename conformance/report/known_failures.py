"""Known failures: a file of what a target is known to violate, so that only new failures count."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from conformance.contract.verdict import Level, Verdict
from conformance.report.document import failing
from conformance.report.document_types import Report, RequirementEntry
from conformance.target.toml_schema import Leaf, Problem, Reader, Schema

Failure = tuple[str, str | None]
"""A failed requirement, and the operation, or None for the deployment as a whole."""


@dataclass(frozen=True)
class Known:
    """A known failure on one operation, or (None) on all of them; it counts until `expires`."""

    requirement: str
    operation: str | None
    reason: str
    expires: date | None = None

    def covers(self, requirement: str, operation: str | None) -> bool:
        """Whether a failure of this requirement on this operation is the known one."""
        return requirement == self.requirement and self.operation in (None, operation)


class KnownError(ValueError):
    """The file is invalid; str() lists every problem with file, line, key and remedy."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))


def _blank(value: str) -> str | None:
    return None if value.strip() else "is blank"


LISTED = "`conformance requirements` lists them"
_ENTRY: Schema = {
    "requirement": Leaf((str,), f"write the id of a requirement ({LISTED})", _blank),
    "operation": Leaf((str,), "write the id of an operation, or leave it out for all", _blank),
    "reason": Leaf((str,), "say why it is known, and where it is tracked", _blank),
    "expires": Leaf((date,), "write a date without quotes, such as 2027-01-31"),
}


def load(path: Path, requirements: Mapping[str, Collection[str]]) -> tuple[Known, ...]:
    """The entries of a file; `requirements` are all ids with operations. Raises KnownError."""
    text, entries = _read(path)
    reader = Reader(str(path), text, {})
    read = [_entry(reader, number, entry, requirements) for number, entry in enumerate(entries)]
    if reader.problems:
        raise KnownError(reader.problems)
    return tuple(
        Known(entry["requirement"], entry.get("operation"), entry["reason"], entry.get("expires"))
        for entry in read
    )


def _read(path: Path) -> tuple[str, list[object]]:
    """The text of a file, and its entries as they stand there."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        entries = tomllib.loads(text).get("known", [])
    except OSError as problem:
        raise _unreadable(path, f"cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise _unreadable(path, f"invalid TOML: {problem}") from None
    if not isinstance(entries, list):
        what, remedy = "must be an array of tables", "write [[known]] above each entry"
        raise KnownError([Problem(str(path), None, "known", what, remedy)])
    return text, entries


def _unreadable(path: Path, what: str) -> KnownError:
    return KnownError([Problem(str(path), None, "", what, "write a file of [[known]] tables")])


def _entry(
    reader: Reader, number: int, entry: object, requirements: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    place = ("known", number)
    read: dict[str, Any] = reader.read(_ENTRY, entry, place)
    for key in ("requirement", "reason"):
        if isinstance(entry, Mapping) and key not in entry:
            reader.report(place, f"has no {key}", f"write {key} = …")
    requirement, operation = read.get("requirement"), read.get("operation")
    if requirement is None:
        return read
    if requirement not in requirements:
        what = f"names an unknown requirement: {requirement!r}"
        reader.report((*place, "requirement"), what, LISTED)
    elif operation is not None and operation not in requirements[requirement]:
        what = f"is not an operation of {requirement}: {operation!r}"
        reader.report((*place, "operation"), what, "leave it out for all operations")
    return read


@dataclass(frozen=True)
class Difference:
    """How the failures of a run differ from the known ones: new failures, and outdated entries."""

    unknown: tuple[Failure, ...]
    stale: tuple[tuple[Known, str], ...]


def difference(entries: Sequence[Known], failures: Sequence[Failure], today: date) -> Difference:
    """Compare known failures with those of a run.

    An entry is stale if nothing fails that it covers, or if it has expired.
    """
    live = [entry for entry in entries if entry.expires is None or entry.expires >= today]
    covered = {pair for entry in live for pair in failures if entry.covers(*pair)}
    unknown = tuple(pair for pair in failures if pair not in covered)
    expired = [(entry, f"expired on {entry.expires}") for entry in entries if entry not in live]
    fixed = [(entry, "no longer fails") for entry in live if not _covers_any(entry, failures)]
    return Difference(unknown, (*expired, *fixed))


def _covers_any(entry: Known, failures: Sequence[Failure]) -> bool:
    return any(entry.covers(*pair) for pair in failures)


def mark(report: Report, entries: Sequence[Known], today: date) -> None:
    """Mark the known failures of a report, and add how they differ from the entries."""
    failed = [entry for entry in report["requirements"] if _is_failed_must(entry)]
    pairs = [(entry["id"], operation) for entry in failed for operation in failing(entry)]
    found = difference(entries, pairs, today)
    for entry in failed:
        _mark(entry, entries, found)
    # What an interrupted run has not reached may still fail.
    stale = () if report["interrupted"] else found.stale
    report["known-failures"] = {
        "unknown": [list(pair) for pair in found.unknown],
        "stale": [
            {"requirement": entry.requirement, "operation": entry.operation, "problem": problem}
            for entry, problem in stale
        ],
    }


def _is_failed_must(entry: RequirementEntry) -> bool:
    return entry["level"] == Level.MUST and entry["verdict"] == Verdict.FAIL


def _mark(entry: RequirementEntry, entries: Sequence[Known], found: Difference) -> None:
    for finding in entry["findings"]:
        pair = (entry["id"], finding["operation"])
        if finding["verdict"] == Verdict.FAIL and pair not in found.unknown:
            finding["known"] = next(known.reason for known in entries if known.covers(*pair))
