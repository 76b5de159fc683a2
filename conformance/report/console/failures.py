"""The failures of a run for a terminal, cause by cause, and the internal errors of the checker."""

import re
from collections.abc import Iterator, Sequence

from conformance.contract.verdict import Level, Verdict
from conformance.report.causes.attribution import Also, Cause, attributed
from conformance.report.console.line import Span
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    Report,
    RequirementEntry,
)
from conformance.report.text import short

FAILED = {"must": ("FAILED", "bad"), "should": ("WARNING", "warn")}
ERROR = ("INTERNAL ERROR", "bad")
MOST_STEPS = 3
"""Exchanges that are shown of a finding: the last, and those before it."""

LONGEST_BODY = 600
LONGEST_BODY_BEFORE = 200
LONGEST_COMMAND = 2_000
LONGEST_MESSAGE = 300
MOST_CAUSES = 20
"""Causes that are shown in full; the others get one line for each requirement."""


def spans(report: Report) -> Iterator[list[Span]]:
    """All failures and internal errors, line by line."""
    causes = [*attributed(report), *_errors(report)]
    for cause in causes[:MOST_CAUSES]:
        yield from finding(cause.entry, cause.findings)
        yield from map(_same_cause, cause.also)
        yield []
    rest = [entry for cause in causes[MOST_CAUSES:] for entry in cause.entries]
    known = list(_known(report))
    yield from map(_brief, rest)
    yield from known
    if rest or known:
        yield []


def _errors(report: Report) -> Iterator[Cause]:
    for entry in report["requirements"]:
        if entry["level"] != Level.OBSERVE and entry["verdict"] == Verdict.ERROR:
            yield Cause(entry, (), tuple(_of_verdict(entry)))


def _of_verdict(entry: RequirementEntry) -> list[FindingEntry]:
    """The findings that decide the verdict of a requirement."""
    return [found for found in entry["findings"] if found["verdict"] == entry["verdict"]]


def _known(report: Report) -> Iterator[list[Span]]:
    """The known failures, one line each."""
    for entry in report["requirements"]:
        if entry["level"] == Level.OBSERVE or entry["verdict"] != Verdict.FAIL:
            continue
        for found in _of_verdict(entry):
            if "known" in found:
                reason = short(found["known"], LONGEST_MESSAGE)
                yield [
                    ("KNOWN", "warn"),
                    (f"  {entry['id']}", "strong"),
                    (f"{_on(found)}: {reason}", ""),
                ]


def _brief(entry: RequirementEntry) -> list[Span]:
    """One line about a requirement, where there are too many failures to show all of them."""
    word = _word(entry, entry["verdict"])
    return [word, (f"  {entry['id']}", "strong"), (f"  {entry['statement']}", "")]


def _same_cause(also: Also) -> list[Span]:
    word, style = _word(also.entry, Verdict.FAIL)
    where = f" on {', '.join(also.operations)}" if also.operations else ""
    statement = (f"{where}: {also.entry['statement']}", "")
    return [_label("same cause"), (f"{word} ", style), (also.entry["id"], "strong"), statement]


def _word(entry: RequirementEntry, verdict: str) -> Span:
    if verdict == Verdict.FAIL:
        return FAILED[entry["level"]]
    return ERROR if verdict == Verdict.ERROR else (verdict.upper(), "warn")


def _on(found: FindingEntry) -> str:
    return f"  on {found['operation']}" if found["operation"] else ""


def _label(text: str) -> Span:
    return f"  {text:13}", "dim"


def finding(entry: RequirementEntry, findings: Sequence[FindingEntry]) -> Iterator[list[Span]]:
    """The first finding of a requirement in full; of the others the operations."""
    found, *others = findings
    yield [_word(entry, found["verdict"]), (f"  {entry['id']}", "strong"), (_on(found), "")]
    section = (f"  ({entry['section']})", "dim")
    yield [_label("requirement"), (entry["statement"], ""), section]
    label = "actual" if found["verdict"] == Verdict.FAIL else "reason"
    yield [_label(label), (_message(found), "")]
    if found["expected"]:
        yield [_label("expected"), (short(found["expected"], LONGEST_MESSAGE), "")]
    steps = found["exchanges"][-MOST_STEPS:]
    for exchange in steps:
        longest = LONGEST_BODY if exchange is steps[-1] else LONGEST_BODY_BEFORE
        yield [_label("request"), (_request(exchange["curl"]), "")]
        yield [_label("response"), (_response(exchange, longest), "")]
    if others:
        yield [_label("also"), (_elsewhere(found, others), "")]


def _message(found: FindingEntry) -> str:
    times = f"  ({found['occurrences']} times)" if found["occurrences"] > 1 else ""
    return short(found["message"], LONGEST_MESSAGE) + times


def _elsewhere(first: FindingEntry, others: Sequence[FindingEntry]) -> str:
    named = dict.fromkeys(found["operation"] for found in others)
    places = [name for name in named if name not in (None, first["operation"])]
    where = f"on {', '.join(map(str, places))}" if places else "in other ways"
    return f"{where} (details in report.json)"


def _request(command: str) -> str:
    if len(command) > LONGEST_COMMAND:
        return f"{command[:LONGEST_COMMAND]}… (complete in report.json)"
    if command.isprintable():
        return command
    return f"{command}  (with escaped characters; as it was sent in report.json)"


def _response(exchange: ExchangeEntry, longest: int) -> str:
    response = exchange.get("response")
    if response is None:
        return f"no response: {short(exchange['failure'] or '', LONGEST_MESSAGE)}"
    body = _one_line(response["body"].get("text", "(binary)"))
    return f"{response['status']} {short(body, longest)}"


def _one_line(text: str) -> str:
    """A text without the line breaks of its layout."""
    return re.sub(r"\s*\n\s*", " ", text)
