"""The gate: required checks that could not be completed."""

from typing import Any

import pytest
from sample_reports import a_finding, an_entry

from conformance.report.gate import Gap, entry, gaps
from conformance.target.profile import parse

TARGET = parse(
    {"credentials": {"primary": {"api-key": "secret-0123"}}}, base_url="http://x/v1", environ={}
)
SERVED = an_entry("read/success", operations={"project_get": "pass"})


def unchecked(id: str = "response/json", **properties: Any) -> Any:
    """A must that could not be checked on one operation."""
    finding = a_finding("inconclusive", message="why", **properties)
    return an_entry(id, "inconclusive", findings=[finding])


GAP = Gap("response/json", ("project_get",), "why")


def test_a_complete_run_has_no_gap() -> None:
    """This holds for the default gate, and for requirements by name."""
    entries = [SERVED, an_entry("response/json")]

    assert gaps(entries, (), TARGET) == gaps(entries, ("read",), TARGET) == ()


@pytest.mark.parametrize(
    "need",
    ["a target that responds", "limits.requests-per-second", "credentials.primary",
     "credentials.primary.api-key", "limits.max-response-bytes", "a run of fewer classes"],
)  # fmt: skip
def test_a_blocked_check_is_a_gap(need: str) -> None:
    """By transient errors, a rate limit, a rejected credential, or a response that is too long."""
    assert gaps([SERVED, unchecked(needs=[need])], (), TARGET) == (GAP,)


@pytest.mark.parametrize(
    "need",
    ["credentials.expired", "credentials.primary.bearer", "data in the target",
     "consent.approve-reviews"],
)  # fmt: skip
def test_a_missing_prerequisite_of_the_profile_is_not_a_gap(need: str) -> None:
    """Missing data in the target is not a gap either."""
    assert gaps([SERVED, unchecked(needs=[need])], (), TARGET) == ()


def test_a_finding_without_evidence_is_not_a_gap() -> None:
    """Without a request, no check was blocked."""
    entry = unchecked(needs=["credentials.primary"], exchanges=[])

    assert gaps([SERVED, entry], (), TARGET) == ()


def test_a_target_that_served_nothing_has_a_gap() -> None:
    """This holds even if other requirements were checked."""
    finding = a_finding("inconclusive", message="no credential", exchanges=[])
    entry = an_entry(
        "read/success",
        "inconclusive",
        operations={"project_get": "inconclusive"},
        findings=[finding],
    )

    assert gaps([entry], (), TARGET) == (Gap("read/success", ("project_get",), "no credential"),)


def test_a_run_that_checked_nothing_has_gaps() -> None:
    """This holds for classes that the default gate does not require, and for what is missing."""
    missing = unchecked("limits/rate", needs=["credentials.throttled"], exchanges=[])
    missing["operations"] = {"project_get": "inconclusive"}
    checked = an_entry("limits/body", operations={"review_approve": "pass"})

    assert gaps([missing], (), TARGET) == (Gap("limits/rate", ("project_get",), "why"),)
    assert gaps([missing, checked], (), TARGET) == ()


@pytest.mark.parametrize("required", ["read", "response/json"])
def test_a_required_name_must_be_checked_completely(required: str) -> None:
    """Every missing prerequisite is a gap there."""
    assert gaps([unchecked(needs=["credentials.expired"])], (required,), TARGET) == (GAP,)


def test_a_class_requires_its_musts() -> None:
    """A should is required by its id only; another class is not required."""
    should = unchecked() | {"level": "should"}
    other = unchecked() | {"class": "tools"}

    assert gaps([should, other], ("read",), TARGET) == ()
    assert gaps([should], ("response/json",), TARGET) == (GAP,)


def test_an_untested_requirement_is_never_a_gap() -> None:
    """The requirement cannot be checked from outside."""
    entry = unchecked() | {"untested": "Not visible."}

    assert gaps([entry], ("read",), TARGET) == ()


def test_without_a_profile_only_the_target_can_block() -> None:
    """This applies to the report of a killed run."""
    blocked = unchecked(needs=["a target that responds"])
    rejected = unchecked("envelope/data", needs=["credentials.primary"])

    assert gaps([SERVED, blocked, rejected], (), None) == (GAP,)


def test_what_passed_in_the_baseline_has_to_be_checked() -> None:
    """Whether or not it is required, or of a class of the run; what was not checked is no gap."""
    earlier: Any = {"requirements": [an_entry("tools/listed"), unchecked("tools/data")]}
    lost: list[Any] = [
        {**unchecked(id, needs=["tools.url"]), "class": "tools"}
        for id in ("tools/listed", "tools/data")
    ]

    found = entry([SERVED], [SERVED, *lost], (), TARGET, earlier)

    assert found["gaps"] == [
        {
            "requirement": "tools/listed",
            "operations": ["project_get"],
            "reason": "passed in the baseline: why",
        }
    ]


def test_a_gap_for_two_reasons_is_one() -> None:
    """With the operations of both, and the first reason."""
    blocked = unchecked(needs=["a target that responds"])
    other = a_finding("inconclusive", "video_get", message="other")
    operations = {"project_get": "inconclusive", "video_get": "inconclusive"}
    findings = [*blocked["findings"], other]
    both: Any = {**blocked, "operations": operations, "findings": findings}
    places = {"project_get": "pass", "video_get": "pass"}
    earlier: Any = {"requirements": [an_entry("response/json", operations=places)]}

    (gap,) = entry([SERVED, both], [SERVED, both], (), TARGET, earlier)["gaps"]

    assert (gap["operations"], gap["reason"]) == (["project_get", "video_get"], "why")


def test_what_passed_and_fails_elsewhere_now_has_to_be_checked() -> None:
    """A failure on one operation says nothing about another one, on which it passed before."""
    places = {"project_get": "pass", "video_get": "pass"}
    earlier: Any = {"requirements": [an_entry("response/json", operations=places)]}
    unseen = a_finding("inconclusive", "video_get", message="nothing was sent")
    failed = an_entry(
        "response/json",
        "fail",
        operations={"project_get": "fail", "video_get": "inconclusive"},
        findings=[a_finding("fail"), unseen],
    )

    (gap,) = entry([SERVED, failed], [SERVED, failed], (), TARGET, earlier)["gaps"]

    assert gap["operations"] == ["video_get"]
    assert gap["reason"] == "passed in the baseline: nothing was sent"


def test_what_is_required_by_name_may_be_of_a_class_that_was_left_out() -> None:
    """By default, the classes of the run are required alone."""
    left_out = unchecked()

    assert entry([SERVED], [SERVED, left_out], (), TARGET)["gaps"] == []
    (gap,) = entry([SERVED], [SERVED, left_out], ("read",), TARGET)["gaps"]
    assert gap["requirement"] == "response/json"
