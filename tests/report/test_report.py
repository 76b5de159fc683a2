"""The report of a run: verdicts, counts, equal findings, exit codes, and JUnit XML."""

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import orjson
import pytest

from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INTERRUPTED,
    NON_CONFORMANT,
    USAGE_ERROR,
)
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Conclusion, Level, Verdict
from conformance.http import serialization
from conformance.report import document
from conformance.report.console import terminal
from conformance.report.exit_status import NO_TESTS_COLLECTED
from conformance.report.formats import junit
from conformance.report.known_failures import Known
from conformance.report.run import Run
from conformance.target.profile import parse

FAIL, ERROR, INCONCLUSIVE, PASS, NOT_APPLICABLE = (str(verdict) for verdict in Verdict)
STATED = Requirement("x/y", Level.MUST, "read", "Errors", "So it is.", ("a", "b"), ("limits",))
ABOUT: Any = {
    "suite": {"name": "n", "version": "1", "seed": 1, "depth": "quick", "classes": ["read"]},
    "target": {"base-url": "http://h/v1", "profile": None},
    "started": "2026-11-20T12:00:00+00:00",
}


def finding(verdict: str, operation: str | None = "a", **properties: Any) -> Any:
    """A finding as a worker passes it on."""
    made: dict[str, Any] = {
        "requirement": "x/y",
        "verdict": verdict,
        "operation": operation,
        "message": "",
        "expected": "",
    }
    return {**made, "needs": [], "exchanges": [], "item": "item", **properties}


def requirement(*findings: Any, **stated: Any) -> Any:
    """The entry of a requirement with these findings."""
    properties = {name: getattr(STATED, name) for name in Requirement.__dataclass_fields__}
    return document.requirement(Requirement(**{**properties, **stated}), findings, {})


def exchange(id: str) -> Any:
    """The document of an exchange."""
    return {
        "id": id,
        "purpose": "a read",
        "curl": "curl u",
        "operation": "a",
        "credential": "primary",
        "scheme": "api-key",
        "request": {"method": "GET", "url": "u", "headers": [], "body": None},
        "started": 0.0,
        "elapsed": 0.25,
    }


# --- one requirement ------------------------------------------------------------------------------


def test_an_entry_has_the_metadata_of_its_requirement() -> None:
    """The metadata are those of the catalogue."""
    entry = requirement(finding(PASS), finding(PASS, "b"))
    assert entry == {
        "id": "x/y",
        "level": "must",
        "class": "read",
        "section": "Errors",
        "statement": "So it is.",
        "verdict": "pass",
        "operations": {"a": "pass", "b": "pass"},
        "findings": [],
    }


@pytest.mark.parametrize(
    ("findings", "operations", "verdict"),
    [
        ([], {"a": INCONCLUSIVE, "b": INCONCLUSIVE}, INCONCLUSIVE),
        ([finding(PASS)], {"a": PASS, "b": INCONCLUSIVE}, INCONCLUSIVE),
        ([finding(PASS), finding(FAIL), finding(PASS, "b")], {"a": FAIL, "b": PASS}, FAIL),
        ([finding(PASS), finding(ERROR, "b")], {"a": PASS, "b": ERROR}, ERROR),
        ([finding(NOT_APPLICABLE), finding(PASS, "b")], {"a": NOT_APPLICABLE, "b": PASS}, PASS),
        (
            [finding(NOT_APPLICABLE), finding(NOT_APPLICABLE, "b")],
            {"a": NOT_APPLICABLE, "b": NOT_APPLICABLE},
            NOT_APPLICABLE,
        ),
        ([finding(PASS), finding(PASS, "b"), finding(FAIL, None)], {"a": PASS, "b": PASS}, FAIL),
        ([finding(PASS), finding(PASS, "b"), finding(FAIL, "c")], {"a": PASS, "b": PASS}, FAIL),
    ],
)
def test_the_worst_verdict_of_all_operations_counts(
    findings: list[Any], operations: dict[str, str], verdict: str
) -> None:
    """It includes findings on other operations, and findings without an operation."""
    entry = requirement(*findings)
    assert (entry["operations"], entry["verdict"]) == (operations, verdict)


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ([], INCONCLUSIVE),
        ([finding(PASS, None)], PASS),
        ([finding(PASS), finding(FAIL, None)], FAIL),
    ],
)
def test_a_requirement_on_the_whole_deployment_has_no_operations(
    findings: list[Any], verdict: str
) -> None:
    """All findings on the requirement count."""
    entry = requirement(*findings, operations=())
    assert (entry["operations"], entry["verdict"]) == ({}, verdict)


def test_an_unchecked_requirement_has_its_needs() -> None:
    """The needs are listed for each operation, or for the requirement."""
    blank: dict[str, Any] = {
        "verdict": INCONCLUSIVE,
        "message": "no exchange of this run exercised it",
        "expected": "",
        "needs": ["limits"],
    }
    blank |= {"items": [], "occurrences": 0, "exchanges": []}
    assert requirement(finding(PASS))["findings"] == [{**blank, "operation": "b"}]
    assert requirement()["findings"] == [{**blank, "operation": "a"}, {**blank, "operation": "b"}]
    assert requirement(operations=())["findings"] == [{**blank, "operation": None}]
    assert requirement(finding(PASS, None), operations=())["findings"] == []


def test_an_operation_with_a_finding_gets_no_other_reason() -> None:
    """The message of the finding is the reason."""
    findings = requirement(finding(INCONCLUSIVE, message="why"), finding(FAIL, "b", message="so"))[
        "findings"
    ]
    assert [(each["operation"], each["message"]) for each in findings] == [
        ("b", "so"),
        ("a", "why"),
    ]


def test_an_untestable_requirement_stays_inconclusive() -> None:
    """It has the reason, for all findings."""
    entry = requirement(untested="Not visible.", operations=())
    assert entry["untested"] == "Not visible."
    assert (entry["verdict"], entry["findings"][0]["message"]) == (INCONCLUSIVE, "Not visible.")
    assert (
        requirement(finding(PASS), finding(PASS, "b"), untested="Not visible.")["verdict"]
        == INCONCLUSIVE
    )


def test_equal_findings_are_one() -> None:
    """It has the number of occurrences, the items, and the evidence of the first."""
    evidences = {"1": exchange("1"), "2": exchange("2")}
    findings = [
        finding(FAIL, message="m", item=f"item {number % 2}", exchanges=[str(number), "9"])
        for number in range(1, 4)
    ]
    (merged, _) = document.requirement(STATED, findings, evidences)["findings"]

    assert (merged["occurrences"], merged["items"]) == (3, ["item 1", "item 0"])
    assert merged["exchanges"] == [{**exchange("1"), "curl": "curl -sS -i -g u -H accept:"}]
    assert merged["exchanges"][0]["curl"] == serialization.curl(evidences["1"]["request"])


@pytest.mark.parametrize(
    "other",
    [{"verdict": ERROR}, {"operation": "b"}, {"message": "other"}, {"needs": ["consent"]}],
    ids=["verdict", "operation", "message", "needs"],
)
def test_findings_that_differ_are_separate(other: dict[str, Any]) -> None:
    """The content must differ; the item and the exchange do not matter."""
    first = finding(FAIL, message="m")
    assert (
        len(
            [
                one
                for one in requirement(first, {**first, **other})["findings"]
                if one["occurrences"]
            ]
        )
        == 2
    )
    assert (
        len(
            [
                one
                for one in requirement(first, {**first, "item": "x", "exchanges": ["1"]})[
                    "findings"
                ]
                if one["occurrences"]
            ]
        )
        == 1
    )


def test_what_a_check_and_a_rule_say_of_one_place_is_shown_once() -> None:
    """What a schema says of one value is several things, and so is what is said of two places."""
    first, second = ({"part": "status", "name": "", "exchange": id} for id in ("x#1", "x#2"))
    defect = {"kind": "accepted", "text": "", "values": {}, "actual": 200, "fields": []}

    def at(place: dict[str, str], message: str, keyword: str = "") -> Any:
        shown = {**defect, "where": [place], "keyword": keyword}
        return finding(FAIL, message=message, defect=shown)

    told = (at(first, "by a check"), at(first, "by a rule"), at(second, "elsewhere"))
    of_schema = (at(first, "no type", "type"), at(first, "no pattern", "pattern"))
    found = requirement(*told, *of_schema)

    messages = [each["message"] for each in found["findings"] if each["occurrences"]]
    assert messages == ["by a check", "elsewhere", "no type", "no pattern"]


def test_the_worst_findings_are_first_and_their_number_is_bounded() -> None:
    """There are at most twelve findings, and twelve items of each."""
    many = [finding(INCONCLUSIVE, message=str(number)) for number in range(12)]
    reported = requirement(*many, finding(FAIL, "b", message="last"))["findings"]
    assert [each["message"] for each in reported] == ["last", *map(str, range(11))]

    (reported, _) = requirement(*[finding(FAIL, item=str(number)) for number in range(14)])[
        "findings"
    ]
    assert (reported["items"], reported["occurrences"]) == (
        [str(number) for number in range(12)],
        14,
    )


# --- the run --------------------------------------------------------------------------------------


def entry(verdict: str, level: str = "must", **properties: str) -> Any:
    """A requirement of the document, with the properties that are counted."""
    found: Any = {"id": "x/y", "level": level, "verdict": verdict, **properties}
    return {**found, "operations": {}, "findings": []}


@pytest.mark.parametrize(
    ("entries", "conclusion"),
    [
        ([entry(PASS)], Conclusion.CONFORMANT),
        (
            [entry(PASS), entry(FAIL, "should"), entry(INCONCLUSIVE, "observe")],
            Conclusion.CONFORMANT,
        ),
        ([entry(PASS), entry(INCONCLUSIVE, untested="Not visible.")], Conclusion.CONFORMANT),
        ([entry(PASS), entry(INCONCLUSIVE)], Conclusion.INCONCLUSIVE),
        ([entry(PASS), entry(FAIL)], Conclusion.NON_CONFORMANT),
        ([entry(PASS, "should")], Conclusion.INCONCLUSIVE),
        ([entry(PASS), entry(ERROR, "observe")], Conclusion.INCONCLUSIVE),
        ([entry(FAIL), entry(ERROR, "observe")], Conclusion.NON_CONFORMANT),
    ],
)
def test_only_testable_musts_affect_the_verdict_of_a_run(
    entries: list[Any], conclusion: Conclusion
) -> None:
    """All others are only reported; but with an internal error no run is conformant."""
    assert document.conclusion(entries) is conclusion


def test_many_failures_do_not_hide_an_internal_error() -> None:
    """A report has some of the findings of a requirement only."""
    failures = [finding(FAIL, message=f"failure {number}") for number in range(30)]
    found = requirement(*failures, finding(ERROR))

    verdicts = [each["verdict"] for each in found["findings"]]
    assert (verdicts.count(FAIL), verdicts.count(ERROR)) == (document.MOST_FINDINGS, 1)
    assert document.has_error(found)


def test_requirements_are_counted_by_level_and_verdict() -> None:
    """Every verdict is counted; observations and untested requirements are not."""
    entries = [
        entry(PASS),
        entry(PASS),
        entry(FAIL),
        entry(FAIL, "should"),
        entry(PASS, "observe"),
        entry(INCONCLUSIVE, untested="Not visible."),
    ]
    none = dict.fromkeys((FAIL, ERROR, INCONCLUSIVE, PASS, NOT_APPLICABLE), 0)
    assert document.counts(entries) == {
        "must": {**none, PASS: 2, FAIL: 1},
        "should": {**none, FAIL: 1},
    }


def test_observations_are_gathered_by_point_and_subject() -> None:
    """Distinct values are in order of occurrence; lists are flattened."""
    seen = [
        ("o/a", "s", 1),
        ("o/a", "s", [2, 1, [3]]),
        ("o/a", "t", 1),
        ("o/b", "s", None),
        ("o/a", "s", 2),
        ("o/b", "s", []),
    ]
    assert document.observations(seen) == [
        {"id": "o/a", "subject": "s", "values": [1, 2, [3]]},
        {"id": "o/a", "subject": "t", "values": [1]},
        {"id": "o/b", "subject": "s", "values": [None]},
    ]


def record(*findings: dict[str, Any], **properties: Any) -> str:
    """The record of an item as a worker writes it."""
    made: dict[str, Any] = {
        "item": "item",
        "findings": findings,
        "observations": [],
        "evidence": {},
        "exchanges": 0,
        "methods": {},
    }
    made["elapsed"] = {}
    return orjson.dumps({**made, **properties}).decode()


def run(directory: Path, *levels: str, complete: bool = False) -> Run:
    """A run over one requirement of each of these levels: x/0, x/1, …"""
    catalogue = {
        f"x/{n}": Requirement(f"x/{n}", Level(level), "read", "Errors", "So it is.", ())
        for n, level in enumerate(levels)
    }
    each = Run(directory, ABOUT, catalogue, complete=complete)
    each.formats = ("junit",)
    return each


def ended(
    directory: Path, verdicts: list[str], status: int, *levels: str, complete: bool = False
) -> int:
    """The exit code of a run with these verdicts, where pytest ended with this status."""
    each = run(directory, *(levels or ["must"] * len(verdicts)), complete=complete)
    each.add(
        record(
            *[
                finding(verdict, None, requirement=f"x/{number}")
                for number, verdict in enumerate(verdicts)
            ]
        )
    )
    return each.finish(status)


@pytest.mark.parametrize("status", [CONFORMANT, NON_CONFORMANT, NO_TESTS_COLLECTED])
@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([PASS], CONFORMANT),
        ([PASS, INCONCLUSIVE], CONFORMANT),
        ([PASS, FAIL], NON_CONFORMANT),
        ([FAIL, ERROR], CHECKER_ERROR),
        ([PASS, ERROR], CHECKER_ERROR),
    ],
)
def test_the_exit_code_follows_from_the_verdict(
    tmp_path: Path, verdicts: list[str], code: int, status: int
) -> None:
    """The counts of pytest do not affect it."""
    assert ended(tmp_path, verdicts, status) == code


def test_exit_codes_match_their_documentation() -> None:
    """They never change their meaning."""
    assert (CONFORMANT, NON_CONFORMANT, INTERRUPTED, CHECKER_ERROR, USAGE_ERROR) == (0, 1, 2, 3, 4)


def test_complete_fails_a_run_with_an_inconclusive_must(tmp_path: Path) -> None:
    """A should may be inconclusive."""
    assert ended(tmp_path, [PASS, INCONCLUSIVE], 0, complete=True) == NON_CONFORMANT
    assert ended(tmp_path, [PASS], 0, complete=True) == CONFORMANT
    assert ended(tmp_path, [PASS, INCONCLUSIVE], 0, "must", "should", complete=True) == CONFORMANT


def test_a_failed_should_does_not_fail_a_run_but_an_error_does(tmp_path: Path) -> None:
    """Whatever its level is, and also where the run was interrupted."""
    assert ended(tmp_path, [PASS, FAIL], 1, "must", "should") == CONFORMANT
    for level in ("must", "should", "observe"):
        assert ended(tmp_path, [PASS, ERROR], 1, "must", level) == CHECKER_ERROR
        assert ended(tmp_path, [PASS, ERROR], INTERRUPTED, "must", level) == CHECKER_ERROR


@pytest.mark.parametrize("status", [INTERRUPTED, CHECKER_ERROR, USAGE_ERROR])
def test_an_incomplete_run_has_the_exit_code_of_pytest(tmp_path: Path, status: int) -> None:
    """The findings before the end do not matter."""
    assert ended(tmp_path, [FAIL], status) == status
    assert orjson.loads((tmp_path / "report.json").read_bytes())["interrupted"] is (
        status == INTERRUPTED
    )


@pytest.mark.parametrize(("status", "stale"), [(CONFORMANT, ["x/1"]), (INTERRUPTED, [])])
def test_an_interrupted_run_reports_no_known_failure_as_fixed(
    tmp_path: Path, status: int, stale: list[str]
) -> None:
    """Only a complete run can show that a failure is fixed."""
    each = run(tmp_path, "must", "must")
    each.known = (Known("x/0", None, "tracked"), Known("x/1", None, "tracked"))
    each.add(record(finding(FAIL, None, requirement="x/0"), finding(PASS, None, requirement="x/1")))
    each.finish(status)
    document = orjson.loads((tmp_path / "report.json").read_bytes())

    assert document["requirements"][0]["findings"][0]["known"] == "tracked"
    assert [entry["requirement"] for entry in document["known-failures"]["stale"]] == stale


def test_only_failures_can_be_known_failures(tmp_path: Path) -> None:
    """An inconclusive finding next to it does not change."""
    each = run(tmp_path, "must")
    each.known = (Known("x/0", None, "tracked"),)
    each.add(
        record(finding(FAIL, "a", requirement="x/0"), finding(INCONCLUSIVE, "b", requirement="x/0"))
    )
    each.finish(CONFORMANT)
    findings = orjson.loads((tmp_path / "report.json").read_bytes())["requirements"][0]["findings"]

    assert [(entry["verdict"], entry.get("known")) for entry in findings] == [
        (FAIL, "tracked"),
        (INCONCLUSIVE, None),
    ]


def test_a_secret_that_the_last_scan_finds_is_masked_and_reported(tmp_path: Path) -> None:
    """The file stays, the report and the terminal name it, and the exit code is that of the run."""
    secret = "sk_live_4f9a8b7c6d5e4f3a2b1c0d9e"
    each = run(tmp_path, "must")
    each.target = parse(
        {"base-url": "http://x/v1", "credentials": {"primary": {"api-key": secret}}}, environ={}
    )
    each.add(
        record(finding(PASS, None, requirement="x/0"), observations=[["observe/o", "s", secret]])
    )

    assert each.finish(CONFORMANT) == CONFORMANT
    written = json.loads((tmp_path / "report.json").read_bytes())
    assert written["masked"] == ["report.json"]
    assert written["observations"][0]["values"] == ["$SECRET"]
    assert each.document == written
    assert "  WARNING: a secret was masked in report.json" in terminal.lines(written)


def test_the_records_of_workers_are_added_up(tmp_path: Path) -> None:
    """Findings on requirements of other classes are left out."""
    each = run(tmp_path, "must")
    findings = (finding(PASS, None, requirement="x/0"), finding(FAIL, None, requirement="z/9"))
    each.add(record(*findings, exchanges=2, methods={"GET": 1, "POST": 1}))
    observed = [
        ["observe/o", "s", 1],
        ["ledger", "id", {"key": "k", "revision": 2}],
        ["provisioned", "made", None],
    ]
    each.add(
        record(
            exchanges=3, methods={"GET": 3}, observations=observed, elapsed={"a": [0.5], "b": [1.0]}
        )
    )
    each.add(record(elapsed={"a": [1.5]}))
    each.finish(0)
    document = orjson.loads((tmp_path / "report.json").read_bytes())

    assert document["exchanges"] == {
        "count": 5,
        "methods": {"GET": 4, "POST": 1},
        "file": "exchanges.jsonl",
    }
    assert document["latencies"] == {
        "a": {"count": 2, "median": 1.0, "p25": 0.5, "p75": 1.5, "p95": 1.5, "max": 1.5},
        "b": {"count": 1, "median": 1.0, "p25": 1.0, "p75": 1.0, "p95": 1.0, "max": 1.0},
    }
    assert document["observations"] == [{"id": "observe/o", "subject": "s", "values": [1]}]
    assert document["ledger"] == [{"review": "id", "key": "k", "revision": 2}]
    assert [(entry["id"], entry["verdict"]) for entry in document["requirements"]] == [
        ("x/0", PASS)
    ]
    assert {name: document[name] for name in ABOUT} == ABOUT
    assert (document["format"], document["verdict"]) == (1, "conformant")
    assert 0 <= document["duration"] < 60


def test_a_finding_may_cite_the_exchange_of_another_item(tmp_path: Path) -> None:
    """The report includes exchanges that another item recorded."""
    each = run(tmp_path, "must")
    each.add(record(evidence={"a#1": exchange("a#1")}))
    each.add(record(finding(FAIL, None, requirement="x/0", exchanges=["a#1"])))
    each.finish(1)

    (merged,) = orjson.loads((tmp_path / "report.json").read_bytes())["requirements"][0]["findings"]
    assert [each_exchange["id"] for each_exchange in merged["exchanges"]] == ["a#1"]


def test_the_needed_budget_is_the_last_moment_at_which_a_failure_was_first_complete(
    tmp_path: Path,
) -> None:
    """It counts the requests that were sent by then, whichever item has sent them."""
    each = run(tmp_path, "must", "should", "observe")
    early, late = exchange("a#1"), {**exchange("b#1"), "started": 2.0}
    failed = {"message": "wrong", "requirement": "x/0"}
    evidence = {"a#1": early, "b#1": late}
    each.add(record(finding(FAIL, **failed, exchanges=["b#1"]), evidence=evidence, started=[2.0]))
    each.add(record(finding(FAIL, **failed, exchanges=["a#1"]), started=[0.1, 0.0]))
    each.add(record(finding(FAIL, requirement="x/1", exchanges=["a#1", "b#1"]), started=[1.0]))
    each.add(record(finding(FAIL, requirement="x/2", exchanges=["b#1"]), started=[2.5]))
    each.finish(1)

    report = orjson.loads((tmp_path / "report.json").read_bytes())
    complete = [entry["findings"][0]["complete"] for entry in report["requirements"]]
    assert complete[0] == {"request": 2, "second": 0.25}
    assert complete[1] == {"request": 4, "second": 2.25}
    assert report["needed-budget"] == {"failures": 2, "request": 4, "second": 2.25}


def test_a_run_without_a_failure_needed_no_budget(tmp_path: Path) -> None:
    """Nor is anything known of one whose journal is of an earlier version."""
    each = run(tmp_path, "must", "must")
    each.add(record(finding("pass", requirement="x/0"), started=[0.1]))
    each.finish(0)
    assert "needed-budget" not in orjson.loads((tmp_path / "report.json").read_bytes())

    old = run(tmp_path, "must")
    failed = finding(FAIL, requirement="x/0", exchanges=["a#1"])
    old.add(record(failed, evidence={"a#1": exchange("a#1")}))
    old.finish(1)
    assert "needed-budget" not in orjson.loads((tmp_path / "report.json").read_bytes())


def test_the_files_of_the_workers_become_one(tmp_path: Path) -> None:
    """They are joined in the order of their names."""
    for name, text in (
        ("exchanges-gw1.jsonl", "2\n"),
        ("exchanges-gw0.jsonl", "0\n1\n"),
        ("exchanges.jsonl", "old\n"),
    ):
        (tmp_path / name).write_text(text)
    run(tmp_path, "must").finish(0)

    assert (tmp_path / "exchanges.jsonl").read_text() == "0\n1\n2\n"
    assert list(tmp_path.glob("exchanges-*")) == []


def test_a_directory_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    """The new one would have a report without its log."""
    begun = run(tmp_path / "a", "must")
    shutil.rmtree(tmp_path / "a", ignore_errors=True)
    with pytest.raises(FileNotFoundError):
        begun.finish(0)
    assert list(tmp_path.iterdir()) == []


# --- JUnit ----------------------------------------------------------------------------------------


def junit_of(*entries: Any) -> ET.Element:
    """The XML of a report with these requirements."""
    report: Any = {"duration": 1.5, "requirements": list(entries)}
    return ET.fromstring(junit.render(report))


def rendered_case(*findings: Any, **stated: Any) -> ET.Element:
    """The JUnit case of a requirement on the whole deployment."""
    (case,) = junit_of(requirement(*findings, **{"operations": (), **stated})).iter("testcase")
    return case


def test_each_class_is_a_suite_and_each_operation_a_case() -> None:
    """Its name has the operation in brackets; observations are not cases."""
    read = requirement(finding(PASS), finding(FAIL, "b"))
    limits = requirement(id="x/z", conformance_class="limits", operations=())
    root = junit_of(read, limits, requirement(level=Level.OBSERVE, conformance_class="tools"))
    suites = [(suite.attrib["name"], [case.attrib["name"] for case in suite]) for suite in root]

    assert (root.attrib["name"], root.attrib["time"]) == ("localization-api-conformance", "1.5")
    assert suites == [("read", ["x/y[a]", "x/y[b]"]), ("limits", ["x/z"])]
    assert root[0].attrib == {
        "name": "read",
        "tests": "2",
        "time": "0.000",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
    }
    assert root[0][0].attrib["classname"] == "conformance.read"


def test_a_case_has_the_seconds_of_its_operation() -> None:
    """The time of a suite is the sum of its cases."""
    timed = requirement(finding(PASS), finding(PASS, "b"))
    timed["seconds"] = {"a": 1.25, "b": 0.5}
    (suite,) = junit_of(timed)

    assert [case.attrib["time"] for case in suite] == ["1.250", "0.500"]
    assert suite.attrib["time"] == "1.750"


def test_a_case_has_its_requirement_among_its_properties() -> None:
    """The properties also have level, operation and verdict."""
    case = junit_of(requirement(finding(PASS)))[0][0]
    properties = {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
    assert properties == {
        "requirement": "x/y",
        "level": "must",
        "operation": "a",
        "verdict": "pass",
    }


@pytest.mark.parametrize(
    ("verdict", "level", "tag"),
    [
        (PASS, Level.MUST, None),
        (FAIL, Level.MUST, "failure"),
        (FAIL, Level.SHOULD, "skipped"),
        (ERROR, Level.MUST, "error"),
        (ERROR, Level.SHOULD, "error"),
        (INCONCLUSIVE, Level.MUST, "skipped"),
        (NOT_APPLICABLE, Level.MUST, "skipped"),
    ],
)
def test_a_verdict_has_its_element(verdict: str, level: Level, tag: str | None) -> None:
    """Only a failed must is a JUnit failure."""
    case = rendered_case(finding(verdict, None, message="why"), level=level)
    assert [child.tag for child in case] == ["properties", *([tag] if tag else [])]
    assert tag is None or case[1].attrib["message"] == "why"


def test_a_failure_has_all_its_details() -> None:
    """These are requirement, actual and expected behaviour, needs and command of each finding."""
    first = finding(FAIL, None, message="m\x00\x1b[2J", expected="e", exchanges=["1"])
    findings = [first, finding(FAIL, None, message="n", needs=["k"])]
    stated = document.requirement(
        Requirement("x/y", Level.MUST, "read", "Errors", "So it is.", ()),
        findings,
        {"1": exchange("1")},
    )
    (failure,) = junit_of(stated).iter("failure")

    assert failure.attrib["message"] == r"m\u0000\u001b[2J"
    assert (
        failure.text == "requirement: So it is.\nactual: m\\u0000\\u001b[2J\nexpected: e\n"
        "curl -sS -i -g u -H accept:\n\n"
        "requirement: So it is.\nactual: n\nneeds: k"
    )


def test_characters_that_xml_forbids_are_escaped() -> None:
    """Markup is escaped."""
    case = rendered_case(finding(FAIL, None, message="<a b='c'>&\ud800\uffff\U0001f600\t"))
    assert case[1].attrib["message"] == "<a b='c'>&\\ud800\\uffff\U0001f600\\t"
