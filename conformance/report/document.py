"""The requirements of a report with their verdicts, and what follows from them for the run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Conclusion, Level, Verdict, conclude, worst
from conformance.report import finding
from conformance.report.document_types import (
    ExchangeEntry,
    FindingEntry,
    FindingRecord,
    ObservationEntry,
    RequirementEntry,
)

FORMAT = 1
MOST_FINDINGS = 12
COUNTED = (Level.MUST, Level.SHOULD)
NARROW = ("smoke", "quick")
"""The depths that leave out checks: what they check is named with every verdict."""
Seen = tuple[str | None, Verdict]
"""An operation, or None for the deployment as a whole, and the verdict of one finding on it."""

Needs = Callable[[Requirement, str | None], Iterable[str]]
"""What is needed to see a requirement on an operation, or at all."""


def _stated(stated: Requirement, _operation: str | None) -> Iterable[str]:
    return stated.needs


def requirement(
    stated: Requirement,
    findings: Sequence[FindingRecord],
    evidences: Mapping[str, ExchangeEntry],
    needs: Needs = _stated,
) -> RequirementEntry:
    """A requirement with its verdict, that of each operation, and every finding but passes."""
    seen = [(found["operation"], Verdict(found["verdict"])) for found in findings]
    verdict, operations = verdicts(stated, seen)
    entry: RequirementEntry = {
        "id": stated.id,
        "level": stated.level.value,
        "class": stated.conformance_class,
        "section": stated.section,
        "statement": stated.statement,
        "verdict": verdict.value,
        "operations": {name: value.value for name, value in operations.items()},
        "findings": [*_findings(findings, evidences), *_unseen(stated, seen, needs)],
    }
    if stated.untested is not None:
        entry["untested"] = stated.untested
    if stated.unscored is not None:
        entry["unscored"] = stated.unscored
    if stated.contested is not None:
        entry["contested"] = stated.contested
    return entry


def beside(counts: Mapping[str, Mapping[str, int]]) -> str:
    """What is to be said beside a verdict that is conformant: a `should` may fail all the same."""
    failed = counts.get(Level.SHOULD, {}).get(Verdict.FAIL, 0)
    return f", but for {failed} `should`, which decides nothing" if failed else ""


def verdicts(stated: Requirement, seen: Iterable[Seen]) -> tuple[Verdict, dict[str, Verdict]]:
    """The verdict of a requirement, and of each of its operations."""
    by_operation: dict[str | None, list[Verdict]] = {name: [] for name in stated.operations}
    for operation, verdict in seen:
        by_operation.setdefault(operation, []).append(verdict)
    operations = {name: worst(by_operation[name]) for name in stated.operations}
    elsewhere = [
        verdict
        for operation, found in by_operation.items()
        if operation not in stated.operations
        for verdict in found
    ]
    if stated.untested is not None:
        return Verdict.INCONCLUSIVE, operations
    return worst([*operations.values(), *elsewhere]), operations


def _unseen(stated: Requirement, seen: Sequence[Seen], needs: Needs) -> list[FindingEntry]:
    """A finding for each operation, or for the whole requirement, that no item reported on."""
    reported = {operation for operation, _ in seen}
    missing: list[str | None] = [name for name in stated.operations if name not in reported]
    if not stated.operations and not reported:
        missing = [None]
    return [_without_evidence(operation, stated, needs(stated, operation)) for operation in missing]


def _without_evidence(
    operation: str | None, stated: Requirement, needs: Iterable[str]
) -> FindingEntry:
    return {
        "verdict": Verdict.INCONCLUSIVE.value,
        "operation": operation,
        "message": stated.untested or "no exchange of this run exercised it",
        "expected": "",
        "needs": list(needs),
        "items": [],
        "occurrences": 0,
        "exchanges": [],
    }


def _findings(
    findings: Sequence[FindingRecord], evidences: Mapping[str, ExchangeEntry]
) -> list[FindingEntry]:
    """The findings but passes, worst first; equal ones once with their number.

    Of those with one verdict, the first on each operation come first: there is a most.
    """
    distinct: dict[tuple[object, ...], list[FindingRecord]] = {}
    for found in findings:
        if found["verdict"] != Verdict.PASS:
            key = (found["verdict"], found["operation"], found["message"], tuple(found["needs"]))
            distinct.setdefault(key, []).append(found)
    order = list(Verdict)
    told = [*_told_once(distinct.values())]
    ordered = sorted(_first_of_each(told), key=lambda equal: order.index(_verdict(equal)))
    # Many failures do not hide that the checker has failed as well.
    late = (each for each in ordered[MOST_FINDINGS:] if each[0]["verdict"] == Verdict.ERROR)
    # Evidence takes up much: there may be as many findings as exchanges.
    shown = [_entry(equal, evidences) for equal in (*ordered[:MOST_FINDINGS], *islice(late, 1))]
    _add_shares(shown, findings)
    return shown


def _verdict(equal: Sequence[FindingRecord]) -> Verdict:
    return Verdict(equal[0]["verdict"])


def _first_of_each(told: Sequence[list[FindingRecord]]) -> list[list[FindingRecord]]:
    """The first with each verdict on each operation, then the others."""
    firsts = {(_verdict(equal), equal[0]["operation"]): id(equal) for equal in reversed(told)}
    return sorted(told, key=lambda equal: id(equal) not in firsts.values())


def _told_once(distinct: Iterable[list[FindingRecord]]) -> Iterator[list[FindingRecord]]:
    """Without what is about the place of a finding before it: a check and a rule may both see it.

    What the schema says of one value is several things.
    """
    told: set[tuple[str | None, ...]] = set()
    for equal in distinct:
        defect = equal[0].get("defect")
        where = defect["where"] if defect and not defect["keyword"] else []
        operation = equal[0]["operation"]
        places = [(operation, each["part"], each["name"], each["exchange"]) for each in where]
        if not places or places[0] not in told:
            yield equal
        told.update(places)


def _entry(equal: Sequence[FindingRecord], evidences: Mapping[str, ExchangeEntry]) -> FindingEntry:
    """The first of equal findings, with their number."""
    items = dict.fromkeys(found["item"] for found in equal)
    return {
        **finding.entry(equal[0], evidences),
        "occurrences": len(equal),
        "items": list(islice(items, MOST_FINDINGS)),
    }


def _add_shares(entries: Iterable[FindingEntry], findings: Iterable[FindingRecord]) -> None:
    """Say of each failure of a rule how many of the responses on its operation violate it."""
    counts: dict[str | None, Counter[str]] = {}
    for found in findings:
        by_verdict = counts.setdefault(found["operation"], Counter())
        by_verdict[found["verdict"]] += found.get("responses", 0)
    for entry in entries:
        wrong = counts[entry["operation"]][Verdict.FAIL]
        if entry["verdict"] == Verdict.FAIL and wrong:
            checked = counts[entry["operation"]].total()
            entry["responses"] = {"wrong": wrong, "checked": checked}


def is_checked(entry: RequirementEntry) -> bool:
    """Whether a verdict on the requirement counts: it is not observed, untested or unscored."""
    return entry["level"] != Level.OBSERVE and entry.keys().isdisjoint(("untested", "unscored"))


def is_undecided(entry: RequirementEntry) -> bool:
    """Whether the requirement was to be checked and has no verdict."""
    return is_checked(entry) and entry["verdict"] == Verdict.INCONCLUSIVE


def silent(entry: RequirementEntry) -> list[str]:
    """The operations for which the requirement has no verdict."""
    return [
        name for name, verdict in entry["operations"].items() if verdict == Verdict.INCONCLUSIVE
    ]


def failing(entry: RequirementEntry) -> list[str | None]:
    """The operations on which a requirement failed; None where it failed as a whole.

    It may have failed on an operation that it does not name, or as a whole beside one that it does.
    """
    operations = entry["operations"]
    found = (each["operation"] for each in entry["findings"] if each["verdict"] == Verdict.FAIL)
    named: list[str | None] = [name for name in operations if operations[name] == Verdict.FAIL]
    return list(dict.fromkeys([*named, *found])) or [None]


def has_error(entry: RequirementEntry) -> bool:
    """Whether a check or a rule of the requirement had an internal error, failed or not.

    Also where its verdict does not count: what else the same fault has hidden is unknown.
    """
    findings = (found["verdict"] for found in entry["findings"])
    return Verdict.ERROR in (entry["verdict"], *entry["operations"].values(), *findings)


def _is_left_out(entry: RequirementEntry) -> bool:
    """Whether nothing is open in a requirement but what no check was asked for."""
    undecided = (each for each in entry["findings"] if each["verdict"] == Verdict.INCONCLUSIVE)
    return is_undecided(entry) and not any(each["items"] for each in undecided)


def conclusion(requirements: Sequence[RequirementEntry], *, narrow: bool = False) -> Conclusion:
    """The verdict of the run, from its `must` requirements; with an error it is not conformant.

    That of a `narrow` run is about what it was asked to check.
    """
    musts = (entry for entry in requirements if entry["level"] == Level.MUST and is_checked(entry))
    musts = (entry for entry in musts if not (narrow and _is_left_out(entry)))
    found = conclude(Verdict(entry["verdict"]) for entry in musts)
    is_certain = found is Conclusion.NON_CONFORMANT or not any(map(has_error, requirements))
    return found if is_certain else Conclusion.INCONCLUSIVE


def counts(requirements: Sequence[RequirementEntry]) -> dict[str, dict[str, int]]:
    """The number of requirements for each level and verdict."""
    none = {verdict.value: 0 for verdict in Verdict}
    counted = {level.value: dict(none) for level in COUNTED}
    for entry in requirements:
        if is_checked(entry):
            counted[entry["level"]][entry["verdict"]] += 1
    return counted


def observations(seen: Iterable[Sequence[Any]]) -> list[ObservationEntry]:
    """The distinct values for each observed point and subject, in the order of their appearance."""
    gathered: dict[tuple[str, str], list[Any]] = {}
    for id, subject, value in seen:
        values = gathered.setdefault((id, subject), [])
        for each in value if isinstance(value, list) else [value]:
            if each not in values:
                values.append(each)
    return [
        {"id": id, "subject": subject, "values": values}
        for (id, subject), values in gathered.items()
    ]
