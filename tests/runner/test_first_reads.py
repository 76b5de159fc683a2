"""What the first reads of a run show together is compared before the others are sent."""

from pathlib import Path

import altered_run

from conformance.assurance.selftest.altered import Edit
from conformance.report.document_types import Report

SHORT_NAMES = Edit(
    "service",
    "return self._page(listing, rows, resources.project)",
    "return self._page(listing, rows, "
    "lambda row: {**resources.project(row), 'name': row['name'][:10]})",
)


def test_a_list_that_differs_from_its_records_is_seen_at_once(tmp_path: Path) -> None:
    """In the first fifth of a run, and said once: the end of the run compares the rest."""
    report: Report = altered_run.report([SHORT_NAMES], tmp_path)
    entries = {entry["id"]: entry for entry in report["requirements"]}
    failures = [each for each in entries["read/agreement"]["findings"] if "complete" in each]

    assert [each["operation"] for each in failures] == ["project_get"]
    assert failures[0]["complete"]["request"] < report["exchanges"]["count"] / 5
