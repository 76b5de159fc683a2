"""How much a run has checked: of each requirement, and of all of them."""

from collections.abc import Iterable, Sequence

from conformance.contract import api
from conformance.contract.quantity import quantity
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Verdict
from conformance.report.document import is_checked
from conformance.report.document_types import (
    CoverageEntry,
    FindingRecord,
    Report,
    RequirementEntry,
    TotalCoverageEntry,
)

DECIDED = (Verdict.PASS, Verdict.FAIL, Verdict.NOT_APPLICABLE)
FACES = {"http": "HTTP", "tool": "tools"}


def of_requirement(
    stated: Requirement, entry: RequirementEntry, findings: Sequence[FindingRecord]
) -> CoverageEntry:
    """The operations with a verdict, and the schemes and faces that the verdicts are based on.

    What concerns the deployment as a whole counts as one operation. So does a finding on the
    whole of a requirement that leaves it undecided although every operation has a verdict.
    """
    verdicts = list(entry["operations"].values())
    checked = sum(verdict in DECIDED for verdict in verdicts)
    total = len(verdicts)
    if entry["verdict"] in DECIDED:
        checked, total = max(checked, 1), max(total, 1)
    elif checked == total:
        total += 1
    decided = [found for found in findings if found["verdict"] in DECIDED]
    schemes = {scheme for found in decided for scheme in found.get("schemes", ())}
    faces = {face for found in decided for face in found.get("faces", ())}
    return {
        "checked": 0 if stated.untested else checked,
        "operations": total,
        "schemes": [scheme for scheme in api.load().schemes if scheme in schemes],
        "faces": [face for face in FACES if face in faces],
    }


def total(entries: Iterable[RequirementEntry]) -> TotalCoverageEntry:
    """How many requirements were checked, whole and in part.

    In `share` a requirement that was checked in part counts by its share of operations.
    """
    parts = [_share(entry) for entry in entries if is_checked(entry)]
    return {
        "requirements": len(parts),
        "whole": sum(part == 1 for part in parts),
        "part": sum(0 < part < 1 for part in parts),
        "share": round(sum(parts) / len(parts), 4) if parts else 0.0,
    }


def _share(entry: RequirementEntry) -> float:
    """The part of a requirement that was checked; reports of older versions do not state it."""
    stated = entry.get("coverage")
    if stated is None:
        return float(entry["verdict"] in DECIDED)
    return stated["checked"] / stated["operations"]


def of(report: Report) -> TotalCoverageEntry:
    """The coverage in a report; computed for a report of an older version."""
    return report.get("coverage") or total(report["requirements"])


def sentence(report: Report) -> str:
    """The coverage of a run in words."""
    found = of(report)
    number = quantity(found["requirements"], "requirement")
    # Rounded down: 100 % is nothing less than everything.
    share = f"{int(found['share'] * 100)} %"
    if not found["part"]:
        return f"{found['whole']} of {number} checked: {share}"
    part = f"{found['part']} in part, by the share of their operations"
    return f"{found['whole']} of {number} checked, {share} with the {part}"


def described(entry: RequirementEntry) -> str:
    """How many operations and schemes of a requirement were checked; "" if that is unknown."""
    stated = entry.get("coverage")
    if stated is None or not entry["operations"]:
        return ""
    words = [f"{stated['checked']} of {quantity(stated['operations'], 'operation')}"]
    if stated["schemes"]:
        schemes = len(api.load().schemes)
        words.append(f"{len(stated['schemes'])} of {quantity(schemes, 'scheme')}")
    if stated["faces"]:
        words.append("by " + " and ".join(FACES[face] for face in stated["faces"]))
    return ", ".join(words)
