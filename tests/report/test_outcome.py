"""The outcome of a run for programs."""

import json
from pathlib import Path

from sample_reports import a_report, an_entry

from conformance.report import outcome


def test_the_outcome_has_what_a_program_decides_on() -> None:
    """It can be written as JSON; requirements that are not checked do not count."""
    report = a_report(an_entry("project/closed", "fail"))
    report["gate"] = {"required": [], "gaps": []}

    found = outcome.of(report, 1, Path("reports/latest"))

    assert json.loads(json.dumps(found)) == found
    assert (found["verdict"], found["exit-code"], found["gaps"]) == ("non-conformant", 1, [])
    assert found["report"] == "reports/latest/report.json"
    assert [
        (each["requirement"], each["level"], each["operations"]) for each in found["failed"]
    ] == [
        ("project/closed", "must", ["project_get"]),
        ("read/names", "should", ["project_get"]),
    ]


def test_the_outcome_of_an_older_report_has_no_gate() -> None:
    """There is nothing that could be missing for it."""
    assert outcome.of(a_report(), 1, Path())["gaps"] == []
