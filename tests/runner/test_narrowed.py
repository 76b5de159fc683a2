"""Runs that are narrowed, or end early: what they perform, send and say."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.contract import published, requirements
from conformance.report import selection
from conformance.report.console import terminal
from conformance.report.document_types import Report
from conformance.report.selection import Selection
from conformance.runner import examination, pytest_run

SHARE = 50
"""One check again takes one part in so many of the requests of a whole run at most."""

NAMELESS = Edit("resources", 'account["display_name"],', "7,")


def run(directory: Path, *options: str, edits: tuple[Edit, ...] = ()) -> tuple[int, Report]:
    """The exit code and the report of a run on the reference with these edits."""
    package = altered.load(edits)
    own = [f"--conformance-report-dir={directory}", "--conformance-report=badge", *options]
    plugin = examination.Substitute(lambda: examination.in_process(package))
    code = pytest_run.execute(own, [plugin])
    report: Report = orjson.loads((directory / "report.json").read_bytes())
    return code, report


def failed(report: Report) -> set[tuple[str, str | None]]:
    """The requirements of a report that failed, with the operations."""
    return {
        (entry["id"], found["operation"])
        for entry in report["requirements"]
        for found in entry["findings"]
        if found["verdict"] == "fail" and entry["level"] != "observe"
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """A quick run of two classes on a reference with one defect, and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    events = f"--conformance-events={folder / 'events.jsonl'}"
    options = ("--conformance-depth=quick", "--conformance-class=read,limits", events)
    _, report = run(folder, *options, edits=(NAMELESS,))
    return folder, report


def test_what_failed_last_time_is_checked_again_alone(whole: tuple[Path, Report]) -> None:
    """With the same result, by few requests, and with the rest left out."""
    folder, before = whole
    code, again = run(folder, "--conformance-last-failed", edits=(NAMELESS,))

    assert failed(again) == failed(before) == {("account/fields", "account_get")}
    assert (code, again["verdict"]) == (1, "non-conformant")
    assert again["suite"]["only"] == ["account/fields on account_get"]
    assert [entry["id"] for entry in again["requirements"]] == ["account/fields"]
    assert again["exchanges"]["count"] * SHARE <= 5_000


def test_a_narrowed_run_is_never_conformant(tmp_path: Path) -> None:
    """It passes, and says what it was asked for; nothing else counts as missing."""
    baseline = tmp_path / "baseline"
    run(baseline, "--conformance-only=account/fields,project_list,read/success")
    options = ("--conformance-only=account/fields", f"--conformance-baseline={baseline}")
    code, report = run(tmp_path / "own", *options)

    assert (code, report["verdict"]) == (0, "inconclusive")
    assert report["requirements"][0]["verdict"] == "pass"
    assert report["gate"]["gaps"] == []
    assert report["unchecked"]["count"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--conformance-only=account/feld"], "unknown operation or requirement 'account/feld'"),
        (["--conformance-only=account/feld"], "did you mean account/fields or "),
        (["--conformance-last-failed"], "--last-failed: "),
        (["--conformance-failed-first"], "--failed-first: "),
        (["--conformance-last-failed", "--conformance-only=account/fields"], "leave out one"),
        (["--conformance-events=-"], "--events -: pytest writes to standard output"),
    ],
)
def test_what_cannot_be_narrowed_is_a_usage_error(
    options: list[str], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An unknown name, with those that are near; no earlier report; two ways at once."""
    code = pytest_run.execute([f"--conformance-report-dir={tmp_path}", *options])

    assert code == 4
    assert message in capfd.readouterr().err


def test_nothing_is_checked_again_where_nothing_failed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """That is said instead of a run of everything."""
    run(tmp_path, "--conformance-only=account/fields")
    code = pytest_run.execute([f"--conformance-report-dir={tmp_path}", "--conformance-last-failed"])

    assert code == 4
    assert "nothing failed in" in capfd.readouterr().err


def test_a_run_stops_after_so_many_failures_and_is_resumed(tmp_path: Path) -> None:
    """Its report is that of a run which was stopped; the rest is performed later."""
    options = ("--conformance-depth=quick", "--conformance-class=read,limits")
    code, stopped = run(tmp_path, *options, "--conformance-max-failures=1", edits=(NAMELESS,))
    more, resumed = run(tmp_path, *options, f"--conformance-resume={tmp_path}", edits=(NAMELESS,))

    assert (code, stopped["interrupted"], stopped["verdict"]) == (1, True, "non-conformant")
    assert stopped["budgets"] == [{"budget": "max-failures", "count": 1}]
    assert (more, resumed["interrupted"]) == (1, False)
    assert stopped["exchanges"]["count"] < resumed["exchanges"]["count"]
    assert "budgets" not in resumed


def test_a_run_that_is_cut_says_which_rounds_are_whole(tmp_path: Path) -> None:
    """In the report, in its events and on the terminal; a part of the checks has no rounds."""
    written = f"--conformance-events={tmp_path / 'events.jsonl'}"
    _, report = run(
        tmp_path, "--conformance-depth=standard", "--conformance-max-requests=600", written
    )
    events: list[Any] = [
        published.read(line, published.EVENT)
        for line in (tmp_path / "events.jsonl").read_bytes().splitlines()
    ]
    ended = [event["round"] for event in events if event["event"] == "round-ended"]
    _, part = run(tmp_path, "--conformance-only=account/fields")

    assert report["whole"] == ended == ["smoke"]
    assert "  checked to the end: depth smoke" in terminal.lines(report)
    assert "whole" not in part


def test_what_failed_before_comes_first(whole: tuple[Path, Report]) -> None:
    """The first failure of a whole run is there after few requests."""
    folder, _ = whole
    options = ("--conformance-depth=quick", "--conformance-failed-first")
    classes = "--conformance-class=read,limits"
    run(folder, "--conformance-only=account/fields", edits=(NAMELESS,))
    _, report = run(folder, *options, classes, "--conformance-max-failures=1", edits=(NAMELESS,))

    assert report["needed-budget"]["request"] <= 20


def test_a_run_writes_its_events(whole: tuple[Path, Report]) -> None:
    """Each is described by the schema; a failure comes before the end, the verdict is the last."""
    folder, report = whole
    lines = (folder / "events.jsonl").read_bytes().splitlines()
    events: list[Any] = [published.read(line, published.EVENT) for line in lines]
    kinds = [event["event"] for event in events]
    failures = [event for event in events if event["event"] == "failure"]

    assert (kinds[0], kinds[-1], kinds.count("verdict")) == ("begun", "verdict", 1)
    assert {(each["requirement"], each["operation"]) for each in failures} == failed(report)
    assert kinds.index("failure") < kinds.index("round-ended")
    assert events[-1]["requests"] == report["exchanges"]["count"]
    assert events[-1]["needed-budget"] == report["needed-budget"]


def test_names_select_the_requirements_on_the_operations() -> None:
    """What is named of one kind alone stands for any of the other."""
    catalogue = requirements.load()
    both = selection.of_names(["read/success", "video_list", "account_get"])
    operation = selection.of_names(["account_get"]).narrowed(catalogue)

    assert both.names == ["read/success on video_list", "read/success on account_get"]
    assert Selection.of({"only": both.names}) == both  # type: ignore[typeddict-item]
    narrowed = both.narrowed(catalogue)["read/success"]
    assert set(narrowed.operations) == {"account_get", "video_list"}
    assert {name for each in operation.values() for name in each.operations} == {"account_get"}
    assert selection.of_names(["limits/rate"]).narrowed(catalogue).keys() == {"limits/rate"}
