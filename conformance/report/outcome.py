"""The outcome of a run in a few properties, for programs; the report has everything."""

from pathlib import Path
from typing import Any

from conformance.contract.verdict import Verdict
from conformance.report import coverage, unchecked
from conformance.report.document import failing, is_checked
from conformance.report.document_types import Report


def of(report: Report, code: int, folder: Path) -> dict[str, Any]:
    """The outcome as JSON values; `code` is the exit code, `folder` has the report."""
    failed = [
        entry
        for entry in report["requirements"]
        if is_checked(entry) and entry["verdict"] == Verdict.FAIL
    ]
    return {
        "verdict": report["verdict"],
        "exit-code": code,
        "interrupted": report["interrupted"],
        "counts": report["counts"],
        "coverage": coverage.of(report),
        "failed": [
            {
                "requirement": entry["id"],
                "level": entry["level"],
                "operations": [name for name in failing(entry) if name],
                "message": next(
                    each["message"] for each in entry["findings"] if each["verdict"] == Verdict.FAIL
                ),
            }
            for entry in failed
        ],
        "gaps": report["gate"]["gaps"] if "gate" in report else [],
        "rejections": unchecked.of(report).get("rejections", []),
        "exchanges": report["exchanges"]["count"],
        "seconds": report["duration"],
        "report": str(folder / "report.json"),
    }
