"""Known gaps: what cannot be checked is accepted by name, until it is checked or expires."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sample_reports import a_finding, a_report, an_entry

from conformance.report import known_gaps
from conformance.report.known_failures import Known, KnownError, load

TODAY = date(2026, 11, 20)
OPERATIONS = {"project_list": "pass", "project_get": "inconclusive", "video_get": "inconclusive"}


def gap(operation: str | None = None, requirement: str = "x/y", **properties: Any) -> Known:
    """An entry for a gap."""
    return Known(requirement, operation, "no key yet", is_gap=True, **properties)


def marked(*entries: Known, **properties: Any) -> Any:
    """A report with one unchecked requirement on two operations, marked with these entries."""
    findings = [a_finding("inconclusive", name) for name in OPERATIONS]
    open_ = an_entry("x/y", "inconclusive", operations=OPERATIONS, findings=findings)
    report = a_report(open_, **properties)
    report["requirements"] = [open_, an_entry("x/passed")]
    report["known-failures"] = {"unknown": [], "stale": []}
    required = {"requirement": "x/y", "operations": ["project_get", "video_get"], "reason": "why"}
    report["gate"] = {"required": [], "gaps": [required]}
    known_gaps.mark(report, entries, TODAY)
    return report


def test_an_entry_without_an_operation_accepts_the_whole_gap() -> None:
    """The gap stays in the report, with the reason why it is accepted."""
    report = marked(gap())

    assert [each.get("known") for each in report["gate"]["gaps"]] == ["no key yet"]
    assert report["known-failures"]["accepted"] == [["x/y", "project_get"], ["x/y", "video_get"]]
    assert known_gaps.are_all_accepted(report)


def test_an_entry_for_an_operation_leaves_the_others_open() -> None:
    """The gap has two parts then."""
    report = marked(gap("video_get"))

    assert [(each["operations"], each.get("known")) for each in report["gate"]["gaps"]] == [
        (["project_get"], None),
        (["video_get"], "no key yet"),
    ]
    assert not known_gaps.are_all_accepted(report)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (gap(requirement="x/passed"), "is checked now"),
        (gap("project_list"), "is checked now"),
        (gap(expires=date(2026, 11, 19)), "expired on 2026-11-19"),
    ],
)
def test_an_entry_that_no_longer_applies_is_stale(entry: Known, problem: str) -> None:
    """It accepts nothing."""
    report = marked(entry)

    assert [each["problem"] for each in report["known-failures"]["stale"]] == [problem]
    assert "known" not in report["gate"]["gaps"][0]


@pytest.mark.parametrize(
    ("entry", "interrupted"), [(gap(requirement="other/class"), False), (gap("project_list"), True)]
)
def test_what_was_not_reached_makes_no_entry_stale(entry: Known, interrupted: bool) -> None:
    """This applies to classes that were not chosen, and to the end of an interrupted run."""
    assert marked(entry, interrupted=interrupted)["known-failures"]["stale"] == []


@pytest.mark.parametrize(
    ("entry", "interrupted", "expected"),
    [
        (gap(), False, True),
        (gap("project_list"), False, False),
        (gap("project_list"), True, None),
        (gap(requirement="other/class"), False, None),
    ],
)
def test_a_gap_holds_while_something_of_it_is_unchecked(
    entry: Known, interrupted: bool, expected: bool | None
) -> None:
    """A run that did not come to it does not say."""
    assert known_gaps.holds(entry, marked(interrupted=interrupted)) is expected


def test_a_file_has_failures_and_gaps(tmp_path: Path) -> None:
    """Their tables have the same keys."""
    file = tmp_path / "known.toml"
    file.write_text(
        '[[gap]]\nrequirement = "x/y"\nreason = "no key"\nexpires = 2027-01-31\n'
        '[[known]]\nrequirement = "x/y"\noperation = "project_get"\nreason = "ticket 7"\n'
    )

    assert load(file, {"x/y": ["project_get"]}) == (
        Known("x/y", "project_get", "ticket 7"),
        Known("x/y", None, "no key", date(2027, 1, 31), is_gap=True),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[gap]]\nrequirement = "x/y"\n', "known.toml:1: gap[0] has no reason: write reason = …"),
        ('[[gaps]]\nrequirement = "x/y"\n', "known.toml:1: gaps is an unknown table: write"),
        ("gap = 7\n", "known.toml:1: gap must be an array of tables: write [[gap]]"),
    ],
)
def test_a_mistake_in_a_gap_is_reported_with_its_line(
    text: str, message: str, tmp_path: Path
) -> None:
    """As for known failures."""
    file = tmp_path / "known.toml"
    file.write_text(text)

    with pytest.raises(KnownError) as raised:
        load(file, {"x/y": []})
    assert message in str(raised.value)
