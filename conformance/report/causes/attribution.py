"""The failures of a report for readers: each requirement under its cause, and none left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.contract.verdict import Level, Verdict
from conformance.report.causes.failure_signature import signature
from conformance.report.causes.severity import Severity, severity
from conformance.report.document import is_checked
from conformance.report.document_types import CauseEntry, FindingEntry, Report, RequirementEntry


@dataclass(frozen=True)
class Also:
    """Another requirement that a cause violates, with its findings on the operations concerned."""

    entry: RequirementEntry
    operations: tuple[str, ...]
    findings: tuple[FindingEntry, ...]


@dataclass(frozen=True)
class Cause:
    """A failed requirement with its findings, the clearest first, and what else fails with it.

    `reason` says why, where that is known.
    """

    entry: RequirementEntry
    operations: tuple[str, ...]
    findings: tuple[FindingEntry, ...]
    also: tuple[Also, ...] = ()
    reason: str | None = None

    @property
    def entries(self) -> tuple[RequirementEntry, ...]:
        """All requirements that it violates."""
        return (self.entry, *(also.entry for also in self.also))

    @property
    def severity(self) -> Severity:
        """The severity of the gravest of its findings."""
        kinds = {signature(found).kind for found in self.findings}
        return min(severity(self.entry["id"], kind) for kind in kinds)


Failed = Mapping[str, tuple[RequirementEntry, Sequence[FindingEntry]]]
"""The failed requirements by id, each with the failures that are not known ones."""


def attributed(report: Report) -> list[Cause]:
    """The causes of all failures that are not known ones, those of a `must` and the gravest first.

    A failed requirement without a cause, or with a known one only, is its own cause.
    """
    failed = _failed(report)
    stated = [cause for cause in report.get("causes", ()) if cause["requirement"] in failed]
    found = [_cause(cause, failed) for cause in stated]
    named = {entry["id"] for cause in found for entry in cause.entries}
    alone = [
        Cause(entry, _operations(findings), tuple(findings))
        for id, (entry, findings) in failed.items()
        if id not in named
    ]
    order = list(failed)

    def rank(cause: Cause) -> tuple[bool, Severity, int]:
        is_warning = cause.entry["level"] != Level.MUST
        return is_warning, cause.severity, order.index(cause.entry["id"])

    return sorted([*found, *alone], key=rank)


def _failed(report: Report) -> Failed:
    failed = {}
    for entry in report["requirements"]:
        if findings := _new_failures(entry):
            failed[entry["id"]] = (entry, findings)
    return failed


def _new_failures(entry: RequirementEntry) -> list[FindingEntry]:
    if not is_checked(entry):
        return []
    failures = (found for found in entry["findings"] if found["verdict"] == Verdict.FAIL)
    return [found for found in failures if "known" not in found]


def _cause(stated: CauseEntry, failed: Failed) -> Cause:
    entry, findings = failed[stated["requirement"]]
    shown = _on(findings, stated["operations"]) or list(findings)

    def is_unclear(found: FindingEntry) -> bool:
        return stated["exchange"] not in [exchange["id"] for exchange in found["exchanges"][-1:]]

    also = []
    for each in stated["also"]:
        if each["requirement"] in failed:
            other, others = failed[each["requirement"]]
            there = _on(others, each["operations"])
            also.append(Also(other, tuple(each["operations"]), tuple(there)))
    operations = tuple(stated["operations"])
    clearest_first = tuple(sorted(shown, key=is_unclear))
    return Cause(entry, operations, clearest_first, tuple(also), stated.get("reason"))


def _on(findings: Sequence[FindingEntry], operations: Sequence[str]) -> list[FindingEntry]:
    if not operations:
        return list(findings)
    return [finding for finding in findings if finding["operation"] in operations]


def _operations(findings: Sequence[FindingEntry]) -> tuple[str, ...]:
    named = (finding["operation"] for finding in findings)
    return tuple(dict.fromkeys(name for name in named if name))
