"""The exchanges that the page has room for, those that show most first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from conformance.report.causes import exhibits, location
from conformance.report.document_types import ExchangeEntry, FindingEntry
from conformance.report.page.pane import Pane, pane

ROOM = 1_100_000
"""Bytes of HTML for the exchanges of all findings; the others are in report.json only."""

LATE = 3
"""What the rank of an exchange grows by if its requirement is not checked."""

Panes = Mapping[tuple[str, int, str], Pane]
"""The pane of each shown exchange, by requirement, number of the finding, and id."""

Findings = tuple[bool, str, Sequence[FindingEntry]]
"""Whether a requirement comes late, its id, and its findings in their order."""


class Candidate(NamedTuple):
    """An exchange that may be shown; those with the lowest rank come first."""

    rank: int
    key: tuple[str, int, str]
    finding: FindingEntry
    exchange: ExchangeEntry


def panes(findings: Iterable[Findings]) -> Panes:
    """The panes of as many exchanges as there is room for."""
    found: dict[tuple[str, int, str], Pane] = {}
    size = 0
    for candidate in sorted(_candidates(findings), key=lambda each: each.rank):
        shown = _pane(candidate)
        size += shown.size
        if size > ROOM:
            break
        found[candidate.key] = shown
    return found


def _pane(candidate: Candidate) -> Pane:
    is_last = candidate.exchange is candidate.finding["exchanges"][-1]
    defect = candidate.finding.get("defect")
    marks = location.marks(defect, candidate.exchange, is_last=is_last)
    return pane(candidate.exchange, marks)


def _candidates(findings: Iterable[Findings]) -> Iterator[Candidate]:
    for is_late, id, some in findings:
        for number, found in enumerate(some):
            shown = exhibits.of(found)
            for exchange in shown.all:
                is_decisive = exchange in shown.decisive
                rank = (LATE if is_late else 0) + (1 if number else 0) + (0 if is_decisive else 1)
                yield Candidate(rank, (id, number, exchange["id"]), found, exchange)
