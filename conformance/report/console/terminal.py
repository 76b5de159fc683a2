"""The report as lines for a terminal: failures first, then what is unchecked, then observations."""

from collections.abc import Iterator

from conformance.report.console import conclusion, failures, observed, unchecked
from conformance.report.console.line import Span, plain, visible
from conformance.report.document_types import FindingEntry, Report, RequirementEntry


def lines(report: Report) -> Iterator[str]:
    """The report line by line, without styles."""
    return map(plain, spans(report))


def spans(report: Report) -> Iterator[list[Span]]:
    """The report line by line, in styled spans."""
    for part in (failures, unchecked, observed, conclusion):
        yield from map(visible, part.spans(report))


def finding(entry: RequirementEntry, found: FindingEntry) -> Iterator[str]:
    """One finding: requirement, actual and expected behaviour, request and response."""
    for line in failures.finding(entry, [found]):
        yield plain(visible(line))
