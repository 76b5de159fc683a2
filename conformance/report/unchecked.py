"""What a run did not check: what is needed to check it, and what the target did that blocked it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from conformance.contract import api
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import Verdict
from conformance.report import profile_hints
from conformance.report.document import is_undecided, silent
from conformance.report.document_types import (
    BlockerEntry,
    FindingEntry,
    NeedEntry,
    RejectionEntry,
    RemainderEntry,
    Report,
    RequirementEntry,
    UncheckedEntry,
)
from conformance.report.rejections import Rejection, grouped, rejection

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
    needed = _needed(waiting)
    alone = {key: sum(_provides(key, keys) for keys in needed.values()) for key in waiting}
    keys = sorted(waiting, key=lambda key: (-alone[key], -len(waiting[key])))
    settings = [setting for key in keys for setting in profile_hints.settings(key)]
    return {
        "count": len(entries),
        "needs": [_need(key, alone[key], waiting[key]) for key in keys],
        "rejections": _rejections(entries),
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
    keys = (key for finding in open_findings for key in _needs(finding))
    return list(dict.fromkeys(keys))


def _needs(finding: FindingEntry) -> Iterable[str]:
    """The needs of a finding; not those lines of the profile that are there and were rejected."""
    rejected = rejection(finding)
    if rejected is not None and rejected.credential:
        return [f"a credential {rejected.credential} that is not rejected"]
    return map(_table, finding["needs"])


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


def _needed(waiting: Mapping[str, Sequence[RequirementEntry]]) -> dict[str, set[str]]:
    """The keys that each requirement needs."""
    needed: dict[str, set[str]] = {}
    for key, entries in waiting.items():
        for entry in entries:
            needed.setdefault(entry["id"], set()).add(key)
    return needed


def _provides(key: str, keys: Collection[str]) -> bool:
    """Whether the lines of a key are all that a requirement needs."""
    return key in keys and set(keys) <= {key, *profile_hints.COMPANIONS.get(key, ())}


def _need(key: str, alone: int, entries: Sequence[RequirementEntry]) -> NeedEntry:
    lines = profile_hints.toml(profile_hints.settings(key))
    return {
        "key": key,
        "adds": alone,
        "requirements": list(map(_named, entries)),
        "lines": list(lines),
    }


def _rejections(entries: Sequence[RequirementEntry]) -> list[RejectionEntry]:
    """The responses to a credential, or to anybody, that blocked checks: the first to correct."""
    found: dict[Rejection, list[str]] = {}
    for entry in entries:
        for finding in _open(entry):
            rejected = rejection(finding)
            if rejected is not None:
                found.setdefault(rejected, []).append(entry["id"])
    return [
        {"message": message, "remedy": remedy, "requirements": ids}
        for message, remedy, ids in grouped(found)
    ]


def _blockers(entries: Sequence[RequirementEntry]) -> list[BlockerEntry]:
    """The other responses that blocked a check."""
    blocked: dict[str, list[UncheckedEntry]] = {}
    for entry in entries:
        blocking = (found for found in _open(entry) if found["exchanges"])
        messages = (found["message"] for found in blocking if rejection(found) is None)
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
