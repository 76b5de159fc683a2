"""Whatever a run has seen counts: of any class, in any selection of checks, in any process."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from live_server import instance

from conformance.__main__ import main
from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.contract import requirements
from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INCOMPLETE,
    NON_CONFORMANT,
)
from conformance.contract.verdict import Verdict
from conformance.reference.target import toml
from conformance.report.gathered import Gathered
from conformance.report.journal import UNFINISHED
from conformance.runner import examination, pytest_run

HTML_NOT_FOUND = (
    Edit(
        "responses",
        '"content-type": CONTENT_TYPE,',
        '"content-type": "text/html" if response.status == 404 else CONTENT_TYPE,',
    ),
    Edit(
        "responses",
        "return Response(error.status, orjson.dumps(body), error.headers)",
        'return Response(error.status, b"<html>Not here</html>" if error.status == 404 else'
        " orjson.dumps(body), error.headers)",
    ),
)
SEEN = {"response/content-type", "response/json"}
"""What it violates, by the rules on every response; both are of the class read."""


def run(folder: Path, *options: str, edits: Sequence[Edit] = HTML_NOT_FOUND) -> tuple[int, Any]:
    """The exit code and the report of a quick run on an altered reference, in this process."""
    package = altered.load(edits)
    subject = examination.Substitute(lambda: examination.in_process(package))
    stated = [*pytest_run.options(folder, "standard", 1), "--report=badge", *options]
    code = pytest_run.execute(stated, [subject])
    return code, json.loads((folder / "report.json").read_bytes())


@contextmanager
def served(folder: Path, edits: Sequence[Edit] = HTML_NOT_FOUND) -> Iterator[str]:
    """The profile of an altered reference, as the file that it is written to."""
    with instance(altered.load(edits).Reference()) as profile:
        path = folder / "target.toml"
        path.write_text(toml(profile), encoding="utf-8")
        yield str(path)


def failed(report: Any) -> set[str]:
    """The ids of the failed requirements."""
    return {entry["id"] for entry in report["requirements"] if entry["verdict"] == Verdict.FAIL}


SELECTIONS = {
    "a class": ["--conformance-class=pagination"],
    "a check": ["-k", "does_not_exist_is_not_found"],
    "a shard": ["--conformance-class=pagination", "--conformance-shard=1/1"],
}


@pytest.mark.parametrize("options", SELECTIONS.values(), ids=SELECTIONS.keys())
def test_a_violation_beside_what_was_asked_for_fails_a_run(
    options: list[str], tmp_path: Path
) -> None:
    """The report has the requirement, with its finding and the exchange that shows it."""
    code, report = run(tmp_path, *options)

    assert (code, report["verdict"]) == (NON_CONFORMANT, "non-conformant")
    assert failed(report) == SEEN
    shown = [entry for entry in report["requirements"] if entry["id"] in SEEN]
    assert all(entry["findings"][0]["exchanges"] for entry in shown)


def test_what_was_not_asked_for_and_is_not_violated_stays_out(tmp_path: Path) -> None:
    """Of the other classes, the counts and the list of what is unchecked have nothing else."""
    _, report = run(tmp_path, "--conformance-class=pagination")

    counted = [each for each in requirements.load().values() if each.is_checked]
    asked = {each.id for each in counted if each.conformance_class == "pagination"}
    assert sum(sum(numbers.values()) for numbers in report["counts"].values()) == len(asked) + 2
    unchecked = {each["requirement"] for need in report["unchecked"]["needs"] for each in
                 need["requirements"]}  # fmt: skip
    assert unchecked <= asked


def test_a_known_failure_of_another_class_is_known(tmp_path: Path) -> None:
    """And one that nothing has shown, in a class that was left out, is not out of date."""
    names = (*sorted(SEEN), "approval/state")
    known = "".join(f'[[known]]\nrequirement = "{id}"\nreason = "1"\n' for id in names)
    (tmp_path / "known.toml").write_text(known, encoding="utf-8")
    options = ("--conformance-class=pagination", f"--known-failures={tmp_path / 'known.toml'}")

    code, report = run(tmp_path / "report", *options)

    assert (code, report["verdict"]) == (CONFORMANT, "non-conformant")
    assert report["known-failures"]["stale"] == []


def test_a_violation_beside_what_was_asked_for_fails_workers(tmp_path: Path) -> None:
    """With several processes as well."""
    with served(tmp_path) as target:
        command = ("run", "--target", target, "--class", "pagination")
        code = main([*command, "-n", "2", "--report-dir", str(tmp_path / "report")])

    assert code == NON_CONFORMANT
    assert failed(json.loads((tmp_path / "report" / "report.json").read_bytes())) == SEEN


def test_a_violation_that_an_interrupted_check_has_seen_is_kept(tmp_path: Path) -> None:
    """A resumed run performs the check again; then it may not see the violation."""
    folder = tmp_path / "report"
    options = ["run", "--class", "pagination", "--report-dir", str(folder)]
    assert main([*options, "--max-requests", "60"]) == INCOMPLETE
    journal = folder / UNFINISHED
    head, *records = journal.read_text().splitlines()
    interrupted = [json.loads(each) for each in records]
    check = next(each for each in interrupted if not each["is_finished"] and each["exchanges"])
    id = f"{check['item']}#1"
    seen = {
        "requirement": "response/json",
        "verdict": "fail",
        "operation": "project_list",
        "message": "the body is not JSON",
        "expected": "one JSON value",
        "needs": [],
        "exchanges": [id],
        "item": check["item"],
        "defect": None,
        "responses": 1,
    }
    check["findings"].append(seen)
    lines = (folder / "exchanges.jsonl").read_text().splitlines()
    logged = {line["id"]: line for line in map(json.loads, lines)}
    check["evidence"][id] = logged[id]
    journal.write_text("\n".join([head, *map(json.dumps, interrupted)]) + "\n")

    code = main(["run", "--class", "pagination", "--resume", str(folder)])

    report = json.loads((folder / "report.json").read_bytes())
    (entry,) = (each for each in report["requirements"] if each["id"] == "response/json")
    (shown,) = entry["findings"][0]["exchanges"]
    log = (folder / "exchanges.jsonl").read_text().splitlines()
    assert code == NON_CONFORMANT
    assert shown["id"] == f"interrupted-run-1::{id}"
    assert shown["id"] in [json.loads(line)["id"] for line in log]


def a_record(verdict: str, operation: str = "account_get") -> str:
    """The record of a fact with one finding."""
    found = {"requirement": "response/json", "verdict": verdict, "operation": operation}
    rest = {"message": "", "expected": "", "needs": [], "exchanges": [], "item": "fact::a"}
    traffic = {"observations": [], "evidence": {}, "exchanges": 1, "elapsed": {}, "methods": {}}
    return json.dumps({"item": "fact::a", "findings": [{**found, **rest}], **traffic})


def test_a_violation_that_a_further_process_has_seen_in_a_fact_is_kept() -> None:
    """A fact that several processes found is reported once: as the first of them saw it."""
    gathered = Gathered(["response/json"])
    for record in (a_record("pass"), a_record("fail"), a_record("fail"), a_record("pass")):
        gathered.add(record)

    verdicts = [each["verdict"] for each in gathered.findings["response/json"]]
    assert (verdicts, gathered.exchanges) == (["pass", "fail"], 1)


# --- the baseline ---------------------------------------------------------------------------------


def test_what_passed_in_the_baseline_and_is_of_another_class_is_missing(tmp_path: Path) -> None:
    """Exit code 5; what the requests of this run have shown again is not missing."""
    before, after = tmp_path / "before", tmp_path / "after"
    code, _ = run(before, "--conformance-class=read", edits=())
    assert code == CONFORMANT

    code, report = run(
        after, "--conformance-class=pagination", f"--conformance-baseline={before}", edits=()
    )

    missing = {gap["requirement"]: gap for gap in report["gate"]["gaps"]}
    assert code == INCOMPLETE
    assert "base/version-segment" in missing
    assert "video_list" not in missing["envelope/data"]["operations"]


def test_the_baseline_of_the_same_class_is_complete(tmp_path: Path) -> None:
    """What passed then was checked again."""
    before, after = tmp_path / "before", tmp_path / "after"
    run(before, "--conformance-class=pagination", edits=())
    code, report = run(
        after, "--conformance-class=pagination", f"--conformance-baseline={before}", edits=()
    )

    assert (code, report["gate"]["gaps"]) == (CONFORMANT, [])


# --- internal errors ------------------------------------------------------------------------------


def test_an_internal_error_of_another_class_is_one_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It wins over the violations that the run has seen."""
    monkeypatch.setattr("conformance.rules.own_requests.MEDIA_TYPE", "application/xml")

    code, report = run(tmp_path, "--conformance-class=approval")

    assert code == CHECKER_ERROR
    assert "arguments/accepted" in {entry["id"] for entry in report["requirements"]}


class Crashing:
    """A pytest plugin that fails after a check, as a process that crashes does."""

    def pytest_runtest_teardown(self) -> None:
        """Fail."""
        raise RuntimeError("crashed")


def test_a_check_that_ends_without_a_result_is_an_internal_error(tmp_path: Path) -> None:
    """Neither a violation nor a failure of a test beside our checks."""
    options = [
        *pytest_run.options(tmp_path, "standard", 1, ["read"]),
        "-k",
        "ends_with_the_version",
        *("-p", "no:conformance.runner.unreported"),  # pytest itself reports each check
    ]

    assert pytest_run.execute([*options, "--report=badge"], [Crashing()]) == CHECKER_ERROR
