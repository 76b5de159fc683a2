"""The report of a run, assembled from what was gathered of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from typing import Any

from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Conclusion, Verdict
from conformance.http import serialization
from conformance.report import (
    coverage,
    document,
    exchange_log,
    gate,
    known_failures,
    known_gaps,
    named_ids,
    needed_budget,
    prospect,
    unchecked,
)
from conformance.report.causes import grouping
from conformance.report.document_types import (
    AboutEntry,
    FindingEntry,
    LedgerEntry,
    Report,
    ReproductionEntry,
    RequirementEntry,
    SuiteEntry,
)
from conformance.report.gathered import Gathered
from conformance.report.known_failures import Known
from conformance.report.latency import latencies
from conformance.report.selection import Selection
from conformance.target.target import Target

FailureKey = tuple[str, str | None, str]
"""What names a failure of a run: its requirement, operation and message."""


@dataclass(frozen=True)
class Assembly:
    """What the report of a run says beside what was gathered; `target` is None if it is unknown.

    `required` are the classes and requirements of the gate, `baseline` is an earlier report, and
    `whole` are the rounds that have come to their ends.
    """

    about: AboutEntry
    catalogue: Mapping[str, Requirement]
    target: Target | None
    required: tuple[str, ...]
    known: tuple[Known, ...] | None
    baseline: Report | None
    reproductions: Mapping[FailureKey, ReproductionEntry]
    whole: list[str] | None = None

    def report(self, gathered: Gathered, *, seconds: float, interrupted: bool) -> Report:
        """The report of a run that took some seconds so far."""
        suite, every = self.about["suite"], self._requirements(gathered)
        asked = self._asked
        entries = [each for each in every if _is_reported(each, asked)]
        if "only" in suite:
            every = entries  # what was not asked for is no gap
        report: Report = {
            "format": document.FORMAT,
            "verdict": _conclusion(entries, suite, interrupted=interrupted).value,
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
                entries, suite, self.target.stated if self.target else (), interrupted=interrupted
            ),
            "observations": document.observations(gathered.observations),
            "ledger": list(map(_approval, gathered.ledger)),
            "gate": gate.of_others(entries)
            if "subject" in suite
            else gate.entry(entries, every, self.required, self.target, self.baseline),
        }
        if self.whole is not None:
            report["whole"] = self.whole
        _add_notes(report, gathered)
        if self.known is not None:
            _mark_known(report, self.known)
        return report

    @cached_property
    def _asked(self) -> Mapping[str, Requirement]:
        """The requirements that the run was asked for, with the operations."""
        chosen, classes = Selection.of(self.about["suite"]), self.about["suite"]["classes"]
        catalogue = self.catalogue if chosen is None else chosen.narrowed(self.catalogue)
        return {id: each for id, each in catalogue.items() if each.conformance_class in classes}

    def _requirements(self, gathered: Gathered) -> list[RequirementEntry]:
        catalogue = {**self.catalogue, **self._asked}
        entries = [self._requirement(stated, gathered) for stated in catalogue.values()]
        for found in (each for entry in entries for each in entry["findings"]):
            _name_checks(found, gathered.needed_by)
        if self.target is not None:
            named_ids.add(entries, self.target.fixtures)
            _add_connection(entries, self.target.gateway.curl)
        needed_budget.add(entries, gathered)
        if self.reproductions:
            self._add_reproductions(entries)
        return entries

    def _requirement(self, stated: Requirement, gathered: Gathered) -> RequirementEntry:
        findings = gathered.findings[stated.id]
        entry = document.requirement(stated, findings, gathered.evidence, self._needs)
        entry["coverage"] = coverage.of_requirement(stated, entry, findings)
        if seconds := gathered.seconds(stated.id):
            entry["seconds"] = seconds
        return entry

    def _needs(self, stated: Requirement, operation: str | None) -> Iterable[str]:
        """What is needed to see a requirement: of a known target, what its profile lacks."""
        return (
            stated.needs
            if self.target is None
            else prospect.lacking(stated, operation, self.target)
        )

    def _add_reproductions(self, entries: Sequence[RequirementEntry]) -> None:
        for entry in entries:
            for found in entry["findings"]:
                key = (entry["id"], found["operation"], found["message"])
                if found["verdict"] == Verdict.FAIL and key in self.reproductions:
                    found["reproduction"] = self.reproductions[key]


def _is_reported(entry: RequirementEntry, asked: Collection[str]) -> bool:
    """Whether a run was asked for a requirement, or has seen it go wrong."""
    is_wrong = entry["verdict"] == Verdict.FAIL or document.has_error(entry)
    return entry["id"] in asked or is_wrong


def _conclusion(
    entries: Sequence[RequirementEntry], suite: SuiteEntry, *, interrupted: bool
) -> Conclusion:
    """The verdict of a run; a narrowed one, which has not seen the rest, is never conformant."""
    is_narrow = suite["depth"] in document.NARROW and not interrupted
    found = document.conclusion(entries, narrow=is_narrow)
    is_partial = "only" in suite and found is Conclusion.CONFORMANT
    return Conclusion.INCONCLUSIVE if is_partial else found


def _add_connection(entries: Sequence[RequirementEntry], words: Sequence[str]) -> None:
    """Give the commands what the gateway in front of the target asks for."""
    shown = (found["exchanges"] for entry in entries for found in entry["findings"])
    for exchange in chain.from_iterable(shown if words else ()):
        exchange["curl"] = serialization.curl(exchange["request"], words)


def _name_checks(found: FindingEntry, needed_by: Mapping[str, Collection[str]]) -> None:
    """Name the checks that have to be performed to see once more what facts have shown."""
    checks = {check for item in found["items"] for check in needed_by.get(item, ())}
    if checks and found["verdict"] == Verdict.FAIL:
        found["checks"] = sorted(checks)[: document.MOST_FINDINGS]


def _add_notes(report: Report, gathered: Gathered) -> None:
    """Add what only some runs have: the needed budget, budgets that ran out, circumstances."""
    if needed := needed_budget.entry(report["requirements"]):
        report["needed-budget"] = needed
    if gathered.budgets:
        budgets = gathered.budgets.items()
        report["budgets"] = [{"budget": name, "count": number} for name, number in budgets]
    if circumstances := gathered.circumstances.entry:
        report["circumstances"] = circumstances


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
