"""The report as test cases: one for each requirement and operation."""

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.contract.verdict import Level, Verdict
from conformance.report import coverage, needs
from conformance.report.causes import exhibits
from conformance.report.document import is_checked
from conformance.report.document_types import FindingEntry, Report, RequirementEntry
from conformance.report.reproduction import described
from conformance.report.text import command, visible


@dataclass(frozen=True)
class Case:
    """One case with the findings that decide its verdict.

    `message` is that of the first finding, `text` describes all of them, `known` is the reason why
    a failure is known, and `flaky` how often it fails. Nothing invisible is in them: their readers
    may be terminals.
    """

    requirement: str
    operation: str
    level: str
    conformance_class: str
    section: str
    statement: str
    verdict: str
    message: str
    text: str
    findings: tuple[FindingEntry, ...]
    known: str | None = None
    flaky: str | None = None
    coverage: str = ""
    """How much of the requirement was checked."""
    seconds: float = 0.0
    """How long the requests of its own checks have taken."""

    @property
    def name(self) -> str:
        """The requirement, with its operation in brackets."""
        return f"{self.requirement}[{self.operation}]" if self.operation else self.requirement

    @property
    def reason(self) -> str | None:
        """Why the failure is known, after how often it fails where it is flaky."""
        return f"fails in {self.flaky}: {self.known}" if self.flaky else self.known

    @property
    def counts_as_failure(self) -> bool:
        """Whether it fails a CI job: a failed `must` that is not a known failure."""
        is_failed_must = self.verdict == Verdict.FAIL and self.level == Level.MUST
        return is_failed_must and self.known is None


def cases(report: Report) -> Iterator[Case]:
    """The cases of all requirements whose verdicts count."""
    for entry in report["requirements"]:
        if is_checked(entry):
            for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items():
                yield _case(entry, operation, verdict)


def _case(entry: RequirementEntry, operation: str, verdict: str) -> Case:
    findings = tuple(
        finding
        for finding in entry["findings"]
        if finding["verdict"] == verdict and _is_about(finding, operation)
    )
    return Case(
        requirement=entry["id"],
        operation=operation,
        level=entry["level"],
        conformance_class=entry["class"],
        section=entry["section"],
        statement=entry["statement"],
        verdict=verdict,
        message=visible(findings[0]["message"]) if findings else "",
        text="\n\n".join(_text(entry, finding) for finding in findings),
        findings=findings,
        known=next((finding["known"] for finding in findings if "known" in finding), None),
        flaky=next((finding["flaky"] for finding in findings if "flaky" in finding), None),
        coverage=coverage.described(entry),
        seconds=entry.get("seconds", {}).get(operation, 0.0),
    )


def _is_about(found: FindingEntry, operation: str) -> bool:
    return not operation or found["operation"] in (operation, None)


def _text(entry: RequirementEntry, found: FindingEntry) -> str:
    label = "actual" if found["verdict"] == Verdict.FAIL else "reason"
    lines = [f"requirement: {entry['statement']}", f"{label}: {visible(found['message'])}"]
    if found["expected"]:
        lines.append(f"expected: {visible(found['expected'])}")
    if "reproduction" in found:
        again = found["reproduction"]
        lines += [f"again: {visible(described(again))}", visible(again["again"])]
    if found["needs"]:
        lines.append(f"needs: {visible(needs.described(found))}")
    lines += [command(exchange["curl"]) for exchange in exhibits.of(found).all]
    return "\n".join(filter(None, lines))
