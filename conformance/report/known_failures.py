"""Known failures and gaps: a file of what a target violates, and of what cannot be checked on it.

Only other failures and gaps count, and entries that are out of date.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from conformance.contract import requirements
from conformance.contract.verdict import Conclusion, Level, Verdict
from conformance.report.document import failing
from conformance.report.document_types import Report, RequirementEntry
from conformance.report.share import WRITTEN, Share
from conformance.storage import toml_text
from conformance.target import json_schema
from conformance.target.toml_schema import Leaf, Place, Problem, Reader, Schema

Failure = tuple[str, str | None]
"""A failed requirement, and the operation, or None for the deployment as a whole."""

DECIDED = (Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE)


@dataclass(frozen=True)
class Known:
    """A known failure on one operation, or (None) on all of them; it counts until `expires`.

    `is_gap`: a requirement that cannot be checked, in place of one that fails. `flaky`: in how many
    of how many runs it fails, such as "3 of 10", where it is not all of them.
    """

    requirement: str
    operation: str | None
    reason: str
    expires: date | None = None
    is_gap: bool = False
    flaky: str | None = None

    @classmethod
    def recorded(cls, stated: Mapping[str, Any]) -> "Known":
        """The entry that a journal or run.json has; those of older versions have no `flaky`."""
        expires = stated["expires"] and date.fromisoformat(stated["expires"])
        others = {name: stated[name] for name in ("requirement", "operation", "reason", "is_gap")}
        return cls(**others, expires=expires or None, flaky=stated.get("flaky"))

    def covers(self, requirement: str, operation: str | None) -> bool:
        """Whether a failure of this requirement on this operation is the known one."""
        return requirement == self.requirement and self.operation in (None, operation)

    def is_live(self, today: date) -> bool:
        """Whether the entry has not expired."""
        return self.expires is None or self.expires >= today


class KnownError(ValueError):
    """The file is invalid; str() lists every problem with file, line, key and remedy."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))


def _blank(value: str) -> str | None:
    return None if value.strip() else "is blank"


def _uneven(value: str) -> str | None:
    share = Share.read(value)
    return None if share and share.is_mixed else "is not how many of how many runs fail"


PLACEHOLDER = "FILL IN: why it is known, and where it is tracked"
"""The reason of an entry that was written by a command."""

TABLES = {"known": False, "gap": True}
"""The tables of a file, and whether their entries are gaps."""

LISTED = "`conformance requirements` lists them"
_ENTRY: Mapping[str, Schema] = {
    "requirement": Leaf((str,), f"write the id of a requirement ({LISTED})", _blank),
    "operation": Leaf((str,), "write the id of an operation, or leave it out for all", _blank),
    "reason": Leaf((str,), "say why it is known, and where it is tracked", _blank),
    "expires": Leaf((date,), "write a date without quotes, such as 2027-01-31"),
}
_FAILURE: Schema = {
    **_ENTRY,
    "flaky": Leaf((str,), 'write "3 of 10", or leave it out', _uneven, {"pattern": WRITTEN}),
}
_SCHEMAS = {"known": _FAILURE, "gap": _ENTRY}


def schema() -> dict[str, Any]:
    """The JSON Schema of a file, for editors; made of what reads it."""
    required = {"required": ["requirement", "reason"]}
    tables = {
        name: {"type": "array", "items": json_schema.of(entry) | required}
        for name, entry in _SCHEMAS.items()
    }
    return json_schema.document({}, "known-failures", "Known failures and gaps") | {
        "properties": tables
    }


def listed(path: Path) -> tuple[Known, ...]:
    """The entries of a file about the requirements of the package. Raises KnownError."""
    catalogue = requirements.load().items()
    return load(path, {id: entry.operations for id, entry in catalogue})


def load(path: Path, catalogue: Mapping[str, Collection[str]]) -> tuple[Known, ...]:
    """The entries of a file; `catalogue` has all ids with operations. Raises KnownError."""
    text, tables = _read(path)
    reader = Reader(str(path), text, {})
    for table in (each for each in tables if each not in TABLES):
        reader.report((table,), "is an unknown table", "write [[known]] or [[gap]]")
    read = [
        (name, _entry(reader, (name, number), entry, catalogue))
        for name in TABLES
        for number, entry in enumerate(_entries(reader, name, tables.get(name, [])))
    ]
    if reader.problems:
        raise KnownError(reader.problems)
    return tuple(_known(entry, is_gap=TABLES[name]) for name, entry in read)


def _known(entry: Mapping[str, Any], *, is_gap: bool) -> Known:
    return Known(
        entry["requirement"],
        entry.get("operation"),
        entry["reason"],
        entry.get("expires"),
        is_gap,
        entry.get("flaky"),
    )


def _read(path: Path) -> tuple[str, dict[str, object]]:
    """The text of a file, and its tables."""
    try:
        text = toml_text.read(path, follow=True)
        return text, toml_text.parse(text)
    except OSError as problem:
        raise _unreadable(path, f"cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise _unreadable(path, f"invalid TOML: {problem}") from None


def _entries(reader: Reader, name: str, entries: object) -> list[object]:
    if isinstance(entries, list):
        return entries
    reader.report((name,), "must be an array of tables", f"write [[{name}]] above each entry")
    return []


def _unreadable(path: Path, what: str) -> KnownError:
    remedy = "write a file of [[known]] and [[gap]] tables"
    return KnownError([Problem(str(path), None, "", what, remedy)])


def _entry(
    reader: Reader, place: Place, entry: object, catalogue: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    read: dict[str, Any] = reader.read(_SCHEMAS[str(place[0])], entry, place)
    for key in ("requirement", "reason"):
        if isinstance(entry, Mapping) and key not in entry:
            reader.report(place, f"has no {key}", f"write {key} = …")
    requirement, operation = read.get("requirement"), read.get("operation")
    if requirement is None:
        return read
    if requirement not in catalogue:
        what = f"names an unknown requirement: {requirement!r}"
        reader.report((*place, "requirement"), what, LISTED)
    elif operation is not None and operation not in catalogue[requirement]:
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

    An entry is stale if nothing fails that it covers, unless that is flaky, or if it has expired.
    """
    live = [entry for entry in entries if entry.is_live(today)]
    covered = {pair for entry in live for pair in failures if entry.covers(*pair)}
    unknown = tuple(pair for pair in failures if pair not in covered)
    expired = [
        (entry, f"expired on {entry.expires}") for entry in entries if not entry.is_live(today)
    ]
    fixed = [
        (entry, "no longer fails")
        for entry in live
        if not (entry.flaky or _covers_any(entry, failures))
    ]
    return Difference(unknown, (*expired, *fixed))


def _covers_any(entry: Known, failures: Sequence[Failure]) -> bool:
    return any(entry.covers(*pair) for pair in failures)


def mark(report: Report, entries: Sequence[Known], today: date) -> None:
    """Mark the known failures of a report, and add how they differ from the entries."""
    listed = [entry for entry in entries if not entry.is_gap]
    found = difference(listed, failures(report), today)
    live = [entry for entry in listed if entry.is_live(today)]
    for entry in filter(_is_failed_must, report["requirements"]):
        _mark(entry, live)
    # A file may have thousands of entries, and the report is searched once for each of its ids.
    by_id = {each["id"]: each for each in report["requirements"]}

    def is_repaired(entry: Known) -> bool:
        return _is_decided(entry, by_id.get(entry.requirement))

    stale = [
        (entry, problem)
        for entry, problem in found.stale
        if is_whole(report) and (not entry.is_live(today) or is_repaired(entry))
    ]
    report["known-failures"] = {
        "unknown": [list(pair) for pair in found.unknown],
        "stale": [
            {"requirement": entry.requirement, "operation": entry.operation, "problem": problem}
            for entry, problem in stale
        ],
    }


def is_all_known(report: Report) -> bool:
    """Whether the target violates the contract, and no failure is new, and no entry outdated."""
    known = report.get("known-failures")
    is_expected = known is not None and not known["unknown"] and not known["stale"]
    return is_expected and report["verdict"] == Conclusion.NON_CONFORMANT


def failures(report: Report) -> list[Failure]:
    """What fails in a run, by operation."""
    failed = filter(_is_failed_must, report["requirements"])
    return [(entry["id"], operation) for entry in failed for operation in failing(entry)]


def is_whole(report: Report) -> bool:
    """Whether nothing was left out: an interrupted run has not reached all, nor a narrowed one."""
    return not (report["interrupted"] or "only" in report["suite"])


def fails(entry: Known, report: Report) -> bool | None:
    """Whether what an entry covers fails in a run; None where the run does not show it.

    It may still fail where the run was not asked for it, or could not check it.
    """
    if any(entry.covers(*pair) for pair in failures(report)):
        return True
    named = (each for each in report["requirements"] if each["id"] == entry.requirement)
    is_checked = _is_decided(entry, next(named, None))
    return False if is_checked and is_whole(report) else None


def _is_decided(entry: Known, found: RequirementEntry | None) -> bool:
    """Whether a run could check all that an entry covers."""
    verdicts = [] if found is None else _verdicts(found, entry)
    return bool(verdicts) and all(each in DECIDED for each in verdicts)


def _verdicts(found: RequirementEntry, entry: Known) -> list[str]:
    """The verdicts on what an entry covers; that on the whole, where it has no operations."""
    on = found["operations"]
    covered = [on[name] for name in on if entry.covers(found["id"], name)]
    return covered or [found["verdict"]]


def _is_failed_must(entry: RequirementEntry) -> bool:
    return entry["level"] == Level.MUST and entry["verdict"] == Verdict.FAIL


def _mark(entry: RequirementEntry, live: Sequence[Known]) -> None:
    for finding in entry["findings"]:
        pair = (entry["id"], finding["operation"])
        known = next((each for each in live if each.covers(*pair)), None)
        if known is not None and finding["verdict"] == Verdict.FAIL:
            finding["known"] = known.reason
            if known.flaky:
                finding["flaky"] = known.flaky
