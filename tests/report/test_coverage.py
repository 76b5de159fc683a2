"""How much of a requirement, and of all of them, was checked."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from sample_reports import a_report, an_entry

from conformance.contract import requirements
from conformance.report import coverage
from conformance.report.console import terminal
from conformance.report.formats import html, junit, markdown

STATED = requirements.load()["read/success"]


def record(
    verdict: str = "pass", schemes: tuple[str, ...] = (), faces: tuple[str, ...] = ()
) -> Any:
    """A finding with the schemes and faces of its requests."""
    return {"verdict": verdict, "schemes": list(schemes), "faces": list(faces)}


def of(operations: dict[str, str], verdict: str, *findings: Any) -> Any:
    """The coverage of a requirement with these verdicts."""
    entry = an_entry("read/success", verdict, operations=operations)
    return coverage.of_requirement(STATED, entry, findings)


@pytest.mark.parametrize(
    ("operations", "verdict", "checked", "total"),
    [
        ({"a": "pass", "b": "inconclusive"}, "inconclusive", 1, 2),
        ({"a": "pass", "b": "not-applicable", "c": "fail"}, "fail", 3, 3),
        ({"a": "pass", "b": "error"}, "error", 1, 2),
        ({"a": "pass"}, "inconclusive", 1, 2),
        ({}, "pass", 1, 1),
        ({}, "inconclusive", 0, 1),
    ],
    ids=["in part", "a failure", "an error", "undecided as a whole", "a deployment", "nothing"],
)
def test_operations_with_a_verdict_are_counted(
    operations: dict[str, str], verdict: str, checked: int, total: int
) -> None:
    """An internal error is not a verdict; the deployment as a whole counts as one operation."""
    found = of(operations, verdict)

    assert (found["checked"], found["operations"]) == (checked, total)


def test_schemes_and_faces_are_those_of_verdicts() -> None:
    """A finding without a verdict adds none."""
    found = of(
        {"a": "pass"},
        "pass",
        record(schemes=("bearer",), faces=("tool",)),
        record(schemes=("api-key",), faces=("http",)),
    )
    undecided = of({"a": "pass"}, "pass", record("inconclusive", ("bearer",), ("tool",)))

    assert (found["schemes"], found["faces"]) == (["api-key", "bearer"], ["http", "tool"])
    assert (undecided["schemes"], undecided["faces"]) == ([], [])


def test_a_requirement_counts_by_its_share_of_operations() -> None:
    """Three quarters of two requirements were checked; an observation does not count."""
    half = an_entry("x/half", "inconclusive", coverage={"checked": 1, "operations": 2})
    whole = an_entry("x/whole", coverage={"checked": 2, "operations": 2})
    seen = an_entry("x/seen", level="observe", coverage={"checked": 0, "operations": 2})

    assert coverage.total([half, whole, seen]) == {
        "requirements": 2,
        "whole": 1,
        "part": 1,
        "share": 0.75,
    }


def test_the_coverage_is_a_sentence() -> None:
    """The percentage is rounded down."""
    report = a_report(coverage={"requirements": 115, "whole": 62, "part": 16, "share": 0.6599})

    assert coverage.sentence(report) == (
        "62 of 115 requirements checked, 65 % with the 16 in part, by the share of their operations"
    )


def test_the_coverage_of_an_older_report_follows_from_its_verdicts() -> None:
    """It has no part of a requirement."""
    report = a_report()
    found = coverage.of(report)

    assert (found["whole"] > 0, found["part"]) == (True, 0)
    assert coverage.described(report["requirements"][0]) == ""


def test_the_coverage_of_a_requirement_is_described() -> None:
    """In operations, schemes and faces."""
    stated = {"checked": 8, "operations": 9, "schemes": ["api-key"], "faces": ["http", "tool"]}
    entry = an_entry("x/y", coverage=stated)

    assert coverage.described(entry) == "8 of 9 operations, 1 of 2 schemes, by HTTP and tools"


def test_every_renderer_shows_the_coverage() -> None:
    """The terminal, the page and the summary show the total; the page and JUnit XML each part."""
    stated = {"checked": 8, "operations": 9, "schemes": ["api-key"], "faces": ["http"]}
    total = {"requirements": 115, "whole": 62, "part": 16, "share": 0.66}
    report = a_report(an_entry("x/y", "fail", coverage=stated), coverage=total)
    in_words = (
        "62 of 115 requirements checked, 66 % with the 16 in part, by the share of their operations"
    )

    assert f" coverage {in_words} " in " ".join(" ".join(terminal.lines(report)).split())
    assert f"Coverage: {in_words}" in markdown.render(report).decode()
    assert "checked: 8 of 9 operations, 1 of 2 schemes, by HTTP" in html.render(report, [])
    (shown,) = {
        each.get("value")
        for each in ET.fromstring(junit.render(report)).iter("property")
        if each.get("name") == "coverage"
    }
    assert shown == "8 of 9 operations, 1 of 2 schemes, by HTTP"
