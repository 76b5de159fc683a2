"""Runs that are stopped by a signal."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from process import COMMAND, report, surroundings

from conformance.contract import files, published


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"]
)
def test_an_interrupted_run_leaves_a_report(tmp_path: Path, number: signal.Signals) -> None:
    """Exit code 2, a verdict that says so, and the results so far."""
    command = [*COMMAND, "run", "--depth", "deep", "--class", "limits", "--class", "read"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while (
            not (tmp_path / "reports/latest/exchanges-main.jsonl").exists()
            and running.poll() is None
        ):
            signal.sigtimedwait([], 0.02)
        signal.sigtimedwait([], 0.5)
        running.send_signal(number)
        output, problems = running.communicate(timeout=600)
    document = report(tmp_path)
    assert (running.returncode, problems) == (2, "")
    assert "\nINTERRUPTED: nothing failed so far\n" in output
    assert (document["interrupted"], document["counts"]["must"]["fail"]) == (True, 0)
    assert {
        entry["verdict"] for entry in document["requirements"] if entry["class"] == "limits"
    } >= {"inconclusive"}


def test_the_events_of_an_interrupted_run_end_with_its_verdict(tmp_path: Path) -> None:
    """On standard output, which has nothing else; what people read is on standard error."""
    command = [*COMMAND, "run", "--depth", "deep", "--class", "limits", "--events", "-"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        begun = running.stdout.readline()
        running.send_signal(signal.SIGTERM)
        output, problems = running.communicate(timeout=600)
    lines = [begun, *output.splitlines()]
    events = [published.read(line.encode(), published.EVENT) for line in lines]

    assert running.returncode == 2
    assert (events[0]["event"], events[-1]["event"]) == ("begun", "verdict")
    assert events[-1]["interrupted"] is True
    assert "\nINTERRUPTED: nothing failed so far\n" in problems


def signalled(
    directory: Path, function: str, call: int, *more: str
) -> subprocess.CompletedProcess[str]:
    """A run that sends itself a SIGTERM at the nth call of a function."""
    program = Path(__file__).parents[1] / "support" / "self_terminating.py"
    options = ("run", "--class", "limits")
    return subprocess.run(
        [sys.executable, program, function, str(call), *options, *more],
        cwd=directory,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_stop_during_a_request_leaves_no_warning(tmp_path: Path) -> None:
    """Although the coroutine of the response never started."""
    # Every other call is at the end of a request; the odd ones are before its first step.
    ended = signalled(tmp_path, "asyncio:_set_running_loop", 51)
    assert (ended.returncode, ended.stderr) == (2, "")
    assert "\nINTERRUPTED: nothing failed so far\n" in ended.stdout


@pytest.mark.parametrize(
    "function",
    [
        "importlib:import_module",
        "conformance.runner.disk:locked",
        "conformance.runner.items:arrange",
    ],
    ids=["modules", "no handlers", "no session"],
)
def test_a_stop_before_the_first_request_leaves_a_report(tmp_path: Path, function: str) -> None:
    """The modules of a run take a second, in which its own handlers do not stand yet."""
    ended = signalled(tmp_path, function, 1)
    message = "conformance run: stopped before the first request: nothing was checked\n"
    assert (ended.returncode, ended.stderr) == (2, message)
    document = report(tmp_path)
    Draft202012Validator(json.loads(files.text("report.schema.json"))).validate(document)
    assert (document["interrupted"], document["verdict"]) == (True, "inconclusive")
    assert document["exchanges"]["count"] == 0


def test_a_stop_before_the_first_request_leaves_the_formats_that_are_named(tmp_path: Path) -> None:
    """Beside the report itself."""
    ended = signalled(tmp_path, "importlib:import_module", 1, "--report", "badge,ctrf")
    assert ended.returncode == 2, ended.stderr
    names = {path.name for path in (tmp_path / "reports" / "latest").iterdir()}
    assert {"report.json", "badge.json", "ctrf.json"} <= names


def test_a_stop_before_a_run_is_resumed_keeps_its_report(tmp_path: Path) -> None:
    """What the first part has found is still there."""
    reports = tmp_path / "first"
    reports.mkdir()
    (reports / "report.json").write_text("{}")
    ended = signalled(tmp_path, "importlib:import_module", 1, "--resume", "first")
    assert (ended.returncode, (reports / "report.json").read_text()) == (2, "{}")


@pytest.mark.parametrize(
    "function",
    ["runner.session:Session.close", "report.run:Run.finish", "report.artefacts:publish"],
)
def test_a_stop_while_the_report_is_written_is_ignored(tmp_path: Path, function: str) -> None:
    """Every check was done, and the report is complete."""
    ended = signalled(tmp_path, f"conformance.{function}", 1)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (report(tmp_path)["interrupted"], "\nCONFORMANT: " in ended.stdout) == (False, True)


def test_an_ignored_interrupt_stays_ignored(tmp_path: Path) -> None:
    """As where a shell starts a run in the background."""
    command = [
        "sh",
        "-c",
        'trap "" INT; exec "$0" "$@"',
        *COMMAND,
        "run",
        "--depth",
        "standard",
        "--class",
        "description",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, env=surroundings(), stdout=subprocess.PIPE, text=True
    ) as running:
        while (
            not (tmp_path / "reports/latest/exchanges-main.jsonl").exists()
            and running.poll() is None
        ):
            signal.sigtimedwait([], 0.02)
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=600)
    assert (running.returncode, "\nCONFORMANT" in output) == (0, True)
