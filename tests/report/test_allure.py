"""Allure results, as Allure renders them, and a run beside Allure's plugin for pytest."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import attr
import node
import pytest
from allure_commons import model2
from live_server import files
from playwright.sync_api import Browser
from sample_reports import BUDGET, a_finding, a_report, an_entry, an_exchange, poisoned

from conformance import reference
from conformance.http.spellings import spellings
from conformance.report import artefacts
from conformance.report.cases import cases
from conformance.report.formats import allure
from conformance.runner.examination import in_process

KNOWN = an_entry("project/types", "fail", findings=[a_finding(known="Ticket 12")])
BINARY = an_exchange(
    2, response={"status": 500, "headers": [], "body": {"base64": "/w=="}}, curl="curl -sS"
)
SILENT = an_exchange(3, failure="ConnectError: refused", curl="curl -sS")
del SILENT["response"]
DEAD = an_entry(
    "read/success", "inconclusive", findings=[a_finding("inconclusive", exchanges=[BINARY, SILENT])]
)
REPORT: Any = a_report(an_entry("project/closed", "fail"), KNOWN, DEAD)
STATUSES = Counter(allure.STATUS[case.verdict] for case in cases(REPORT))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The results of a report with findings of every kind."""
    (tmp_path / "exchanges.jsonl").write_text("")
    artefacts.write(tmp_path, REPORT, ["allure"])
    return tmp_path / "allure-results"


def result_of(results: Path, name: str) -> dict[str, Any]:
    """The result of a case."""
    (match,) = (
        result
        for path in results.glob("*-result.json")
        if (result := json.loads(path.read_bytes()))["name"] == name
    )
    return dict(match)


def statistic(document: Path, key: str) -> dict[str, int]:
    """How many results of each status a rendered report counts."""
    counted = json.loads(document.read_bytes())[key]
    return {status: counted[status] for status in allure.STATUS.values() if counted.get(status)}


def test_allure_has_the_counts_of_the_report(results: Path, modules: Path, tmp_path: Path) -> None:
    """Allure 3 renders every result, with its status."""
    done = node.run(modules, "allure", "awesome", "--output", "page", str(results), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert statistic(tmp_path / "page" / "summary.json", "stats") == STATUSES


def test_allure_groups_results_by_category_and_behavior(
    results: Path, modules: Path, tmp_path: Path
) -> None:
    """Allure 2 also shows the environment."""
    done = node.run(modules, "allure", "allure2", "--output", "page", str(results), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = tmp_path / "page"
    categories = {
        entry["name"]: _leaves(entry)
        for entry in json.loads((page / "data/categories.json").read_bytes())["children"]
    }
    behaviors = json.loads((page / "data/behaviors.json").read_bytes())["children"]
    environment = {
        entry["name"]: entry["values"]
        for entry in json.loads((page / "widgets/environment.json").read_bytes())
    }

    assert statistic(page / "widgets/summary.json", "statistic") == STATUSES
    assert categories == {
        "Failed requirements": {"project/closed[project_get]"},
        "Warnings": {"read/names[project_get]"},
        "Known failures": {"project/types[project_get]"},
        "Internal errors": {"read/parent[project_get]"},
        "Not checked": {
            f"{id}[project_get]"
            for id in ("read/success", "read/agreement", "authentication/expired")
        },
        "Not applicable": {"tools/listed[project_get]"},
    }
    assert {entry["name"] for entry in behaviors} == {"read", "authentication", "tools"}
    assert environment["verdict"] == ["non-conformant"]


def _leaves(entry: dict[str, Any]) -> set[str]:
    return (
        {entry["name"]}
        if "children" not in entry
        else {name for child in entry["children"] for name in _leaves(child)}
    )


def test_a_result_has_everything_about_a_case(results: Path) -> None:
    """It has labels, severity, findings and exchanges as steps, and the commands."""
    result = result_of(results, "project/closed[project_get]")
    labels = {label["name"]: label["value"] for label in result["labels"]}
    (step,) = result["steps"]
    (exchange,) = step["steps"]
    wire, curl = ((results / each["source"]).read_text() for each in exchange["attachments"])

    assert {name: labels[name] for name in ("epic", "feature", "story", "severity")} == {
        "epic": "read", "feature": "Project", "story": "project/closed", "severity": "critical",
    }  # fmt: skip
    assert (result["status"], result["statusDetails"]["message"]) == ("failed", f"failed: {BUDGET}")
    assert (
        step["name"],
        exchange["name"].partition(" ")[0],
        exchange["name"].rpartition(": ")[2],
    ) == (BUDGET, "GET", "200")
    assert (exchange["stop"] - exchange["start"], result["start"] == exchange["start"]) == (
        12,
        True,
    )
    assert wire.startswith("GET https://api.example.com/v1/projects/")
    assert "\nx-api-key: $PRIMARY_API_KEY\n" in wire
    assert "HTTP/1.1 200\ncontent-type: application/json\n\n{" in wire
    assert curl == "curl -sS 'https://api.example.com/v1/projects'\n"


def test_bodies_and_failures_that_are_not_text_are_described(results: Path) -> None:
    """The examples are a binary body, and an exchange without a response."""
    result = result_of(results, "read/success[project_get]")
    descriptions = [
        (results / each["attachments"][0]["source"]).read_text()
        for each in result["steps"][0]["steps"]
    ]
    assert [text.splitlines()[-1] for text in descriptions] == [
        "no response: ConnectError: refused",
        "(base64) /w==",
    ]


def test_results_have_the_properties_that_the_library_knows(results: Path) -> None:
    """There are no other properties at any depth."""
    for path in results.glob("*-result.json"):
        result = json.loads(path.read_bytes())
        assert set(result) <= {field.name for field in attr.fields(model2.TestResult)}
        for step in (
            each for outer in result["steps"] for each in (outer, *outer.get("steps", []))
        ):
            assert set(step) <= {field.name for field in attr.fields(model2.TestStepResult)}
        assert set(result.get("statusDetails", {})) <= {
            field.name for field in attr.fields(model2.StatusDetails)
        }


def test_the_history_of_a_case_continues(results: Path) -> None:
    """Another run uses the same names and ids, and replaces all files."""
    before = {path.name for path in results.iterdir()}
    known = result_of(results, "project/closed[project_get]")
    (results / "0-result.json").write_text("{}")
    artefacts.write(results.parent, REPORT | {"started": "2026-11-22T00:10:00+00:00"}, ["allure"])
    again = result_of(results, "project/closed[project_get]")

    assert {path.name for path in results.iterdir()} == before
    assert (again["historyId"], again["testCaseId"]) == (known["historyId"], known["testCaseId"])
    assert again["start"] - known["start"] == 24 * 60 * 60 * 1000


@pytest.mark.browser
def test_nothing_of_a_target_acts_in_the_page(
    modules: Path, browser: Browser, tmp_path: Path
) -> None:
    """A report full of markup is rendered and opened; the message appears as text."""
    (tmp_path / "exchanges.jsonl").write_text("")
    requirements = [
        {**entry, "findings": poisoned(entry["findings"])} for entry in REPORT["requirements"]
    ]
    artefacts.write(tmp_path, REPORT | {"requirements": requirements}, ["allure"])
    done = node.run(
        modules, "allure", "awesome", "--output", "page", "allure-results", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    page = browser.new_page()
    with files(
        tmp_path / "page"
    ) as url:  # a single file may start before its data is loaded, and stay empty
        page.goto(url)
        page.get_by_text("project/closed[project_get]").first.click()
        page.get_by_text("failed: </script>").first.wait_for()
    assert page.evaluate("window.pwned") is None
    page.close()


def test_a_run_with_allures_plugin_masks_its_secrets(tmp_path: Path) -> None:
    """`pytest --alluredir` masks credentials that the target echoes, and has pytest's verdicts."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--pyargs",
        "conformance.suite",
        "-p",
        "echoing_target",
    ]
    command += [
        "--depth",
        "smoke",
        "--conformance-class",
        "read",
    ]
    command += ["--report-dir", str(tmp_path / "report"), "--alluredir", str(tmp_path / "results")]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "support")}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=240, env=environment
    )
    files = [path.read_bytes() for path in (tmp_path / "results").iterdir()]
    sought = {
        spelling
        for secret in in_process(reference).target.secrets
        for spelling in spellings(secret)
    }
    statuses = Counter(
        json.loads(path.read_bytes())["status"]
        for path in (tmp_path / "results").glob("*-result.json")
    )

    assert done.returncode == 1, done.stdout
    assert (statuses["failed"] > 0, statuses["passed"] > 0) == (True, True)
    assert f"{statuses['failed']} failed, {statuses['passed']} passed" in done.stdout
    assert [spelling for spelling in sought for content in files if spelling in content] == []
