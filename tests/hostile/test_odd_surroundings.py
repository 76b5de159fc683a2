"""Streams and limits of whoever starts a command: none of them makes it say what is not so."""

import errno
import io
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from subprocess import DEVNULL

import pytest
from hostile_server import broken
from process import COMMAND, surroundings
from rich.console import Console

from conformance.__main__ import main
from conformance.commands import descriptors
from conformance.commands.display import Lines
from conformance.commands.tally import Tally
from conformance.contract.exit_codes import CONFORMANT, INTERRUPTED, USAGE_ERROR

FRESH = [
    ("keygen", "new"),
    ("challenge", "--key", "key", "new"),
    ("init", "--template", "new.toml"),
]
"""Commands that write one file, and never over another."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors and core files")


def test_a_parent_that_ignores_its_children_makes_no_failure_a_success(tmp_path: Path) -> None:
    """Where SIGCHLD is ignored, no process learns how its children have ended."""
    (tmp_path / "target.toml").write_text(
        'base-url = "http://127.0.0.1:9/v1"\n[credentials.primary]\n'
        'api-key = { command = ["sh", "-c", "echo a-key-0123456789; exit 7"] }\n'
    )
    ended = subprocess.run(
        [*COMMAND, "doctor", "--trust"],
        cwd=tmp_path,
        env=surroundings(),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        check=False,
    )
    assert "failed with exit code 7" in " ".join(ended.stderr.split())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_parent_that_blocks_signals_makes_no_command_unstoppable(number: signal.Signals) -> None:
    """One that serves would end by SIGKILL alone."""
    with subprocess.Popen(
        [*COMMAND, "serve", "--no-log"],
        env=surroundings(),
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [number]),  # noqa: PLW1509
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        try:
            assert process.wait(30) in (CONFORMANT, INTERRUPTED)
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_processes_of_a_run_shows_no_traceback(
    number: signal.Signals, tmp_path: Path
) -> None:
    """As of a terminal or a service manager: the helpers of a run leave the signal to it."""
    with (tmp_path / "problems").open("wb") as problems:
        running = subprocess.Popen(
            [*COMMAND, "run", "--reference", "--events", "events"],
            cwd=tmp_path,
            env=surroundings(),
            stdout=DEVNULL,
            stderr=problems,
            start_new_session=True,
        )
        events = tmp_path / "events"
        while running.poll() is None and not (events.exists() and events.stat().st_size):
            time.sleep(0.05)
        os.killpg(running.pid, number)
        running.wait(60)
    assert "Traceback" not in (tmp_path / "problems").read_text()


@pytest.mark.parametrize("stream", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_internal_error(stream: str, tmp_path: Path) -> None:
    """Python's own exit code for it, 1, would blame a target."""
    line = f'"$@" {stream}'
    ended = subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND, "explain", "account/id"],
        cwd=tmp_path,
        env=surroundings(),
        check=False,
    )
    assert ended.returncode in (CONFORMANT, USAGE_ERROR)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("command", [("requirements",), ("schema", "report")], ids=" ".join)
def test_an_output_without_a_place_ends_in_one_line(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    """As on a full disk."""
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, *command],
            cwd=tmp_path,
            env=surroundings(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == USAGE_ERROR
    assert ended.stderr == f"conformance: error: {os.strerror(28)}\n"


@pytest.mark.parametrize(
    "command", [("run", "--reference"), ("explain", "account/id")], ids=" ".join
)
@pytest.mark.parametrize("most", [10, 16, 24])
def test_too_few_open_files_end_in_one_line(
    most: int, command: tuple[str, ...], tmp_path: Path
) -> None:
    """Before anything is sent: 3 would blame the checker."""
    ended = ended_with((most, most), command, tmp_path)
    told = f"this process may open {most} files, and needs 32: allow more open files (ulimit -n)"
    assert (ended.returncode, ended.stdout) == (USAGE_ERROR, "")
    assert ended.stderr == f"conformance {command[0]}: error: {told}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_lower_limit_than_the_system_has_is_raised(tmp_path: Path) -> None:
    """Only that of this process."""
    ended = ended_with((10, 1024), ("run", "--reference", "--class", "description"), tmp_path)
    assert ended.returncode == CONFORMANT, ended.stderr


def ended_with(
    limits: tuple[int, int], command: tuple[str, ...], folder: Path
) -> subprocess.CompletedProcess[str]:
    """A command that has ended, with these limits of open files."""
    return subprocess.run(
        [*COMMAND, *command],
        cwd=folder,
        env=surroundings(),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits),
        check=False,
    )


def test_open_files_that_run_out_end_a_command_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where a system has no more for all of its processes."""

    def none_left() -> None:
        raise OSError(errno.ENFILE, os.strerror(errno.ENFILE))

    monkeypatch.setattr(descriptors, "secure", none_left)
    assert main(["explain", "account/id"]) == USAGE_ERROR
    told = "Too many open files in system: allow more open files (ulimit -n)"
    assert capsys.readouterr().err == f"conformance: error: {told}\n"


def test_a_limit_of_file_sizes_blames_no_target(tmp_path: Path) -> None:
    """Neither the output nor a word about it can be written; 1 would be a verdict."""
    with (tmp_path / "output").open("w") as output:
        ended = subprocess.run(
            [*COMMAND, "requirements"],
            cwd=tmp_path,
            env=surroundings(PYTHONDONTWRITEBYTECODE="1"),
            stdout=output,
            stderr=output,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
            check=False,
        )
    assert ended.returncode == USAGE_ERROR


@pytest.mark.parametrize("command", FRESH, ids=lambda command: command[0])
def test_a_full_disk_leaves_no_part_of_a_file(command: tuple[str, ...], tmp_path: Path) -> None:
    """The line names the file, and the same command works once there is place."""
    subprocess.run(
        [*COMMAND, "keygen", "key"], cwd=tmp_path, env=surroundings(), check=True, stdout=DEVNULL
    )
    before = sorted(tmp_path.iterdir())
    ended = subprocess.run(
        [*COMMAND, *command],
        cwd=tmp_path,
        env=surroundings(PYTHONDONTWRITEBYTECODE="1"),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20)),
        check=False,
    )
    assert ended.returncode == USAGE_ERROR
    assert "new" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_the_progress_of_a_run_without_a_place_is_no_internal_error() -> None:
    """It is printed by a thread of its own, which ends; the command meets the same."""
    reached = threading.Event()

    def sent() -> int:
        reached.set()
        return 1

    with Path("/dev/full").open("wb", buffering=0) as full:
        stream = io.TextIOWrapper(full, write_through=True)
        lines = Lines(Console(file=stream), Tally(total=1, sent=sent), interval=0.01)
        assert reached.wait(60)
        lines.close()  # an exception of the thread fails the test


CRASHES = {-signal.SIGABRT, -signal.SIGSEGV}  # Python's report of an abort may crash in its turn


def test_a_run_that_crashes_leaves_no_core_file(tmp_path: Path) -> None:
    """Its memory has the key; the user may have allowed core files of any size."""
    log = tmp_path / "reports/latest/exchanges-main.jsonl"
    with broken("http", lambda answer: answer.but()) as profile:
        key = profile["credentials"]["primary"]["api-key"]
        with subprocess.Popen(
            [*COMMAND, "run", "--base-url", profile["base-url"], "--class", "read"],
            cwd=tmp_path,
            env=surroundings(LOCALIZATION_API_KEY=key),
            stdout=subprocess.DEVNULL,
            preexec_fn=_allow_core_files,  # noqa: PLW1509 - there are no other threads yet
        ) as running:
            while not log.exists() and running.poll() is None:
                signal.sigtimedwait([], 0.02)
            limit = Path(f"/proc/{running.pid}/limits").read_text()
            running.send_signal(signal.SIGABRT)
    assert "Max core file size        0 " in limit
    assert running.returncode in CRASHES
    assert sorted(tmp_path.glob("core*")) == []


def _allow_core_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
