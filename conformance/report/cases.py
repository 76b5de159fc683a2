"""The report as test cases, one for each requirement and operation, as the formats of other tools want it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.report.document import is_checked


@dataclass(frozen=True)
class Case:
    """One case; `message` is the first line of what is to be said, `text` all of it, `known` why a failure is let pass.

    `findings` are those that come to its verdict, as they stand in the report.
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
    findings: tuple[Mapping[str, Any], ...]
    known: str | None = None

    @property
    def name(self) -> str:
        """The requirement, with its operation in brackets."""
        return f"{self.requirement}[{self.operation}]" if self.operation else self.requirement

    @property
    def is_broken(self) -> bool:
        """Whether it closes a gate: a broken `must` that nobody knows of."""
        return self.verdict == "fail" and self.level == "must" and self.known is None


def cases(report: Mapping[str, Any]) -> Iterator[Case]:
    """The cases of all requirements that are judged."""
    for entry in report["requirements"]:
        if is_checked(entry):
            for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items():
                yield _case(entry, operation, verdict)


def _case(entry: Mapping[str, Any], operation: str, verdict: str) -> Case:
    findings = [
        found
        for found in entry["findings"]
        if not operation or found["operation"] in (operation, None)
    ]
    told = [found for found in findings if found["verdict"] == verdict]
    return Case(
        requirement=entry["id"],
        operation=operation,
        level=entry["level"],
        conformance_class=entry["class"],
        section=entry["section"],
        statement=entry["statement"],
        verdict=verdict,
        message=told[0]["message"] if told else "",
        text="\n\n".join(_text(entry, found) for found in told),
        findings=tuple(told),
        known=next((found["known"] for found in told if "known" in found), None),
    )


def _text(entry: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    lines = [entry["statement"], found["message"]]
    lines += [f"expected: {found['expected']}"] if found["expected"] else []
    lines += [f"needs: {', '.join(found['needs'])}"] if found["needs"] else []
    lines += [exchange["curl"] for exchange in found["exchanges"]]
    return "\n".join(lines)
