"""What a run keeps of the records of its items: it does not grow with alike passes."""

from typing import Any

import orjson

from conformance.report import document
from conformance.report.gathered import Gathered

PASS: dict[str, Any] = {
    "requirement": "account/type",
    "verdict": "pass",
    "operation": "account_get",
    "message": "",
    "expected": "",
    "needs": [],
    "exchanges": ["a#1"],
    "item": "a",
    "responses": 2,
    "schemes": ["api-key"],
    "faces": ["http"],
}
FAIL = {**PASS, "verdict": "fail", "message": "wrong", "responses": 1, "exchanges": []}


def _gathered(*findings: dict[str, Any]) -> Gathered:
    gathered = Gathered(["account/type"])
    for number, found in enumerate(findings):
        record = {"item": f"item {number}", "findings": [found], "observations": [], "evidence": {}}
        traffic = {"exchanges": 1, "elapsed": {}, "methods": {}}
        gathered.add(orjson.dumps({**record, **traffic}).decode())
    return gathered


def test_alike_passes_are_one_finding_with_all_responses() -> None:
    """Passes by another scheme, by tools or on another operation are not alike."""
    others: list[dict[str, Any]] = [
        {"schemes": ["bearer"]},
        {"faces": ["tool"]},
        {"operation": "project_get"},
    ]
    found = _gathered(PASS, PASS, *({**PASS, **other} for other in others), PASS)
    passes = found.findings["account/type"]
    assert [each.get("responses") for each in passes] == [6, 2, 2, 2]
    assert list(found.items) == [f"item {number}" for number in range(6)]


def test_failures_are_never_merged() -> None:
    """Each counts, and has its own evidence; the passes beside them count by their responses."""
    found = _gathered(PASS, FAIL, PASS, FAIL).findings["account/type"]
    assert [each["verdict"] for each in found] == ["pass", "fail", "fail"]
    (entry,) = document._findings(found, {})
    assert (entry["occurrences"], entry["responses"]) == (2, {"wrong": 2, "checked": 6})
