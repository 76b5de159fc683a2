"""The gate of a run: what was required, and could not be checked.

A run that checked nothing is incomplete. Without a requirement of its own a gate requires the
classes of DEFAULT. There a requirement may lack what the profile does not give, such as a second
credential; it must not have been blocked by the target or by a credential that was rejected. What
is required by name has to be checked whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.contract.verdict import Level, Verdict
from conformance.report.document import is_checked, silent
from conformance.report.document_types import (
    FindingEntry,
    GapEntry,
    GateEntry,
    Report,
    RequirementEntry,
)
from conformance.report.rejections import BLOCKED
from conformance.target.target import Target

DEFAULT = ("read", "authentication")
UNCOUNTED = ("untested", "unscored")
"""What a requirement has that nobody can require to be checked."""

SERVED = "read/success"
"""The requirement without which nothing is known of the responses of a target."""


@dataclass(frozen=True)
class Gap:
    """A required requirement that could not be checked, on some operations; () for all of it."""

    requirement: str
    operations: tuple[str, ...]
    reason: str


def entry(
    entries: Sequence[RequirementEntry],
    every: Sequence[RequirementEntry],
    required: Sequence[str],
    target: Target | None,
    baseline: Report | None = None,
) -> GateEntry:
    """The gate as it stands in a report; `baseline` is a report of an earlier run.

    `entries` are those of the report. `every` has the requirements of the classes that the run left
    out as well: what is required by name, or passed in the baseline, may be among them.
    """
    missing = gaps(every if required else entries, required, target)
    lost = () if baseline is None else _lost(every, baseline["requirements"])
    return {"required": list(required), "gaps": list(map(_gap_entry, _merged([*missing, *lost])))}


def of_others(entries: Sequence[RequirementEntry]) -> GateEntry:
    """The gate of requests that no check has sent: what they do not exercise is required by none.

    Where they exercise nothing at all, everything is missing.
    """
    missing = () if any(map(_is_decided, entries)) else gaps(entries, (), None)
    return {"required": [], "gaps": list(map(_gap_entry, _merged(missing)))}


def _merged(found: Sequence[Gap]) -> list[Gap]:
    """Each requirement once, with all operations, for its first reason; () stays all of it."""
    merged: dict[str, Gap] = {}
    for gap in found:
        first = merged.setdefault(gap.requirement, gap)
        if first.operations and gap.operations:
            operations = tuple(dict.fromkeys([*first.operations, *gap.operations]))
            merged[gap.requirement] = replace(first, operations=operations)
    return list(merged.values())


def _lost(
    entries: Sequence[RequirementEntry], earlier: Sequence[RequirementEntry]
) -> Iterator[Gap]:
    """What passed in an earlier run and could not be checked in this one."""
    passed = {entry["id"]: _passed(entry) for entry in earlier}
    for entry in filter(is_checked, entries):
        lost = [place for place in _undecided(entry) if place in passed.get(entry["id"], ())]
        if lost:
            reason = f"passed in the baseline: {_reason(entry, lost)}"
            yield Gap(entry["id"], tuple(filter(None, lost)), reason)


def _undecided(entry: RequirementEntry) -> list[str | None]:
    """The operations without a verdict; None where the requirement as a whole has none.

    What fails on one operation may have no verdict on another one.
    """
    is_open = entry["verdict"] == Verdict.INCONCLUSIVE
    return [*silent(entry)] or ([None] if is_open else [])


def _reason(entry: RequirementEntry, places: Sequence[str | None]) -> str:
    """The first reason why a requirement has no verdict on one of these operations."""
    open_findings = (each for each in entry["findings"] if each["verdict"] == Verdict.INCONCLUSIVE)
    reasons = (each["message"] for each in open_findings if each["operation"] in (*places, None))
    return next(reasons, "it has no verdict")


def _passed(entry: RequirementEntry) -> frozenset[str | None]:
    """The operations on which a requirement passed; None where it passed as a whole."""
    places = {name for name, verdict in entry["operations"].items() if verdict == Verdict.PASS}
    return frozenset({*places, None} if entry["verdict"] == Verdict.PASS else places)


def _gap_entry(gap: Gap) -> GapEntry:
    operations = list(gap.operations)
    return {"requirement": gap.requirement, "operations": operations, "reason": gap.reason}


def gaps(
    entries: Sequence[RequirementEntry], required: Sequence[str], target: Target | None
) -> tuple[Gap, ...]:
    """What is missing for the gate; `required` names classes and requirements, () the default."""
    if required:
        return tuple(_unchecked(entries, frozenset(required)))
    if not any(map(_is_decided, entries)):
        return tuple(gap for entry in entries for gap in _gap(entry, _open(entry)))
    return tuple(dict.fromkeys([*_unserved(entries), *_blocked(entries, target)]))


def _unchecked(entries: Sequence[RequirementEntry], required: frozenset[str]) -> Iterator[Gap]:
    for entry in entries:
        is_must = entry["level"] == Level.MUST and entry["class"] in required
        if entry["id"] in required or is_must:
            yield from _gap(entry, _open(entry))


def _is_decided(entry: RequirementEntry) -> bool:
    """Whether a requirement that counts passed or failed on any operation."""
    verdicts = (entry["verdict"], *entry["operations"].values())
    return is_checked(entry) and not {Verdict.PASS, Verdict.FAIL}.isdisjoint(verdicts)


def _unserved(entries: Sequence[RequirementEntry]) -> Iterator[Gap]:
    """The requirement of successes, where no operation showed one."""
    for entry in entries:
        if entry["id"] == SERVED and Verdict.PASS not in entry["operations"].values():
            yield from _gap(entry, _open(entry))


def _blocked(entries: Sequence[RequirementEntry], target: Target | None) -> Iterator[Gap]:
    for entry in entries:
        if entry["level"] == Level.MUST and entry["class"] in DEFAULT:
            blocked = [found for found in _open(entry) if _is_blocked(found, target)]
            yield from _gap(entry, blocked)


def _open(entry: RequirementEntry) -> list[FindingEntry]:
    if entry["verdict"] != Verdict.INCONCLUSIVE or not entry.keys().isdisjoint(UNCOUNTED):
        return []
    return [finding for finding in entry["findings"] if finding["verdict"] == Verdict.INCONCLUSIVE]


def _gap(entry: RequirementEntry, findings: Sequence[FindingEntry]) -> Iterator[Gap]:
    if findings:
        operations = dict.fromkeys(finding["operation"] for finding in findings)
        yield Gap(entry["id"], tuple(filter(None, operations)), findings[0]["message"])


def _is_blocked(found: FindingEntry, target: Target | None) -> bool:
    """Whether a response shows that the target, or a credential of the profile, prevented it."""
    return bool(found["exchanges"]) and any(
        need in BLOCKED or _is_stated(need, target) for need in found["needs"]
    )


def _is_stated(need: str, target: Target | None) -> bool:
    area, _, name = need.partition(".")
    if target is None or area != "credentials":
        return False
    credential, _, scheme = name.partition(".")
    found = target.credentials.get(name) or target.credentials.get(credential)
    return found is not None and (not scheme or name == found.name or scheme in found.schemes)
