"""The causes of all failures: what one defect violates, under the requirement that shows it best.

Findings are grouped only where they leave a trace in common. Nothing is explained by way of a
third, and what is explained in part is a cause as well.
"""

from collections.abc import Iterable, Mapping, Sequence

from conformance.contract.verdict import Verdict
from conformance.report.causes.explanation import Failures, Operations, failures, heads
from conformance.report.causes.failure_signature import (
    Signature,
    signature,
    status_of,
    symptoms,
)
from conformance.report.document import is_checked
from conformance.report.document_types import (
    AlsoEntry,
    CauseEntry,
    ExchangeEntry,
    FindingEntry,
    FindingRecord,
    RequirementEntry,
)

ANY_REJECTION = "4xx"
"""What is expected where several statuses are right; an exact one tells more."""


def causes(
    entries: Sequence[RequirementEntry],
    findings: Mapping[str, Iterable[FindingRecord]],
    evidences: Mapping[str, ExchangeEntry],
) -> list[CauseEntry]:
    """The causes of all failures, in the order of the catalogue.

    `findings` are those of all items, by requirement.
    """
    failed = {entry["id"]: entry for entry in entries if _is_failed(entry)}
    seen = [symptom for id in failed for symptom in symptoms(id, findings[id])]
    all_failures = failures(failed, seen, evidences)
    chosen = heads(all_failures)
    found = [_cause(all_failures, group, chosen) for group in _groups(all_failures, chosen)]
    order = list(failed)
    return sorted(found, key=lambda cause: order.index(cause["requirement"]))


def _is_failed(entry: RequirementEntry) -> bool:
    return entry["verdict"] == Verdict.FAIL and is_checked(entry)


def _groups(failures: Failures, chosen: Sequence[int]) -> list[list[int]]:
    """The heads that are one cause.

    They are of one requirement, and explain others in common or none at all.
    """
    groups: list[tuple[str, set[str], list[int]]] = []
    for head in chosen:
        id = failures.requirement(head)
        explained = {failures.requirement(other) for other in failures.explained([head], chosen)}
        for name, common, grouped in groups:
            if name == id and (common & explained or not explained):
                common.update(explained)
                grouped.append(head)
                break
        else:
            groups.append((id, explained, [head]))
    return [grouped for _, _, grouped in groups]


def _cause(failures: Failures, group: Sequence[int], chosen: Sequence[int]) -> CauseEntry:
    id = failures.requirement(group[0])
    operations: Operations = set()
    for head in group:
        operations.update(failures.symptoms[head].operations)
    signatures = {failures.symptoms[head].signature for head in group}
    plainest = _plainest(failures, id, signatures)
    found: CauseEntry = {
        "requirement": id,
        "operations": _in_order(failures.entries[id], operations),
        "also": _also(failures, group, chosen),
        "exchange": plainest,
    }
    if reason := next(filter(None, (failures.reason(head, plainest) for head in group)), None):
        found["reason"] = reason
    return found


def _also(failures: Failures, group: Sequence[int], chosen: Sequence[int]) -> list[AlsoEntry]:
    """The other requirements that a cause violates."""
    operations: dict[str, Operations] = {}
    for other in failures.explained(group, chosen):
        explained = operations.setdefault(failures.requirement(other), set())
        for head in group:
            explained |= failures.links.get((head, other), set())
    return [
        {"requirement": id, "operations": _in_order(entry, operations[id])}
        for id, entry in failures.entries.items()
        if id in operations
    ]


def _in_order(entry: RequirementEntry, operations: Operations) -> list[str]:
    others = sorted(name for name in operations if name is not None)
    names = dict.fromkeys([*entry["operations"], *others])
    return [name for name in names if name in operations]


def _plainest(failures: Failures, id: str, signatures: set[Signature]) -> str | None:
    """The exchange that shows the cause in the plainest way, and whose reason is known at best."""
    entry, explained = failures.entries[id], failures.shared.earlier

    def order(found: FindingEntry) -> tuple[bool, tuple[bool, int, int, int]]:
        return found["exchanges"][-1]["id"] not in explained, _intricacy(found)

    shown = [
        finding
        for finding in entry["findings"]
        if finding["verdict"] == Verdict.FAIL and finding["exchanges"]
    ]
    of_cause = [finding for finding in shown if signature(finding) in signatures]
    best = min(of_cause or shown, key=order, default=None)
    return best["exchanges"][-1]["id"] if best else None


def _intricacy(found: FindingEntry) -> tuple[bool, int, int, int]:
    """What takes a reader longer: a vague expectation, circumstances, exchanges, a long command.

    The purpose of a request has its circumstances after commas: "a read, beside another caller".
    """
    last = found["exchanges"][-1]
    steps = {(exchange["operation"], status_of(exchange)) for exchange in found["exchanges"]}
    is_vague = found["expected"] == ANY_REJECTION
    return is_vague, last["purpose"].count(","), len(steps), len(last["curl"])
