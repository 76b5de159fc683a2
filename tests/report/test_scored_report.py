"""A run under a revision: newer requirements are checked and shown, and do not count."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from conformance.assurance.certificate import eligibility, scoring
from conformance.contract import requirements, revisions
from conformance.contract.verdict import Level
from conformance.report import document, gate
from conformance.report.console import conclusion, unscored
from conformance.report.document_types import FindingRecord, RequirementEntry
from conformance.report.page import requirement

NEWER, LOWERED, CONTESTED = "account/type", "read/agreement", "response/json"
NEWEST = revisions.latest()
REVISION = replace(
    NEWEST,
    levels={id: level for id, level in NEWEST.levels.items() if id != NEWER}
    | {LOWERED: Level.SHOULD},
    excluded={"account/closed": "two readings are possible"},
    contested={CONTESTED: "appeal 7"},
)


def finding(id: str, operation: str | None, verdict: str) -> FindingRecord:
    """A finding on an operation of a requirement."""
    return {
        "requirement": id,
        "verdict": verdict,
        "operation": operation,
        "message": "another record",
        "expected": "the record",
        "needs": [],
        "exchanges": [],
        "item": "test",
    }


def entries(verdicts: dict[str, str]) -> list[RequirementEntry]:
    """The requirements of a run under the revision, where these verdicts were found."""
    stated = REVISION.scored({id: requirements.load()[id] for id in verdicts})
    return [
        document.requirement(
            stated[id],
            [finding(id, name, verdict) for name in stated[id].operations],
            {},
        )
        for id, verdict in verdicts.items()
    ]


def text(lines: Any) -> str:
    """Lines of spans as a text."""
    return "\n".join("".join(part for part, _ in line) for line in lines)


def by_id(found: Sequence[RequirementEntry]) -> dict[str, RequirementEntry]:
    """Requirements by id."""
    return {entry["id"]: entry for entry in found}


def test_a_newer_requirement_that_fails_does_not_score() -> None:
    """Neither does one that a service release left out; both keep their verdict and finding."""
    found = entries({NEWER: "fail", "account/closed": "fail"})
    assert [document.is_checked(entry) for entry in found] == [False, False]
    assert [entry["verdict"] for entry in found] == ["fail", "fail"]
    assert found[0]["unscored"].endswith("does not have it: it counts from a later one on")
    assert found[1]["unscored"].endswith("leaves it out: two readings are possible")
    assert document.counts(found)["must"]["fail"] == 0


def test_a_requirement_counts_at_the_level_of_the_revision() -> None:
    """The catalogue may say must by now."""
    assert requirements.load()[LOWERED].level is Level.MUST
    (entry,) = entries({LOWERED: "fail"})
    assert entry["level"] == "should"
    assert document.counts([entry])["should"]["fail"] == 1


def test_nobody_can_require_what_does_not_score() -> None:
    """The gate has no gap for it."""
    found = entries({NEWER: "inconclusive", "account/fields": "inconclusive"})
    assert [gap.requirement for gap in gate.gaps(found, [NEWER, "account/fields"], None)] == [
        "account/fields"
    ]


def test_what_does_not_score_is_shown() -> None:
    """On the terminal with its message, on the page in a group of its own; so are appeals."""
    found = entries({NEWER: "fail", CONTESTED: "pass"})
    report: Any = {"requirements": found}
    shown = text(unscored.spans(report))
    assert "NOT SCORED  1 requirement, 1 of them failed:\n  fail  account/type" in shown
    assert "    another record" in shown
    assert "CONTESTED" in shown
    assert "pass  response/json  appeal 7" in shown
    assert [requirement.outcome(entry) for entry in found] == ["unscored", "passed"]
    report["requirements"] = entries({LOWERED: "pass"})
    assert text(unscored.spans(report)) == ""


def test_the_end_of_a_run_names_the_revision() -> None:
    """Beside what repeats it."""
    suite: Any = {"depth": "quick", "seed": 3, "revision": "2026-12"}
    assert conclusion.settings(suite) == "depth quick, seed 3, revision 2026-12"
    del suite["revision"]
    assert conclusion.settings(suite) == "depth quick, seed 3"


def test_a_certificate_scores_as_the_run_did() -> None:
    """A newer requirement that fails is not in its way, and stands in it."""
    found = entries({NEWER: "fail", LOWERED: "pass", CONTESTED: "pass"})
    small = replace(REVISION, levels={LOWERED: Level.MUST, CONTESTED: Level.MUST})
    score = scoring.of(found, small)
    assert (score.verdict, score.not_scored) == ("conformant", {NEWER: "fail"})
    assert score.contested == {CONTESTED: "appeal 7"}
    report: Any = {
        "suite": {"depth": "standard", "classes": list(requirements.CLASSES), "workers": 1},
        "interrupted": False,
        "verdict": "non-conformant",  # without a revision, the newer one counts
        "requirements": found,
    }
    assert list(eligibility.obstacles(report, small)) == []
    failing = {**report, "requirements": entries({LOWERED: "fail", CONTESTED: "pass"})}
    assert f"the verdict under revision {small.name} is non-conformant" in list(
        eligibility.obstacles(failing, small)
    )
