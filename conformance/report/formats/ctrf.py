"""The report in the Common Test Report Format (CTRF): a test for each requirement and operation."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from conformance.report.cases import Case, cases

STATUS = {
    "pass": "passed",
    "fail": "failed",
    "error": "other",
    "inconclusive": "pending",
    "not-applicable": "skipped",
}


def render(report: Mapping[str, Any]) -> bytes:
    """The file's content; times are in milliseconds, and every test took no time of its own, since exchanges serve many."""
    tests = [_test(case) for case in cases(report)]
    start = int(datetime.fromisoformat(report["started"]).timestamp() * 1000)
    summary = {
        status: sum(test["status"] == status for test in tests)
        for status in ("passed", "failed", "pending", "skipped", "other")
    }
    results = {
        "tool": {"name": report["suite"]["name"], "version": report["suite"]["version"]},
        "summary": {
            "tests": len(tests),
            **summary,
            "start": start,
            "stop": start + int(report["duration"] * 1000),
        },
        "tests": tests,
        "environment": {"testEnvironment": report["target"]["base-url"]},
    }
    document = {"reportFormat": "CTRF", "specVersion": "0.0.0", "results": results}
    return json.dumps(document, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _test(case: Case) -> dict[str, Any]:
    warned = case.verdict == "fail" and case.level != "must"
    found: dict[str, Any] = {
        "name": case.name,
        "status": "other" if warned else STATUS[case.verdict],
        "duration": 0,
        "rawStatus": "warning" if warned else case.verdict,
        "suite": [case.conformance_class],
        "tags": [case.level, case.requirement],
    }
    return {**found, "message": case.message, "trace": case.text} if case.message else found
