"""The report for CI systems: annotations of GitHub Actions, and GitLab's code quality."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from conformance.contract.verdict import Level, Verdict
from conformance.report.cases import Case, cases
from conformance.report.causes.attribution import Cause, attributed
from conformance.report.document_types import Report
from conformance.report.places import Place, Places
from conformance.report.text import short, visible

PROFILE = "target.toml"
"""The usual name of a profile, for runs without one."""
MOST_ANNOTATIONS = 10
"""GitHub shows at most ten annotations of a kind in one step."""

LONGEST = 400

NOWHERE = Places()
BASE_URL = "base-url"
"""The key of the profile that every failure is about."""


def annotations(report: Report, places: Places = NOWHERE) -> Iterator[str]:
    """Workflow commands, one for each cause: an error for a `must`, a warning for a `should`.

    Before them an error for each outdated entry of the known failures, since it fails the job.
    """
    yield from _outdated(report, places)
    causes = attributed(report)
    musts = [cause for cause in causes if cause.entry["level"] == Level.MUST]
    shoulds = [cause for cause in causes if cause.entry["level"] != Level.MUST]
    for kind, some in (("error", musts), ("warning", shoulds)):
        for cause in some[:MOST_ANNOTATIONS]:
            yield _command(kind, _name(cause), _description(cause), _place(cause, places))


def warning(title: str, text: str) -> str:
    """The workflow command of a warning about the job itself."""
    return _command("warning", title, text, None)


def _outdated(report: Report, places: Places) -> Iterator[str]:
    stale = report["known-failures"]["stale"] if "known-failures" in report else []
    for entry in stale[:MOST_ANNOTATIONS]:
        requirement, operation = entry["requirement"], entry["operation"]
        where = f" on {operation}" if operation else ""
        text = f"{requirement}{where}: {entry['problem']}; delete the entry"
        place = places.entries.get((requirement, operation))
        yield _command("error", "outdated known failure", text, place)


def _place(cause: Cause, places: Places) -> Place | None:
    """The line of the profile with the id that the request had; else that of the base URL."""
    condition = cause.findings[0].get("condition", {})
    named = condition.get("ids", {}).values()
    return next((places.keys[key] for key in (*named, BASE_URL) if key in places.keys), None)


def _command(kind: str, title: str, text: str, place: Place | None) -> str:
    properties = {"title": title} if place is None else {"file": place.file, "title": title}
    if place is not None:
        properties["line"] = str(place.line)
    stated = ",".join(f"{name}={_property(value)}" for name, value in sorted(properties.items()))
    return f"::{kind} {stated}::{_data(text)}"


def _name(cause: Cause) -> str:
    id = cause.entry["id"]
    return f"{id}[{','.join(cause.operations)}]" if cause.operations else id


def _description(cause: Cause) -> str:
    parts = [cause.entry["statement"]]
    if cause.reason:
        parts.append(f"Reason: {cause.reason}.")
    if cause.also:
        ids = ", ".join(also.entry["id"] for also in cause.also)
        parts.append(f"Same cause: {ids}.")
    return " ".join([*parts, cause.findings[0]["message"]])


def _data(text: str) -> str:
    return visible(short(text, LONGEST)).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def code_quality(report: Report) -> bytes:
    """GitLab's code quality report; an issue is located at the profile, a file of the user."""
    path = profile_of(report)
    failed = (case for case in cases(report) if case.verdict == Verdict.FAIL)
    issues = [_issue(case, path) for case in failed if case.known is None]
    return json.dumps(issues, indent=2, ensure_ascii=False).encode("utf-8", "surrogatepass")


def profile_of(report: Report) -> str:
    """The profile of a run, or what one is usually called."""
    stated = report["target"]["profile"] or ""
    return visible(stated) if stated.endswith(".toml") else PROFILE


def _issue(case: Case, path: str) -> dict[str, Any]:
    return {
        "description": f"{case.name}: {short(case.message, LONGEST)}",
        "check_name": case.requirement,
        "fingerprint": hashlib.sha256(case.name.encode()).hexdigest(),
        "severity": "major" if case.level == Level.MUST else "minor",
        "location": {"path": path, "lines": {"begin": 1}},
    }
