"""The first screen of the page: the verdict, the requirements by class, and what failed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.quantity import quantity
from conformance.contract.verdict import Conclusion
from conformance.report import (
    circumstances,
    needed_budget,
    repetition,
    subject,
    unchecked,
    unexercised,
)
from conformance.report.document import NARROW, beside
from conformance.report.document_types import Report
from conformance.report.page.requirement import ShownRequirement

Groups = Mapping[str, list[ShownRequirement]]
"""The requirements by outcome."""

MOST_AT_A_GLANCE = 5
HEADLINES = {
    "conformant": "Conformant",
    "non-conformant": "Non-conformant",
    "inconclusive": "Inconclusive",
}
COLOURS = {"conformant": "1c6339", "non-conformant": "a8201a", "inconclusive": "7a5200"}
FAILED = ("failed", "error", "warning")
COLUMNS = ("failed", "warning", "unchecked", "passed")
RARE = ("error", "inapplicable")
"""Columns that are left out if they are empty."""


def values(report: Report, groups: Groups) -> dict[str, Any]:
    """What the template shows on the first screen, by the names that it uses."""
    failed = [each for outcome in FAILED for each in groups[outcome] if not each.causes]
    columns = [*COLUMNS, *(outcome for outcome in RARE if groups[outcome])]
    return {
        "headline": HEADLINES[report["verdict"]],
        "colour": COLOURS[report["verdict"]],
        "sentence": _sentence(report, groups),
        "needed": needed_budget.sentence(report),
        "warnings": list(_warnings(report, groups)),
        "columns": columns,
        "classes": _classes(report, groups, columns),
        "totals": {outcome: len(groups[outcome]) for outcome in columns},
        "glance": failed[:MOST_AT_A_GLANCE],
        "more_failed": len(failed[MOST_AT_A_GLANCE:]),
        "again": repetition.of_run(report),
        "is_in_process": repetition.is_in_process(report),
    }


def _classes(report: Report, groups: Groups, columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """The number of requirements by class and outcome, without classes that have none."""
    rows: dict[str, dict[str, int]] = {}
    for entry in report["requirements"]:
        rows.setdefault(entry["class"], dict.fromkeys(columns, 0))
    for outcome in columns:
        for each in groups[outcome]:
            rows[each.conformance_class][outcome] += 1
    return {name: row for name, row in rows.items() if any(row.values())}


def _sentence(report: Report, groups: Groups) -> str:
    if report["verdict"] == Conclusion.NON_CONFORMANT:
        classes = dict.fromkeys(each.conformance_class for each in groups["failed"])
        number = quantity(len(groups["failed"]), "requirement")
        who = subject.name(report).capitalize()
        return f"{who} violates the contract: {number} failed, in {_listed(list(classes))}."
    if report["verdict"] == Conclusion.CONFORMANT:
        depth = report["suite"]["depth"]
        if depth in NARROW:
            return f"Nothing failed of what a run at depth {depth} checks; others check more."
        who = subject.name(report).capitalize()
        rest = beside(report["counts"])
        return f"{who} conforms to the contract: every requirement that was checked passed{rest}."
    number = quantity(len(groups["unchecked"]), "requirement")
    return f"Nothing failed, but {number} could not be checked."


def _warnings(report: Report, groups: Groups) -> Iterator[str]:
    if report["interrupted"]:
        yield "The run was interrupted: this is what was known so far."
    for reason in unchecked.of(report).get("rejections", []):
        number = quantity(len(reason["requirements"]), "requirement")
        yield f"{reason['message']}: {number} not checked. To correct it: {reason['remedy']}."
    yield from circumstances.sentences(report)
    if groups["error"]:
        number = quantity(len(groups["error"]), "requirement")
        yield f"An internal error of the checker concerns {number}."
    if report["verdict"] == Conclusion.NON_CONFORMANT and groups["unchecked"]:
        yield f"{quantity(len(groups['unchecked']), 'requirement')} could not be checked."
    if lacking := unexercised.sentence(report):
        subjects = "; ".join(name for name, _ in unexercised.of(report))
        yield f"{lacking}: {subjects}."
    stale = report["known-failures"]["stale"] if "known-failures" in report else []
    if stale:
        names = sorted({entry["requirement"] for entry in stale})
        yield f"The known failures are out of date: {_listed(names)}."


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a, b and c"."""
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last
