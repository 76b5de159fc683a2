"""Known gaps: requirements that cannot be checked on a target, accepted by name."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from conformance.contract.verdict import Level
from conformance.report.document import is_undecided, silent
from conformance.report.document_types import GapEntry, Report, RequirementEntry
from conformance.report.known_failures import Failure, Known, is_whole


def mark(report: Report, entries: Sequence[Known], today: date) -> None:
    """Mark the accepted gaps of a report whose known failures are marked.

    An entry is stale if everything that it covers was checked, or if it has expired.
    """
    gaps = [entry for entry in entries if entry.is_gap]
    live = [entry for entry in gaps if entry.is_live(today)]
    undecided = list(unchecked(report["requirements"]))
    known = report["known-failures"]
    known["accepted"] = [list(pair) for pair in undecided if _reason(pair, live) is not None]
    if "gate" in report:
        report["gate"]["gaps"] = [
            part for gap in report["gate"]["gaps"] for part in _parts(gap, live)
        ]
    if is_whole(report):
        present = {entry["id"] for entry in report["requirements"]}
        known["stale"] += [
            {"requirement": entry.requirement, "operation": entry.operation, "problem": problem}
            for entry, problem in _stale(gaps, undecided, today)
            if entry.requirement in present
        ]


def unchecked(entries: Iterable[RequirementEntry]) -> Iterator[Failure]:
    """The requirements without a verdict, by operation; None where it concerns the whole."""
    for entry in filter(is_undecided, entries):
        operations: list[str | None] = [*silent(entry)]
        for operation in operations or [None]:
            yield entry["id"], operation


def holds(entry: Known, report: Report) -> bool | None:
    """Whether something that an entry covers is unchecked; None where the run was not asked."""
    named = [each for each in report["requirements"] if each["id"] == entry.requirement]
    if any(entry.covers(*pair) for pair in unchecked(named)):
        return True
    return False if named and is_whole(report) else None


def are_all_accepted(report: Report) -> bool:
    """Whether each `must` that was not checked is an accepted gap."""
    if "known-failures" not in report:
        return False
    accepted = {(id, name) for id, name in report["known-failures"].get("accepted", [])}
    musts = (entry for entry in report["requirements"] if entry["level"] == Level.MUST)
    return accepted.issuperset(unchecked(musts))


def _reason(pair: Failure, live: Sequence[Known]) -> str | None:
    return next((entry.reason for entry in live if entry.covers(*pair)), None)


def _parts(gap: GapEntry, live: Sequence[Known]) -> Iterator[GapEntry]:
    """A gap of the gate: the part that is accepted, with its reason, and the rest."""
    operations: list[str | None] = [*gap["operations"]] or [None]
    by_reason: dict[str | None, list[str]] = {}
    for operation in operations:
        reason = _reason((gap["requirement"], operation), live)
        by_reason.setdefault(reason, []).extend([operation] if operation else [])
    for reason, some in by_reason.items():
        part: GapEntry = {**gap, "operations": some}
        if reason is not None:
            part["known"] = reason
        yield part


def _stale(
    gaps: Sequence[Known], undecided: Sequence[Failure], today: date
) -> Iterator[tuple[Known, str]]:
    for entry in gaps:
        if not entry.is_live(today):
            yield entry, f"expired on {entry.expires}"
        elif not any(entry.covers(*pair) for pair in undecided):
            yield entry, "is checked now"
