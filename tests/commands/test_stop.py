"""Runs that are stopped by a signal."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from process import COMMAND, report, surroundings


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


def signalled(directory: Path, function: str, call: int) -> subprocess.CompletedProcess[str]:
    """A run that sends itself a SIGTERM at the nth call of a function."""
    program = Path(__file__).parents[1] / "support" / "self_terminating.py"
    options = ("run", "--depth", "quick", "--class", "limits")
    return subprocess.run(
        [sys.executable, program, function, str(call), *options],
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
    "function", ["runner.disk:locked", "runner.items:arrange"], ids=["no handlers", "no session"]
)
def test_a_stop_before_the_first_request_is_said_in_one_line(tmp_path: Path, function: str) -> None:
    """There is no report: nothing was sent."""
    ended = signalled(tmp_path, f"conformance.{function}", 1)
    message = "conformance run: stopped before the first request: there is no report\n"
    assert (ended.returncode, ended.stderr) == (2, message)
    assert not (tmp_path / "reports/latest/report.json").exists()


def test_a_stop_while_modules_are_imported_is_said_in_one_line(tmp_path: Path) -> None:
    """The modules of a run take a second, in which its own handlers do not stand yet."""
    ended = signalled(tmp_path, "importlib:import_module", 1)
    assert (ended.returncode, "stopped before the first request" in ended.stderr) == (2, True)


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
        "quick",
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
