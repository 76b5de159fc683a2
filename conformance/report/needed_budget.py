"""The needed budget: the request and the second at which each failure of a run was complete.

What was sent after the last of them has found nothing new.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from conformance.contract.quantity import quantity
from conformance.contract.verdict import Level, Verdict
from conformance.report.document_types import (
    CompletionEntry,
    FindingRecord,
    NeededBudgetEntry,
    Report,
    RequirementEntry,
)
from conformance.report.gathered import Gathered


def add(entries: Iterable[RequirementEntry], gathered: Gathered) -> None:
    """Say of each failure when its evidence was complete, the first time that it was seen.

    A requirement on one operation fails once, in however many ways.
    """
    starts = sorted(gathered.started)
    for entry in entries:
        failed = [each for each in gathered.findings[entry["id"]] if each["verdict"] == "fail"]
        for found in entry["findings"]:
            alike = (each for each in failed if each["operation"] == found["operation"])
            ends = list(_ends(alike, gathered))
            if found["verdict"] == Verdict.FAIL and ends and starts:
                found["complete"] = _at(min(ends), starts)


def _ends(alike: Iterable[FindingRecord], gathered: Gathered) -> Iterator[float]:
    """The seconds at which the last exchange of each finding had its response."""
    for found in alike:
        shown = [gathered.evidence[id] for id in found["exchanges"] if id in gathered.evidence]
        if shown:
            yield max(round(each["started"] + each["elapsed"], 6) for each in shown)


def _at(second: float, starts: Sequence[float]) -> CompletionEntry:
    return {"request": bisect_right(starts, second), "second": second}


def entry(entries: Iterable[RequirementEntry]) -> NeededBudgetEntry | None:
    """When the last failure was complete; a requirement on one operation fails once."""
    completions = _completions(entries)
    if not completions:
        return None
    last = max(completions, key=_second)
    return {"failures": len(completions), "request": last["request"], "second": last["second"]}


def _completions(entries: Iterable[RequirementEntry]) -> list[CompletionEntry]:
    """When each failure was complete first."""
    firsts: dict[tuple[str, str | None], CompletionEntry] = {}
    for each in entries:
        for found in each["findings"]:
            if each["level"] != Level.OBSERVE and "complete" in found:
                key = (each["id"], found["operation"])
                first = firsts.setdefault(key, found["complete"])
                firsts[key] = min(first, found["complete"], key=_second)
    return [*firsts.values()]


def _second(complete: CompletionEntry) -> float:
    return complete["second"]


def described(complete: CompletionEntry) -> str:
    """When a failure was complete, in a few words."""
    return f"request {complete['request']:,}, {complete['second']:.1f} s"


def sentence(report: Report) -> str:
    """The needed budget of a run; empty where nothing failed."""
    if "needed-budget" not in report:
        return ""
    needed, sent = report["needed-budget"], report["exchanges"]["count"]
    at = f"{needed['second']:.1f} of {report['duration']:.1f} s"
    number = " and ".join(_counted(report["requirements"]))
    said = f"{number} complete after {needed['request']:,} of {quantity(sent, 'request')}, {at}"
    found = _completions(report["requirements"])
    if len(found) < 2:
        return said
    return f"{said}; the first after {min(found, key=_second)['request']:,}"


def _counted(entries: Sequence[RequirementEntry]) -> Iterator[str]:
    """How many failures of each level there are, as far as there are any."""
    for level, noun in ((Level.MUST, "failure"), (Level.SHOULD, "warning")):
        own = _completions(each for each in entries if each["level"] == level)
        if own:
            yield quantity(len(own), noun)
