"""The report of a run: what all its items found, requirement by requirement, as one JSON-able document."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Conclusion, Level, Verdict, conclude, worst
from conformance.http import serialization

Document = dict[str, Any]

FORMAT = 1
MOST_FINDINGS = 12
JUDGED = ("must", "should")


def requirement(
    stated: Requirement,
    findings: Sequence[Document],
    evidences: Mapping[str, serialization.Document],
) -> Document:
    """One requirement with its verdict, the verdict on each operation, and every finding that is no pass."""
    verdict, operations = verdicts(stated, findings)
    return {
        "id": stated.id,
        "level": stated.level.value,
        "class": stated.conformance_class,
        "section": stated.section,
        "statement": stated.statement,
        **({} if stated.untested is None else {"untested": stated.untested}),
        "verdict": str(verdict),
        "operations": {name: str(value) for name, value in operations.items()},
        "findings": [*_findings(findings, evidences), *_silence(stated, findings)],
    }


def verdicts(
    stated: Requirement, findings: Sequence[Document]
) -> tuple[Verdict, dict[str, Verdict]]:
    """The verdict on a requirement, and that on each of its operations, by the `verdict` and the `operation` of each finding."""
    operations = {
        name: overall(found for found in findings if found["operation"] == name)
        for name in stated.operations
    }
    own = list(operations.values()) if stated.operations else [overall(findings)]
    strays = [
        Verdict(found["verdict"])
        for found in findings
        if found["operation"] not in stated.operations
    ]
    return Verdict.INCONCLUSIVE if stated.untested else worst([*own, *strays]), operations


def overall(findings: Iterable[Document]) -> Verdict:
    """The verdict that findings come to."""
    return worst(Verdict(found["verdict"]) for found in findings)


def _silence(stated: Requirement, findings: Sequence[Document]) -> list[Document]:
    """Why an operation, or the whole requirement, has no verdict: nothing in the run had anything to say of it."""
    spoken = {found["operation"] for found in findings}
    message = stated.untested or "nothing in this run showed it"
    silent: list[str | None] = [name for name in stated.operations if name not in spoken]
    return [
        _blank(operation, message, stated.needs)
        for operation in silent or ([] if spoken or stated.operations else [None])
    ]


def _blank(operation: str | None, message: str, needs: Sequence[str]) -> Document:
    found = {
        "verdict": "inconclusive",
        "operation": operation,
        "message": message,
        "expected": "",
        "needs": list(needs),
    }
    return {**found, "items": [], "occurrences": 0, "exchanges": []}


def _findings(
    findings: Sequence[Document], evidences: Mapping[str, serialization.Document]
) -> list[Document]:
    """The findings that are no pass, the same ones told once with the number of their occurrences."""
    grouped: dict[tuple[object, ...], Document] = {}
    for found in findings:
        if found["verdict"] == Verdict.PASS:
            continue
        key = (found["verdict"], found["operation"], found["message"], tuple(found["needs"]))
        if key not in grouped:
            grouped[key] = finding(found, evidences)
        grouped[key]["occurrences"] += 1
        grouped[key]["items"] = list(dict.fromkeys([*grouped[key]["items"], found["item"]]))[
            :MOST_FINDINGS
        ]
    order = list(Verdict)
    return sorted(grouped.values(), key=lambda found: order.index(Verdict(found["verdict"])))[
        :MOST_FINDINGS
    ]


def finding(found: Document, evidences: Mapping[str, serialization.Document]) -> Document:
    """One finding with its exchanges, each with the command that sends its request again."""
    return {
        "verdict": str(found["verdict"]),
        "operation": found["operation"],
        "message": found["message"],
        "expected": found["expected"],
        "needs": list(found["needs"]),
        "items": [found["item"]],
        "occurrences": 0,
        "exchanges": [
            {**evidences[id], "curl": serialization.curl(evidences[id]["request"])}
            for id in found["exchanges"]
            if id in evidences
        ],
    }


def failing(entry: Document) -> list[str | None]:
    """The operations on which a requirement is broken; None for one that is broken as a whole."""
    found: list[str | None] = [
        name for name, verdict in entry["operations"].items() if verdict == Verdict.FAIL
    ]
    return found or [None]


def conclusion(requirements: Sequence[Document]) -> Conclusion:
    """The verdict of the run: what its `must` requirements allow to be said."""
    musts = [entry for entry in requirements if entry["level"] == Level.MUST and is_checked(entry)]
    return conclude(Verdict(entry["verdict"]) for entry in musts)


def is_checked(entry: Mapping[str, Any]) -> bool:
    """Whether the verdict on a requirement of a report counts: it is neither observed nor untested."""
    return entry["level"] != Level.OBSERVE and "untested" not in entry


def counts(requirements: Sequence[Document]) -> Document:
    """How many requirements of each level ended with each verdict; nothing that was not judged is left out."""
    return {
        level: {
            verdict.value: sum(
                entry["level"] == level and entry["verdict"] == verdict and is_checked(entry)
                for entry in requirements
            )
            for verdict in Verdict
        }
        for level in JUDGED
    }


def observations(seen: Iterable[Sequence[Any]]) -> list[Document]:
    """What was seen where the contract is silent: the distinct values under each point and operation."""
    gathered: dict[tuple[str, str], list[Any]] = {}
    for id, subject, value in seen:
        values = gathered.setdefault((id, subject), [])
        values += [
            entry
            for entry in (value if isinstance(value, list) else [value])
            if entry not in values
        ]
    return [
        {"id": id, "subject": subject, "values": values}
        for (id, subject), values in gathered.items()
    ]
