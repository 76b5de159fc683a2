"""The report where a CI shows it: annotations of GitHub Actions, the code quality report of GitLab, and a badge."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.report.cases import Case, cases
from conformance.report.causes.attribution import Cause, attributed
from conformance.report.console.line import short

COLOURS = {"conformant": "brightgreen", "non-conformant": "red", "inconclusive": "yellow"}
CATALOGUE = "spec/requirements.yaml"
MOST_ANNOTATIONS = 10
"""GitHub shows no more than ten annotations of a kind in one step."""

LONGEST = 400


def annotations(report: Mapping[str, Any]) -> Iterator[str]:
    """Workflow commands, one for each cause: an error for what is broken, a warning for a broken `should`."""
    found = attributed(report)
    broken = [cause for cause in found if cause.entry["level"] == "must"]
    warned = [cause for cause in found if cause.entry["level"] != "must"]
    for kind, some in (("error", broken), ("warning", warned)):
        for cause in some[:MOST_ANNOTATIONS]:
            yield f"::{kind} title={_property(_name(cause))}::{_data(_told(cause))}"


def _name(cause: Cause) -> str:
    return (
        f"{cause.entry['id']}[{','.join(cause.operations)}]"
        if cause.operations
        else str(cause.entry["id"])
    )


def _told(cause: Cause) -> str:
    also = (
        f"Also seen as {', '.join(also.entry['id'] for also in cause.also)}." if cause.also else ""
    )
    return " ".join(filter(None, (cause.entry["statement"], also, cause.findings[0]["message"])))


def _data(text: str) -> str:
    return short(text, LONGEST).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def code_quality(report: Mapping[str, Any]) -> bytes:
    """GitLab's code quality report; the place of an issue is the requirement in the catalogue."""
    issues = [
        _issue(case) for case in cases(report) if case.verdict == "fail" and case.known is None
    ]
    return json.dumps(issues, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _issue(case: Case) -> dict[str, Any]:
    return {
        "description": f"{case.name}: {short(case.message, LONGEST)}",
        "check_name": case.requirement,
        "fingerprint": hashlib.sha256(case.name.encode()).hexdigest(),
        "severity": "major" if case.level == "must" else "minor",
        "location": {"path": CATALOGUE, "lines": {"begin": 1}},
    }


def badge(report: Mapping[str, Any]) -> bytes:
    """The answer that shields.io asks an endpoint for."""
    document = {
        "schemaVersion": 1,
        "label": "API conformance",
        "message": report["verdict"],
        "color": COLOURS[report["verdict"]],
    }
    return json.dumps(document).encode()
