"""What is behind what is broken: requirements that one defect breaks stand under the one that shows it most plainly.

Findings are put together only where they have a trace in common; what merely fails beside something else is a cause of its own.
Nothing is explained by way of a third, and what is explained in part stands for itself as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from conformance.report.causes.failure_signature import (
    Document,
    Symptom,
    Trace,
    kind,
    symptoms,
    traces,
)

FOLLOWING = (
    "arguments/no-failure",
    "approval/guarded-replay",
    "approval/model",
    "read/agreement",
    "pagination/agreement",
)
"""Requirements on what others of them come to in the end: they follow from these, and explain none."""

NEEDED = {"answered": ("response/status", "arguments/no-failure"), "answered instead": FOLLOWING}
"""Traces that say something only where one of these requirements is among the two."""

Operations = set[str | None]
Links = dict[tuple[int, int], Operations]
"""(one symptom, another one): the operations on which the first explains the other."""


@dataclass(frozen=True)
class Case:
    """Everything that is broken: the entries of the requirements, their symptoms, and which of these explain which."""

    entries: Mapping[str, Document]
    symptoms: Sequence[Symptom]
    links: Links

    def rank(self, number: int) -> tuple[bool, int, int]:
        """The first among symptoms that explain as much: a `must`, then the narrowest requirement, then the catalogue's first."""
        id = self.symptoms[number].requirement
        entry = self.entries[id]
        return (
            entry["level"] != "must",
            len(entry["operations"]) or len(self.entries),
            list(self.entries).index(id),
        )


def causes(
    entries: Sequence[Document],
    findings: Mapping[str, Iterable[Document]],
    evidences: Mapping[str, Document],
) -> list[dict[str, Any]]:
    """The causes of all failures; `entries` are the requirements of a report, `findings` what all items found, by requirement."""
    failed = {
        entry["id"]: entry
        for entry in entries
        if entry["verdict"] == "fail" and entry["level"] != "observe"
    }
    seen = [symptom for id in failed for symptom in symptoms(id, findings[id])]
    case = Case(failed, seen, _links(failed, seen, evidences))
    heads = _heads(case)
    found = [_cause(case, group, heads) for group in _groups(case, heads)]
    return sorted(found, key=lambda cause: list(failed).index(cause["requirement"]))


# --- what explains what --------------------------------------------------------------------------------------------------


def _links(
    entries: Mapping[str, Document], seen: Sequence[Symptom], evidences: Mapping[str, Document]
) -> Links:
    left: dict[Trace, dict[int, Operations]] = {}
    shared = _shared(seen)
    for number, symptom in enumerate(seen):
        for trace, operation in traces(symptom, evidences, shared):
            left.setdefault(trace, {}).setdefault(number, set()).add(operation)
    links: Links = {}
    for trace, operations in left.items():
        for one, other in permutations(operations, 2):
            if _explains(entries, seen[one].requirement, seen[other].requirement, trace):
                links.setdefault((one, other), set()).update(operations[other])
    return links


def _shared(seen: Sequence[Symptom]) -> frozenset[str]:
    """The exchanges that findings of several requirements show."""
    shown: dict[str, set[str]] = {}
    for symptom in seen:
        for id in {id for found in symptom.sightings for id in found["exchanges"]}:
            shown.setdefault(id, set()).add(symptom.requirement)
    return frozenset(id for id, requirements in shown.items() if len(requirements) > 1)


def _explains(entries: Mapping[str, Document], one: str, other: str, trace: Trace) -> bool:
    """Whether a trace that two symptoms share lets the one stand for the other."""
    if (
        one == other
        or one in FOLLOWING
        or (one.startswith("tools/") and not other.startswith("tools/"))
    ):
        return False  # Tools call what is behind HTTP, and not the other way round.
    if trace[0] in NEEDED and not {one, other} & set(NEEDED[str(trace[0])]):
        return False
    return bool(entries[one]["level"] == "must" or entries[other]["level"] != "must")


# --- the causes ----------------------------------------------------------------------------------------------------------


def _heads(case: Case) -> list[int]:
    """The fewest symptoms that explain all others, as far as that can be had by taking what explains most, again and again."""
    heads: list[int] = []
    left = set(range(len(case.symptoms)))
    while left:
        named = {case.symptoms[head].requirement for head in heads}
        gains = {one: sum(len(case.links.get((one, other), ())) for other in left) for one in left}
        heads.append(
            min(
                left,
                key=lambda one: (
                    -gains[one],
                    case.symptoms[one].requirement not in named,
                    case.rank(one),
                ),
            )
        )
        left = {one for one in left - set(heads) if not _is_explained(case, one, heads)}
    return heads


def _is_explained(case: Case, number: int, heads: Iterable[int]) -> bool:
    covered = {operation for head in heads for operation in case.links.get((head, number), ())}
    return covered >= set(case.symptoms[number].operations)


def _groups(case: Case, heads: Sequence[int]) -> list[list[int]]:
    """The heads that are one cause: of one requirement, and what one of them explains another does too, or it explains nothing."""
    groups: list[tuple[str, set[str], list[int]]] = []
    for head in heads:
        id = case.symptoms[head].requirement
        explained = {case.symptoms[other].requirement for other in _others(case, [head], heads)}
        fitting = [
            group for group in groups if group[0] == id and (group[1] & explained or not explained)
        ]
        group = fitting[0] if fitting else (id, set[str](), list[int]())
        groups += [] if fitting else [group]
        group[1].update(explained)
        group[2].append(head)
    return [members for _, _, members in groups]


def _others(case: Case, group: Iterable[int], heads: Sequence[int]) -> Iterator[int]:
    for one, other in case.links:
        if one in group and other not in heads:
            yield other


def _cause(case: Case, group: Sequence[int], heads: Sequence[int]) -> dict[str, Any]:
    id = case.symptoms[group[0]].requirement
    also: dict[str, Operations] = {}
    for other in dict.fromkeys(_others(case, group, heads)):
        explained = (case.links.get((head, other), set()) for head in group)
        also.setdefault(case.symptoms[other].requirement, set()).update(*explained)
    where = {operation for head in group for operation in case.symptoms[head].operations}
    return {
        "requirement": id,
        "operations": _named(case, id, where),
        "also": [
            {"requirement": other, "operations": _named(case, other, also[other])}
            for other in case.entries
            if other in also
        ],
        "exchange": _shortest(case.entries[id], {case.symptoms[head].kind for head in group}),
    }


def _named(case: Case, id: str, operations: Operations) -> list[str]:
    stated = dict.fromkeys([*case.entries[id]["operations"], *sorted(filter(None, operations))])
    return [name for name in stated if name in operations]


def _shortest(entry: Document, kinds: set[str]) -> str | None:
    """The exchange that shows the cause: that of the finding with the fewest, and of several the one with the shortest command."""
    shown = [
        found for found in entry["findings"] if found["verdict"] == "fail" and found["exchanges"]
    ]
    of_kind = [found for found in shown if kind(found["message"]) in kinds]
    best = min(
        of_kind or shown,
        key=lambda found: (_steps(found), len(found["exchanges"][-1]["curl"])),
        default=None,
    )
    return best["exchanges"][-1]["id"] if best else None


def _steps(found: Document) -> int:
    """How many exchanges it takes; several alike are so many examples of one."""
    return len(
        {
            (exchange["operation"], (exchange.get("response") or {}).get("status"))
            for exchange in found["exchanges"]
        }
    )
