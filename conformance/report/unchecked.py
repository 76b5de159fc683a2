"""What a run did not check: what is needed to check it, and what the target did that blocked it."""

from collections.abc import Iterable, Mapping, Sequence

from conformance.contract import api
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import Verdict
from conformance.report import profile_hints
from conformance.report.document import is_undecided, silent
from conformance.report.document_types import (
    BlockerEntry,
    FindingEntry,
    NeedEntry,
    RemainderEntry,
    Report,
    RequirementEntry,
    UncheckedEntry,
)

CONSENT = "consent.approve-reviews"
PRIMARY = "credentials.primary"
DATA = "data in the target"
WHOLE_RUN = "a run to its end"
ALL_CLASSES = "a run of all classes"
TABLES = ("credentials.lacking", "fixtures.foreign", "fixtures.ungranted")
"""Keys of a profile that say enough without the permission or the record that they name."""


def of(report: Report) -> RemainderEntry:
    """The remainder in a report; computed for a report of an older version."""
    stated = report.get("unchecked")
    if stated is not None:
        return stated
    classes = report["suite"]["classes"]
    return remainder(report["requirements"], classes, interrupted=report["interrupted"])


def remainder(
    requirements: Iterable[RequirementEntry], classes: Sequence[str], *, interrupted: bool
) -> RemainderEntry:
    """The requirements without a verdict, by what they need and what blocked them, most first."""
    entries = [entry for entry in requirements if is_undecided(entry)]
    waiting = _by_need(entries, _cut_short(classes, interrupted=interrupted))
    keys = sorted(waiting, key=lambda key: -len(waiting[key]))
    settings = [setting for key in keys for setting in profile_hints.settings(key)]
    return {
        "count": len(entries),
        "needs": [_need(key, waiting[key]) for key in keys],
        "blocked-by": _blockers(entries),
        "lines": list(profile_hints.toml(settings)),
    }


def _cut_short(classes: Sequence[str], *, interrupted: bool) -> str | None:
    """What the run itself left out: then a missing exchange says nothing about the target."""
    if interrupted:
        return WHOLE_RUN
    return ALL_CLASSES if len(classes) < len(CLASSES) else None


def _by_need(
    entries: Sequence[RequirementEntry], cut_short: str | None
) -> Mapping[str, list[RequirementEntry]]:
    waiting: dict[str, list[RequirementEntry]] = {}
    without_key = []
    for entry in entries:
        keys = _keys(entry, cut_short)
        for key in keys:
            waiting.setdefault(key, []).append(entry)
        if not keys:
            without_key.append(entry)
    known = frozenset(waiting)
    for entry in without_key:
        waiting.setdefault(_assumed(entry, known), []).append(entry)
    return waiting


def _keys(entry: RequirementEntry, cut_short: str | None) -> list[str]:
    """What the checks of a requirement asked for; `cut_short` where none of them ran."""
    open_findings = _open(entry)
    ran = any(finding["needs"] and finding["items"] for finding in open_findings)
    if cut_short and not ran:
        return [cut_short]
    keys = (_table(key) for finding in open_findings for key in finding["needs"])
    return list(dict.fromkeys(keys))


def _assumed(entry: RequirementEntry, known: frozenset[str]) -> str:
    """What a rule on every response needs, where there was no response to check."""
    if PRIMARY in known:
        return PRIMARY
    if CONSENT in known and silent(entry) == [api.load().approval.id]:
        return CONSENT
    return DATA


def _table(key: str) -> str:
    for table in TABLES:
        if key.startswith(f"{table}."):
            return table
    return key


def _need(key: str, entries: Sequence[RequirementEntry]) -> NeedEntry:
    lines = profile_hints.toml(profile_hints.settings(key))
    return {"key": key, "requirements": list(map(_named, entries)), "lines": list(lines)}


def _blockers(entries: Sequence[RequirementEntry]) -> list[BlockerEntry]:
    """The responses that blocked a check."""
    blocked: dict[str, list[UncheckedEntry]] = {}
    for entry in entries:
        messages = (found["message"] for found in _open(entry) if found["exchanges"])
        for message in dict.fromkeys(messages):
            blocked.setdefault(message, []).append(_named(entry))
    ordered = sorted(blocked, key=lambda message: -len(blocked[message]))
    return [{"message": message, "requirements": blocked[message]} for message in ordered]


def _open(entry: RequirementEntry) -> list[FindingEntry]:
    return [finding for finding in entry["findings"] if finding["verdict"] == Verdict.INCONCLUSIVE]


def _named(entry: RequirementEntry) -> UncheckedEntry:
    operations = silent(entry)
    everywhere = len(operations) == len(entry["operations"])
    return {"requirement": entry["id"], "operations": [] if everywhere else operations}
