"""The failures of a run for a terminal, cause by cause, and the internal errors of the checker."""

from collections.abc import Iterator, Sequence

from conformance.contract.quantity import quantity
from conformance.contract.requirements import CLIENT
from conformance.contract.verdict import Level, Verdict
from conformance.report import needed_budget, repetition, reproduction
from conformance.report.causes import exhibits, location
from conformance.report.causes.attribution import Also, Cause, attributed
from conformance.report.console import exchange
from conformance.report.console.line import LABEL, LAID_OUT, Span, label
from conformance.report.document_types import (
    FindingEntry,
    Report,
    RequirementEntry,
)
from conformance.report.text import short

FAILED = {"must": ("FAILED", "bad"), "should": ("WARNING", "warn")}
KNOWN = ("KNOWN", "warn")
FLAKY = ("FLAKY", "warn")
ERROR = ("INTERNAL ERROR", "bad")
MOST_STEPS = 3
"""Exchanges that are shown of a finding."""

LONGEST_MESSAGE = 300
LONGEST_ALSO = 60
MOST_ALSO = 5
MOST_CAUSES = 20
"""Causes that are shown in full unless all are; the others get one line a requirement."""


def spans(report: Report, width: int, *, show_all: bool = False) -> Iterator[list[Span]]:
    """All failures and internal errors, line by line; each cause in full where `show_all`."""
    causes = _causes(report)
    most = len(causes) if show_all else MOST_CAUSES
    for cause in causes[:most]:
        if cause.reason:
            yield [("CAUSE", "bad"), (f"   {cause.reason}", "strong")]
        yield from finding(cause.entry, cause.findings, width)
        yield from _check_again(report, cause, width)
        yield from map(_same_cause, cause.also)
        yield []
    rest = [entry for cause in causes[most:] for entry in cause.entries]
    known = list(_known(report))
    yield from map(_brief, rest)
    yield from known
    if rest or known:
        yield []


def _check_again(report: Report, cause: Cause, width: int) -> Iterator[list[Span]]:
    """The command that performs the check of a failure alone."""
    command = repetition.of_failure(report, cause.entry["id"], cause.findings[0]["operation"])
    first, *rest = exchange.command(command, width - LABEL)
    yield [label("check again"), (first, "dim")]
    for text in rest:
        yield [(exchange.MARGIN, LAID_OUT), (text, "dim")]


def once_more(report: Report, width: int) -> Iterator[list[Span]]:
    """Each failed requirement in one line, for the end of the screen."""
    failed: dict[str, tuple[RequirementEntry, Sequence[FindingEntry]]] = {}
    for cause in _causes(report):
        failed.setdefault(cause.entry["id"], (cause.entry, cause.findings))
        for also in cause.also:
            failed.setdefault(also.entry["id"], (also.entry, also.findings))
    longest = max(map(len, failed), default=0)
    if failed:
        yield []
    for id, (entry, findings) in failed.items():
        word, style = _word(entry, findings[0]["verdict"])
        start = f"{word.removeprefix('INTERNAL '):7}  {id:{longest}}"
        reason = f"  {_reason(findings)}"
        yield [(start, style), (short(reason, max(width - len(start) - 1, 20)), "")]


def _reason(findings: Sequence[FindingEntry]) -> str:
    first = findings[0]["message"]
    operations = dict.fromkeys(found["operation"] for found in findings if found["operation"])
    if not operations:
        return first
    place, *others = operations
    more = f" and {len(others)} more" if others else ""
    return f"{place}{more}: {first}"


def _causes(report: Report) -> list[Cause]:
    return [*attributed(report), *_errors(report)]


def _errors(report: Report) -> Iterator[Cause]:
    for entry in report["requirements"]:
        if errors := _of_verdict(entry, Verdict.ERROR):
            yield Cause(entry, (), tuple(errors))


def _of_verdict(entry: RequirementEntry, verdict: Verdict) -> list[FindingEntry]:
    return [found for found in entry["findings"] if found["verdict"] == verdict]


def _known(report: Report) -> Iterator[list[Span]]:
    """The known failures, one line each; those that are flaky say how often they fail."""
    for entry in report["requirements"]:
        if entry["level"] == Level.OBSERVE or entry["verdict"] != Verdict.FAIL:
            continue
        for found in _of_verdict(entry, Verdict.FAIL):
            if "known" in found:
                reason = short(found["known"], LONGEST_MESSAGE)
                word, share = KNOWN, ""
                if "flaky" in found:
                    word, share = FLAKY, f", fails in {found['flaky']}"
                yield [word, (f"  {entry['id']}", "strong"), (f"{_on(found)}{share}: {reason}", "")]


def _brief(entry: RequirementEntry) -> list[Span]:
    """One line about a requirement, where there are too many failures to show all of them."""
    word = _word(entry, entry["verdict"])
    return [word, (f"  {entry['id']}", "strong"), (f"  {entry['statement']}", "")]


def _same_cause(also: Also) -> list[Span]:
    word, style = _word(also.entry, Verdict.FAIL)
    where = f" on {', '.join(also.operations)}" if also.operations else ""
    statement = (f"{where}: {also.entry['statement']}", "")
    return [label("same cause"), (f"{word} ", style), (also.entry["id"], "strong"), statement]


def _word(entry: RequirementEntry, verdict: str) -> Span:
    if verdict == Verdict.FAIL:
        return FAILED[entry["level"]]
    return ERROR if verdict == Verdict.ERROR else (verdict.upper(), "warn")


def _on(found: FindingEntry) -> str:
    return f"  on {found['operation']}" if found["operation"] else ""


def finding(
    entry: RequirementEntry, findings: Sequence[FindingEntry], width: int
) -> Iterator[list[Span]]:
    """The first finding of a requirement in full; of the others the operations."""
    found, *others = findings
    yield [_word(entry, found["verdict"]), (f"  {entry['id']}", "strong"), (_on(found), "")]
    section = (f"  ({entry['section']})", "dim")
    yield [label("requirement"), (entry["statement"], ""), section]
    style = "strong" if found["verdict"] == Verdict.FAIL else ""
    name = "actual" if found["verdict"] == Verdict.FAIL else "reason"
    yield [label(name), (short(found["message"], LONGEST_MESSAGE), style)]
    if found["expected"]:
        yield [label("expected"), (short(found["expected"], LONGEST_MESSAGE), "")]
    if seen := ", ".join(_seen(entry, found)):
        yield [label("seen"), (seen, "")]
    if "complete" in found:
        yield [label("complete"), (needed_budget.described(found["complete"]), "")]
    yield from _again(found, width)
    yield from _ids(found)
    yield from _exchanges(found, width)
    if others:
        yield [label("also"), (_elsewhere(found, others), "")]


def _seen(entry: RequirementEntry, found: FindingEntry) -> Iterator[str]:
    """How often the failure was seen."""
    if "responses" in found:
        share = found["responses"]
        yield f"in {share['wrong']:,} of {quantity(share['checked'], 'response')}"
    elif entry["class"] == CLIENT:
        yield quantity(found["occurrences"], "time")
    elif found["occurrences"] > 1:
        yield f"by {quantity(found['occurrences'], 'check')}"


def _again(found: FindingEntry, width: int) -> Iterator[list[Span]]:
    """Whether the failure was seen again, and the command that shows it where its own do not."""
    if "reproduction" not in found:
        return
    yield [label("again"), (reproduction.described(found["reproduction"]), "")]
    again = found["reproduction"]["again"]
    for text in exchange.command(again, width - LABEL) if again else ():
        yield [(exchange.MARGIN, LAID_OUT), (text, "dim")]


def _ids(found: FindingEntry) -> Iterator[list[Span]]:
    """The ids of the request that are from the profile."""
    named = found["condition"].get("ids", {}) if "condition" in found else {}
    for id, key in named.items():
        yield [label("from profile"), (f"{id} is {key}", "")]


def _exchanges(found: FindingEntry, width: int) -> Iterator[list[Span]]:
    """The exchanges of the finding; of a rule that many responses violate, the first of them."""
    shown = exhibits.of(found)
    steps = shown.decisive if "responses" in found else shown.all[:MOST_STEPS]
    for step in steps:
        marks = location.marks(found.get("defect"), step, is_last=step is found["exchanges"][-1])
        yield from exchange.spans(step, marks, width, brief=step not in shown.decisive)


def _elsewhere(first: FindingEntry, others: Sequence[FindingEntry]) -> str:
    """What else is wrong there, and where the same requirement is violated as well."""
    there = (None, first["operation"])
    own = dict.fromkeys(each["message"] for each in others if each["operation"] in there)
    named = [short(message, LONGEST_ALSO) for message in own if message != first["message"]]
    operations = (each["operation"] for each in others)
    places = dict.fromkeys(str(each) for each in operations if each not in there)
    more = [f"{len(named) - MOST_ALSO} more"] if len(named) > MOST_ALSO else []
    elsewhere = [f"on {', '.join(places)}"] if places else []
    text = "; ".join([*named[:MOST_ALSO], *more, *elsewhere])
    return f"{text or 'in other ways'} (details in report.json)"
