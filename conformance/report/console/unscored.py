"""What a run checked beside the revision that counts, for a terminal; and what is contested."""

from collections.abc import Iterator

from conformance.contract.quantity import quantity
from conformance.contract.verdict import Verdict
from conformance.report.console.line import Span
from conformance.report.document_types import Report, RequirementEntry
from conformance.report.text import short

LONGEST_REASON = 200


def spans(report: Report) -> Iterator[list[Span]]:
    """The requirements that do not count, and those under appeal, line by line."""
    entries = report["requirements"]
    yield from _unscored([entry for entry in entries if "unscored" in entry])
    yield from _contested([entry for entry in entries if "contested" in entry])


def _unscored(entries: list[RequirementEntry]) -> Iterator[list[Span]]:
    if not entries:
        return
    failed = sum(entry["verdict"] == Verdict.FAIL for entry in entries)
    number = quantity(len(entries), "requirement")
    yield [("NOT SCORED", "strong"), (f"  {number}, {failed} of them failed:", "")]
    for entry in entries:
        is_failed = entry["verdict"] == Verdict.FAIL
        verdict = (f"  {entry['verdict']}  ", "warn" if is_failed else "")
        yield [verdict, (entry["id"], "strong"), (f"  {entry['unscored']}", "")]
        if is_failed:
            yield [(f"    {short(entry['findings'][0]['message'], LONGEST_REASON)}", "")]
    yield []


def _contested(entries: list[RequirementEntry]) -> Iterator[list[Span]]:
    if not entries:
        return
    yield [
        ("CONTESTED", "warn"),
        ("  requirements whose appeal is open; they count as before:", ""),
    ]
    for entry in entries:
        reason = short(entry["contested"], LONGEST_REASON)
        yield [(f"  {entry['verdict']}  ", ""), (entry["id"], "strong"), (f"  {reason}", "")]
    yield []
