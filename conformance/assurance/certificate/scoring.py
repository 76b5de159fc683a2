"""What a report is worth under a revision: the frozen requirements count, newer ones are shown."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract.revisions import Revision
from conformance.contract.verdict import Conclusion, Level, Verdict, conclude


@dataclass(frozen=True)
class Score:
    """The requirements of a revision by what a run found, and the verdict that follows.

    `warned` are failed `should`. `not_checked` has the needs of each requirement without a
    verdict, `not_scored` the verdicts of requirements that are newer than the revision, `contested`
    the appeals that are open. `classes` counts the requirements of each class by verdict.
    """

    verdict: Conclusion
    counts: dict[str, dict[str, int]]
    classes: dict[str, dict[str, int]]
    passed: list[str]
    failed: list[str]
    warned: list[str]
    not_applicable: list[str]
    not_checked: dict[str, list[str]]
    not_scored: dict[str, str]
    contested: dict[str, str]


def of(entries: Sequence[Mapping[str, Any]], revision: Revision) -> Score:
    """The score of the requirements of a report."""
    by_id = {entry["id"]: entry for entry in entries}
    counted = {id: level for id in revision.levels if (level := revision.level(id)) is not None}
    verdicts = {
        id: by_id[id]["verdict"] if id in by_id else Verdict.INCONCLUSIVE.value for id in counted
    }
    musts = [Verdict(verdicts[id]) for id, level in counted.items() if level is Level.MUST]
    failed = [id for id, verdict in verdicts.items() if verdict == Verdict.FAIL]
    return Score(
        verdict=conclude(musts),
        counts={
            level.value: _counted(verdicts[id] for id in counted if counted[id] is level)
            for level in (Level.MUST, Level.SHOULD)
        },
        classes=_classes(by_id, verdicts),
        passed=_with(verdicts, Verdict.PASS),
        failed=[id for id in failed if counted[id] is Level.MUST],
        warned=[id for id in failed if counted[id] is Level.SHOULD],
        not_applicable=_with(verdicts, Verdict.NOT_APPLICABLE),
        not_checked={
            id: _needs(by_id.get(id, {}))
            for id, verdict in verdicts.items()
            if verdict in (Verdict.INCONCLUSIVE, Verdict.ERROR)
        },
        not_scored={
            entry["id"]: entry["verdict"] for entry in entries if _is_newer(entry, revision)
        },
        contested={id: why for id, why in revision.contested.items() if id in counted},
    )


def _is_newer(entry: Mapping[str, Any], revision: Revision) -> bool:
    is_checked = entry["level"] != Level.OBSERVE and "untested" not in entry
    return is_checked and revision.level(entry["id"]) is None


def _with(verdicts: Mapping[str, str], verdict: Verdict) -> list[str]:
    return [id for id, found in verdicts.items() if found == verdict]


def _counted(verdicts: Iterable[str]) -> dict[str, int]:
    found = Counter(verdicts)
    return {verdict.value: found[verdict] for verdict in Verdict if found[verdict]}


def _classes(
    by_id: Mapping[str, Mapping[str, Any]], verdicts: Mapping[str, str]
) -> dict[str, dict[str, int]]:
    found: dict[str, list[str]] = {}
    for id, verdict in verdicts.items():
        if id in by_id:
            found.setdefault(by_id[id]["class"], []).append(verdict)
    return {name: _counted(each) for name, each in found.items()}


def _needs(entry: Mapping[str, Any]) -> list[str]:
    findings = entry.get("findings", ())
    return sorted({need for finding in findings for need in finding["needs"]})
