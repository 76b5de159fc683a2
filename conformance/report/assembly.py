"""The report of a run, assembled from what was gathered of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Verdict
from conformance.report import (
    coverage,
    document,
    exchange_log,
    gate,
    known_failures,
    known_gaps,
    named_ids,
    unchecked,
)
from conformance.report.causes import grouping
from conformance.report.document_types import (
    AboutEntry,
    LedgerEntry,
    Report,
    ReproductionEntry,
    RequirementEntry,
)
from conformance.report.gathered import Gathered
from conformance.report.known_failures import Known
from conformance.report.latency import latencies
from conformance.target.target import Target

FailureKey = tuple[str, str | None, str]
"""What names a failure of a run: its requirement, operation and message."""


@dataclass(frozen=True)
class Assembly:
    """What the report of a run says beside what was gathered; `target` is None if it is unknown.

    `required` are the classes and requirements of the gate, `baseline` is an earlier report.
    """

    about: AboutEntry
    catalogue: Mapping[str, Requirement]
    target: Target | None
    required: tuple[str, ...]
    known: tuple[Known, ...] | None
    baseline: Report | None
    reproductions: Mapping[FailureKey, ReproductionEntry]

    def report(self, gathered: Gathered, *, seconds: float, interrupted: bool) -> Report:
        """The report of a run that took some seconds so far."""
        suite, every = self.about["suite"], self._requirements(gathered)
        entries = [each for each in every if _is_reported(each, suite["classes"])]
        narrow = suite["depth"] in document.NARROW and not interrupted
        report: Report = {
            "format": document.FORMAT,
            "verdict": document.conclusion(entries, narrow=narrow).value,
            "interrupted": interrupted,
            "suite": suite,
            "target": self.about["target"],
            "started": self.about["started"],
            "duration": round(seconds, 3),
            "counts": document.counts(entries),
            "coverage": coverage.total(entries),
            "exchanges": {
                "count": gathered.exchanges,
                "methods": gathered.methods,
                "file": exchange_log.EXCHANGES,
            },
            "latencies": latencies(gathered.elapsed),
            "requirements": entries,
            "causes": grouping.causes(entries, gathered.findings, gathered.evidence),
            "unchecked": unchecked.remainder(
                entries, suite["classes"], suite["depth"], interrupted=interrupted
            ),
            "observations": document.observations(gathered.observations),
            "ledger": list(map(_approval, gathered.ledger)),
            "gate": gate.entry(entries, every, self.required, self.target, self.baseline),
        }
        if gathered.budgets:
            budgets = gathered.budgets.items()
            report["budgets"] = [{"budget": name, "count": number} for name, number in budgets]
        if circumstances := gathered.circumstances.entry:
            report["circumstances"] = circumstances
        if self.known is not None:
            _mark_known(report, self.known)
        return report

    def _requirements(self, gathered: Gathered) -> list[RequirementEntry]:
        entries = [_requirement(stated, gathered) for stated in self.catalogue.values()]
        if self.target is not None:
            named_ids.add(entries, self.target.fixtures)
        if self.reproductions:
            self._add_reproductions(entries)
        return entries

    def _add_reproductions(self, entries: Sequence[RequirementEntry]) -> None:
        for entry in entries:
            for found in entry["findings"]:
                key = (entry["id"], found["operation"], found["message"])
                if found["verdict"] == Verdict.FAIL and key in self.reproductions:
                    found["reproduction"] = self.reproductions[key]


def _is_reported(entry: RequirementEntry, classes: Collection[str]) -> bool:
    """Whether a requirement belongs to the classes of a run, or the run has seen it go wrong."""
    is_wrong = entry["verdict"] == Verdict.FAIL or document.has_error(entry)
    return entry["class"] in classes or is_wrong


def _requirement(stated: Requirement, gathered: Gathered) -> RequirementEntry:
    findings = gathered.findings[stated.id]
    entry = document.requirement(stated, findings, gathered.evidence)
    entry["coverage"] = coverage.of_requirement(stated, entry, findings)
    if seconds := gathered.seconds(stated.id):
        entry["seconds"] = seconds
    return entry


def _mark_known(report: Report, known: Sequence[Known]) -> None:
    """Mark the failures and gaps of a report that are known."""
    today = datetime.now(UTC).date()
    known_failures.mark(report, known, today)
    known_gaps.mark(report, known, today)
    if "shard" in report["suite"]:
        report["known-failures"]["stale"] = []  # they may concern another shard


def _approval(observed: Sequence[Any]) -> LedgerEntry:
    _, review, attempt = observed
    return {"review": review, "key": attempt["key"], "revision": attempt["revision"]}
