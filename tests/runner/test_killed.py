"""Runs that are killed, terminated or interrupted, with real signals to real processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import orjson
import pytest
from sample_reports import a_report

from conformance.__main__ import main
from conformance.contract import files
from conformance.http.exchange import FACT
from conformance.report import journal
from conformance.report.journal import JOURNAL
from conformance.report.known_failures import Known
from conformance.runner.earlier_log import Rest

ENOUGH = 300
"""Exchanges after which a run is in the middle."""

WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
ENDINGS = pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"]
)


def stopped(
    directory: Path,
    number: signal.Signals,
    *options: str,
    program: tuple[str, ...] = ("conformance", "run"),
) -> int:
    """The exit code of a run that received a signal; all of its processes have ended."""
    # At quick depth, no process generates requests that are never sent.
    words = (f"--report-dir={directory}", "--depth=standard", *options)
    command = [sys.executable, "-m", *program, *words]
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("GITHUB_ACTIONS", "GITLAB_CI")
    }
    silence = subprocess.DEVNULL
    with subprocess.Popen(
        command, env=environment, stdout=silence, stderr=silence, start_new_session=True
    ) as running:
        while running.poll() is None and not (
            _written(directory) > ENOUGH and (directory / "report.html").exists()
        ):
            signal.sigtimedwait([], 0.02)
        running.send_signal(number)
        try:
            code = running.wait(timeout=120)
        except subprocess.TimeoutExpired:  # kill it, or the test would wait for it forever
            os.killpg(running.pid, signal.SIGKILL)
            raise
        while _is_alive(running.pid):
            signal.sigtimedwait([], 0.02)
    return code


def _written(directory: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in directory.glob("exchanges-*.jsonl"))


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def documents(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, each of which has to be complete."""
    content = path.read_bytes()
    assert content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def partial_report(directory: Path) -> dict[str, Any]:
    """The report of an interrupted run, after a check of every file beside it."""
    report: dict[str, Any] = json.loads((directory / "report.json").read_bytes())
    jsonschema.Draft202012Validator(json.loads(files.text("report.schema.json"))).validate(report)
    cases = [
        case.get("name") for case in ET.parse(directory / "junit.xml").getroot().iter("testcase")
    ]
    page = (directory / "report.html").read_text(encoding="utf-8")
    assert (report["interrupted"], report["verdict"], "account/required[account_get]" in cases) == (
        True,
        "inconclusive",
        True,
    )
    assert (page.rstrip().endswith("</html>"), "The run was interrupted" in page) == (True, True)
    assert (
        json.loads((directory / "target.json").read_bytes())["base-url"]
        == report["target"]["base-url"]
    )
    assert len(documents(directory / "exchanges.jsonl")) >= report["exchanges"]["count"]
    return report


def _of_checks(exchanges: list[dict[str, Any]]) -> list[str]:
    return sorted(entry["id"] for entry in exchanges if not entry["id"].startswith(FACT))


def _facts(exchanges: list[dict[str, Any]]) -> set[str]:
    return {entry["id"].partition("#")[0] for entry in exchanges if entry["id"].startswith(FACT)}


@WORKERS
def test_a_run_that_is_killed_leaves_a_report_and_loses_nothing(
    tmp_path: Path, workers: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its files are complete, and `conformance report` adds every check that had ended."""
    assert stopped(tmp_path, signal.SIGKILL, *workers) == -signal.SIGKILL
    before = partial_report(tmp_path)
    records = documents(tmp_path / JOURNAL)[1:]
    exchanges = [entry for path in tmp_path.glob("exchanges-*.jsonl") for entry in documents(path)]

    assert main(["report", str(tmp_path), "--report", "junit,html,har"]) == 2
    after = partial_report(tmp_path)
    output = capsys.readouterr().out

    assert "\nINTERRUPTED: nothing failed so far\n" in output
    assert (
        after["exchanges"]["count"]
        == sum(record["exchanges"] for record in records)
        >= before["exchanges"]["count"]
    )
    # Each worker finds the facts that it needs; the log has each of them once.
    merged = documents(tmp_path / "exchanges.jsonl")
    assert _of_checks(merged) == _of_checks(exchanges)
    assert _facts(merged) == _facts(exchanges)
    assert len({entry["id"] for entry in merged if entry["id"].startswith(FACT)}) == len(
        [entry for entry in merged if entry["id"].startswith(FACT)]
    )
    assert (
        len(json.loads((tmp_path / "exchanges.har").read_bytes())["log"]["entries"])
        == len(merged)
        > ENOUGH
    )
    assert (after["started"], 0 < after["duration"] < 120) == (before["started"], True)


@WORKERS
@ENDINGS
def test_a_run_that_is_stopped_leaves_a_report(
    tmp_path: Path, number: signal.Signals, workers: tuple[str, ...]
) -> None:
    """The exit code is 2, and beside it is only what `--resume` needs."""
    assert stopped(tmp_path, number, *workers) == 2
    partial_report(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.json",
        "junit.xml",
        "report.html",
        "target.json",
        "run.json",
        "exchanges.jsonl",
        "unfinished.jsonl",
        "ledger.jsonl",
    }


def test_plain_pytest_leaves_a_report_when_it_is_terminated(tmp_path: Path) -> None:
    """The process ends at once."""
    program = ("pytest", "-p", "no:cacheprovider", "--pyargs", "conformance.suite")
    assert stopped(tmp_path, signal.SIGTERM, program=program) == -signal.SIGTERM
    partial_report(tmp_path)


def test_a_run_removes_the_files_of_a_killed_run(tmp_path: Path) -> None:
    """The journal and the exchanges of a worker are deleted."""
    (tmp_path / JOURNAL).write_text("left over")
    (tmp_path / "exchanges-gw7.jsonl").write_text("left over")
    assert main(["run", "--class", "limits", "--report-dir", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.json",
        "junit.xml",
        "report.html",
        "target.json",
        "run.json",
        "exchanges.jsonl",
    }


def test_a_previous_run_is_rendered_in_other_formats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report and the verdict do not change."""
    main(
        [
            "run",
            "--depth",
            "standard",
            "--class",
            "limits",
            "--report-dir",
            str(tmp_path),
            "--report",
            "badge",
        ]
    )
    report = (tmp_path / "report.json").read_bytes()
    capsys.readouterr()

    assert main(["report", str(tmp_path), "--report", "markdown,har"]) == 0
    assert (tmp_path / "report.json").read_bytes() == report
    assert (tmp_path / "summary.md").exists()
    assert "\nCONFORMANT: " in f"\n{capsys.readouterr().out}"


@pytest.mark.parametrize(
    "content", ["", "{}\n", "{", '{"about": 1, "known": null}\n', '{"about": {}, "known": 1}\n']
)
def test_an_invalid_journal_is_a_usage_error(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message has the name of the file."""
    (tmp_path / JOURNAL).write_text(content)
    assert main(["report", str(tmp_path)]) == 4
    assert f"{JOURNAL}: not the journal of a run" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["{}", "[]", "{"])
def test_an_invalid_report_is_a_usage_error(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """So is a directory without a report."""
    assert main(["report", str(tmp_path)]) == 4
    (tmp_path / "report.json").write_text(content)
    (tmp_path / "exchanges.jsonl").write_text("")
    assert main(["report", str(tmp_path), "--report", "badge"]) == 4
    assert "not a report of this suite" in capsys.readouterr().err


def test_a_journal_contains_known_failures_and_drops_a_truncated_line(tmp_path: Path) -> None:
    """A re-rendered report has the same known failures."""
    entries = (Known("approval/replay", None, "tracked"),)
    report = a_report()
    about: Any = {name: report[name] for name in ("suite", "target", "started")}
    written = journal.Journal(tmp_path, about, entries)
    record = Rest("interrupted-run-1").record([])
    written.add(orjson.dumps(record).decode())
    (tmp_path / JOURNAL).write_bytes((tmp_path / JOURNAL).read_bytes() + b"\xc3")
    assert journal.read(tmp_path) == (about, entries, [orjson.dumps(record).decode()])
    written.remove()
    with pytest.raises(journal.JournalError, match="No such file"):
        journal.read(tmp_path)
