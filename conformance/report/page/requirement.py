"""The requirements of a report as the page shows them: with verdict, findings and exchanges."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from conformance.contract.verdict import Level, Verdict
from conformance.report import coverage, needed_budget, repetition
from conformance.report.causes import exhibits
from conformance.report.causes.attribution import Cause, attributed
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    Report,
    RequirementEntry,
)
from conformance.report.page.pane import Pane
from conformance.report.page.room import Panes, panes
from conformance.report.reproduction import described
from conformance.report.text import short_with_length

LONGEST_MESSAGE = 600
MOST_OPERATIONS = 3
WHOLE = "the deployment as a whole"
WORDS = {
    "failed": "failed",
    "error": "internal error",
    "warning": "warning",
    "unchecked": "not checked",
    "passed": "passed",
    "inapplicable": "not applicable",
    "untested": "not testable",
    "unscored": "not scored",
    "observed": "observed",
}
"""What the page calls each outcome of a requirement."""

OUTCOMES = {
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "unchecked",
    Verdict.PASS: "passed",
    Verdict.NOT_APPLICABLE: "inapplicable",
}


@dataclass(frozen=True)
class ShownExchange:
    """An exchange of a finding; `pane` is None if the page has no room for it."""

    id: str
    pane: Pane | None


@dataclass(frozen=True)
class ShownFinding:
    """A finding with its exchanges; `known` is the reason why it is a known failure, and
    `flaky` how often it fails where that is known.

    `exchanges` show what is wrong, the offending one first, and `others` led to them. `complete` is
    the request, and the second, at which they were there. `again` says whether it was seen again,
    `command` how to see it where its exchanges do not, `check_again` how to check it alone.
    """

    verdict: str
    operation: str | None
    message: str
    expected: str
    occurrences: int
    known: str | None
    flaky: str
    complete: str
    again: str
    command: str
    check_again: str
    exchanges: tuple[ShownExchange, ...]
    others: tuple[ShownExchange, ...]


@dataclass(frozen=True)
class AlsoFailed:
    """A requirement that fails for the same reason; `operations` in one text."""

    id: str
    operations: str
    statement: str


@dataclass(frozen=True)
class ShownRequirement:
    """One requirement; `outcome` is a key of WORDS.

    `also` fails for the same reason; `causes` are the requirements that this one is shown under.
    `note` says why it does not count, or which appeal is open, and `why` what has caused it, where
    that is known.
    """

    id: str
    level: str
    conformance_class: str
    section: str
    statement: str
    outcome: str
    operations: tuple[str, ...]
    findings: tuple[ShownFinding, ...]
    also: tuple[AlsoFailed, ...] = ()
    causes: tuple[str, ...] = ()
    coverage: str = ""
    note: str = ""
    why: str = ""

    @property
    def where(self) -> tuple[str, ...]:
        """The operations of the findings; without findings all operations of the requirement."""
        found = (finding.operation for finding in self.findings)
        return tuple(dict.fromkeys(name for name in found if name)) or self.operations

    @property
    def place(self) -> str:
        """The operations in a few words."""
        named, more = self.where[:MOST_OPERATIONS], len(self.where[MOST_OPERATIONS:])
        if not named:
            return WHOLE
        return ", ".join(named) + (f" and {more} more" if more else "")

    @property
    def reason(self) -> str:
        """The message of the first finding."""
        return self.findings[0].message if self.findings else ""


def requirements(report: Report) -> list[ShownRequirement]:
    """All requirements of a report, in its order."""
    causes = attributed(report)
    clearest = {cause.entry["id"]: cause.findings[0] for cause in reversed(causes)}
    findings = {
        entry["id"]: _ordered(entry, clearest.get(entry["id"])) for entry in report["requirements"]
    }
    shown = [entry for entry in report["requirements"] if _has_room(entry)]
    found = panes([(_is_late(entry), entry["id"], findings[entry["id"]]) for entry in shown])
    return [
        _shown(report, entry, findings[entry["id"]], found, causes)
        for entry in report["requirements"]
    ]


def _has_room(entry: RequirementEntry) -> bool:
    return outcome(entry) not in ("untested", "observed")


def _is_late(entry: RequirementEntry) -> bool:
    return outcome(entry) == "unchecked"


def _ordered(entry: RequirementEntry, clearest: FindingEntry | None) -> list[FindingEntry]:
    """The findings that decide the verdict, the clearest one first."""
    deciding = [found for found in entry["findings"] if found["verdict"] == entry["verdict"]]
    return sorted(deciding, key=lambda found: found is not clearest)


def _shown(
    report: Report,
    entry: RequirementEntry,
    findings: Sequence[FindingEntry],
    found: Panes,
    causes: Sequence[Cause],
) -> ShownRequirement:
    own = [cause for cause in causes if cause.entry["id"] == entry["id"]]
    again = partial(repetition.of_failure, report, entry["id"])
    numbered = enumerate(findings)
    return ShownRequirement(
        id=entry["id"],
        level=entry["level"],
        conformance_class=entry["class"],
        section=entry["section"],
        statement=entry["statement"],
        outcome=outcome(entry),
        operations=tuple(entry["operations"]),
        findings=tuple(
            _finding(each, (entry["id"], number), found, again) for number, each in numbered
        ),
        also=tuple(_also(own)),
        causes=() if own else tuple(_causes_of(entry["id"], causes)),
        coverage=coverage.described(entry),
        note=_note(entry),
        why=next((cause.reason for cause in own if cause.reason), ""),
    )


def _note(entry: RequirementEntry) -> str:
    """What the revision of the run says of a requirement, with its verdict."""
    if "unscored" in entry:
        return f"{entry['verdict']}, and not scored: {entry['unscored']}"
    return f"contested: {entry['contested']}" if "contested" in entry else ""


def _also(causes: Sequence[Cause]) -> Iterator[AlsoFailed]:
    for cause in causes:
        for also in cause.also:
            operations = ", ".join(also.operations)
            yield AlsoFailed(also.entry["id"], operations, also.entry["statement"])


def _causes_of(id: str, causes: Sequence[Cause]) -> Iterator[str]:
    for cause in causes:
        if any(also.entry["id"] == id for also in cause.also):
            yield cause.entry["id"]


def outcome(entry: RequirementEntry) -> str:
    """The key of WORDS for a requirement."""
    if entry["level"] == Level.OBSERVE:
        return "observed"
    for reason in ("untested", "unscored"):
        if reason in entry:
            return reason
    if entry["verdict"] == Verdict.FAIL:
        return "failed" if entry["level"] == Level.MUST else "warning"
    return OUTCOMES[Verdict(entry["verdict"])]


def _finding(
    found: FindingEntry,
    key: tuple[str, int],
    shown: Mapping[tuple[str, int, str], Pane],
    again: Callable[[str | None], str],
) -> ShownFinding:
    def with_panes(exchanges: Sequence[ExchangeEntry]) -> tuple[ShownExchange, ...]:
        return tuple(ShownExchange(each["id"], shown.get((*key, each["id"]))) for each in exchanges)

    split = exhibits.of(found)
    return ShownFinding(
        verdict=found["verdict"],
        operation=found["operation"],
        message=short_with_length(found["message"], LONGEST_MESSAGE),
        expected=short_with_length(found["expected"], LONGEST_MESSAGE),
        occurrences=found["occurrences"],
        known=found.get("known"),
        flaky=found.get("flaky", ""),
        complete=needed_budget.described(found["complete"]) if "complete" in found else "",
        again=described(found["reproduction"]) if "reproduction" in found else "",
        command=found["reproduction"]["again"] if "reproduction" in found else "",
        check_again=again(found["operation"]) if found["verdict"] == Verdict.FAIL else "",
        exchanges=with_panes(split.decisive),
        others=with_panes(split.others),
    )
