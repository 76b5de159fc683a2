"""The report in the Common Test Report Format (CTRF): a test for each requirement and operation."""

import json
from collections import Counter
from datetime import datetime
from typing import Any

from conformance.contract.verdict import Level, Verdict
from conformance.report.cases import Case, cases
from conformance.report.document_types import Report

STATUS = {
    "pass": "passed",
    "fail": "failed",
    "error": "other",
    "inconclusive": "pending",
    "not-applicable": "skipped",
}
STATUSES = ("passed", "failed", "pending", "skipped", "other")


def render(report: Report) -> bytes:
    """The file's content; tests have no durations of their own, as they share exchanges."""
    tests = [_test(case) for case in cases(report)]
    start = int(datetime.fromisoformat(report["started"]).timestamp() * 1000)
    counted = Counter(test["status"] for test in tests)
    suite = report["suite"]
    results = {
        "tool": {"name": suite["name"], "version": suite["version"]},
        "summary": {
            "tests": len(tests),
            **{status: counted[status] for status in STATUSES},
            "start": start,
            "stop": start + int(report["duration"] * 1000),
        },
        "tests": tests,
        "environment": {"testEnvironment": report["target"]["base-url"]},
    }
    document = {"reportFormat": "CTRF", "specVersion": "0.0.0", "results": results}
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _test(case: Case) -> dict[str, Any]:
    is_warning = case.verdict == Verdict.FAIL and case.level != Level.MUST
    test: dict[str, Any] = {
        "name": case.name,
        "status": "other" if is_warning else STATUS[case.verdict],
        "duration": 0,
        "rawStatus": "warning" if is_warning else case.verdict,
        "suite": [case.conformance_class],
        "tags": [case.level, case.requirement],
    }
    return {**test, "message": case.message, "trace": case.text} if case.message else test
