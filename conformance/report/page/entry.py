"""The requirements of a report as they are shown: each with the word for its verdict, its findings, and their exchanges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.report.causes import location
from conformance.report.causes.attribution import Cause, attributed
from conformance.report.causes.location import Spot
from conformance.report.page import pane
from conformance.report.page.pane import Pane
from conformance.report.page.text import short

ROOM = 1_100_000
"""Bytes of HTML for the exchanges of all findings; what finds no room is named, and stands in report.json."""

LONGEST_MESSAGE = 600
MOST_PLACES = 3
KINDS = {
    "broken": "broken",
    "error": "checker error",
    "warning": "warning",
    "open": "not judged",
    "kept": "kept",
    "absent": "not applicable",
    "untested": "not testable",
    "observed": "observed",
}


@dataclass(frozen=True)
class Shown:
    """An exchange of a finding; `pane` is None where there was no room for it."""

    id: str
    pane: Pane | None


@dataclass(frozen=True)
class Finding:
    """One finding on an operation, with its exchanges; the last of them is the one that shows it. `known` is why it is let pass."""

    verdict: str
    operation: str | None
    message: str
    expected: str
    occurrences: int
    known: str | None
    exchanges: tuple[Shown, ...]


@dataclass(frozen=True)
class Entry:
    """One requirement; `kind` is a key of KINDS, `where` names the operations that it is about in this report.

    `also` are (requirement, operations, statement) of what is broken for the same reason, `behind` the requirements that are the reason.
    """

    id: str
    level: str
    conformance_class: str
    section: str
    statement: str
    kind: str
    operations: Mapping[str, str]
    findings: tuple[Finding, ...]
    also: tuple[tuple[str, str, str], ...] = ()
    behind: tuple[str, ...] = ()

    @property
    def where(self) -> tuple[str, ...]:
        """The operations on which the findings were made; without findings all that the requirement is about."""
        found = tuple(
            dict.fromkeys(finding.operation for finding in self.findings if finding.operation)
        )
        return found or tuple(self.operations)

    @property
    def place(self) -> str:
        """Where it was found, in a few words."""
        named, more = self.where[:MOST_PLACES], len(self.where[MOST_PLACES:])
        return (
            ", ".join(named) + (f" and {more} more" if more else "") or "the deployment as a whole"
        )

    @property
    def reason(self) -> str:
        """What the first finding says."""
        return self.findings[0].message if self.findings else ""


def entries(report: Mapping[str, Any]) -> list[Entry]:
    """All requirements of a report, in its order."""
    causes = attributed(report)
    telling = {cause.entry["id"]: cause.findings[0] for cause in reversed(causes)}
    panes = _panes(report, telling)
    return [_entry(document, panes, causes) for document in report["requirements"]]


def _entry(
    document: Mapping[str, Any], panes: Mapping[tuple[str, int, str], Pane], causes: Sequence[Cause]
) -> Entry:
    own = [cause for cause in causes if cause.entry["id"] == document["id"]]
    explained = [also for cause in own for also in cause.also]
    telling = {cause.entry["id"]: cause.findings[0] for cause in reversed(own)}
    return Entry(
        id=document["id"],
        level=document["level"],
        conformance_class=document["class"],
        section=document["section"],
        statement=document["statement"],
        kind=kind(document),
        operations=document["operations"],
        findings=tuple(
            _finding(found, document["id"], number, panes)
            for number, found in _told(document, telling)
        ),
        also=tuple(
            (also.entry["id"], ", ".join(also.operations), also.entry["statement"])
            for also in explained
        ),
        behind=() if own else tuple(_behind(document["id"], causes)),
    )


def _behind(id: str, causes: Sequence[Cause]) -> Iterator[str]:
    """The requirements under whose causes a requirement stands."""
    for cause in causes:
        if any(also.entry["id"] == id for also in cause.also):
            yield cause.entry["id"]


def kind(document: Mapping[str, Any]) -> str:
    """The key of KINDS that the verdict on a requirement amounts to."""
    if document["level"] == "observe":
        return "observed"
    if "untested" in document:
        return "untested"
    failed = "broken" if document["level"] == "must" else "warning"
    return {
        "fail": failed,
        "error": "error",
        "inconclusive": "open",
        "pass": "kept",
        "not-applicable": "absent",
    }[document["verdict"]]


def _told(
    document: Mapping[str, Any], telling: Mapping[str, Any]
) -> list[tuple[int, Mapping[str, Any]]]:
    """The findings that speak for the verdict of the requirement, with their numbers among all; the telling one comes first."""
    told = [
        (number, found)
        for number, found in enumerate(document["findings"])
        if found["verdict"] == document["verdict"]
    ]
    return sorted(told, key=lambda each: each[1] is not telling.get(document["id"]))


def _finding(
    found: Mapping[str, Any],
    requirement: str,
    number: int,
    panes: Mapping[tuple[str, int, str], Pane],
) -> Finding:
    return Finding(
        verdict=found["verdict"],
        operation=found["operation"],
        message=short(found["message"], LONGEST_MESSAGE),
        expected=short(found["expected"], LONGEST_MESSAGE),
        occurrences=found["occurrences"],
        known=found.get("known"),
        exchanges=tuple(
            Shown(each["id"], panes.get((requirement, number, each["id"])))
            for each in found["exchanges"]
        ),
    )


def _panes(
    report: Mapping[str, Any], telling: Mapping[str, Any]
) -> dict[tuple[str, int, str], Pane]:
    """As many exchanges as there is room for, those first that show most."""
    found: dict[tuple[str, int, str], Pane] = {}
    size = 0
    for _, document, number, exchange in sorted(
        _queue(report["requirements"], telling), key=lambda each: each[0]
    ):
        told = document["findings"][number]
        pointed = told["verdict"] == "fail" and exchange is told["exchanges"][-1]
        wrong = (
            location.find(
                document["id"], told["message"], told["expected"], exchange.get("response")
            )
            if pointed
            else Spot()
        )
        shown = pane.pane(exchange, wrong)
        size += shown.size
        if size > ROOM:
            break
        found[document["id"], number, exchange["id"]] = shown
    return found


def _queue(
    documents: Sequence[Mapping[str, Any]], telling: Mapping[str, Any]
) -> Iterator[tuple[int, Mapping[str, Any], int, Mapping[str, Any]]]:
    """Each exchange of each finding with its rank: what is broken before what is not judged, the telling one before the others."""
    for document in documents:
        if kind(document) in ("untested", "observed"):
            continue
        late = 3 * (kind(document) == "open")
        for place, (number, found) in enumerate(_told(document, telling)):
            for exchange in found["exchanges"]:
                is_telling = exchange is found["exchanges"][-1]
                yield (
                    late + (2 - is_telling if place else 1 - is_telling),
                    document,
                    number,
                    exchange,
                )
