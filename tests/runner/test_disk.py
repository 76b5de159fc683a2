"""The directory of a run: locked while a run writes to it; a full one ends the run in one line."""

import errno
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from process import surroundings

from conformance.__main__ import main
from conformance.contract.exit_codes import CONFORMANT, USAGE_ERROR
from conformance.report.exchange_log import ExchangeLog
from conformance.report.run import Run
from conformance.runner.disk import locked

OPTIONS = ["run", "--class", "description", "--report-dir"]
FULL = OSError(errno.ENOSPC, "No space left on device")


def test_a_second_run_into_the_same_directory_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files of the first one stay."""
    part = tmp_path / "exchanges-main.jsonl"
    part.write_text("{}\n")
    with locked(tmp_path) as is_free:
        assert is_free
        assert main([*OPTIONS, str(tmp_path)]) == USAGE_ERROR
    assert "another run writes to it" in capsys.readouterr().err
    assert part.read_text() == "{}\n"


def test_a_second_run_by_plain_pytest_is_a_usage_error(tmp_path: Path) -> None:
    """So it is with workers, whose controller holds the folder; the files of the first one stay."""
    part = tmp_path / "exchanges-main.jsonl"
    part.write_text("{}\n")
    options = ["-p", "no:cacheprovider", "--pyargs", "conformance.suite", "--depth=standard"]
    chosen = [*options, "--conformance-class=limits", f"--report-dir={tmp_path}"]
    with locked(tmp_path):
        for workers in ((), ("-n", "1")):
            ended = subprocess.run(
                [sys.executable, "-m", "pytest", *chosen, *workers],
                env=surroundings(),
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == USAGE_ERROR
            assert "another run writes to it" in ended.stdout + ended.stderr
    assert part.read_text() == "{}\n"


def test_a_directory_is_free_again_after_a_run(tmp_path: Path) -> None:
    """Two runs, one after the other."""
    assert [main([*OPTIONS, str(tmp_path)]) for _ in range(2)] == [CONFORMANT, CONFORMANT]


@pytest.mark.parametrize("place", ["the log", "a record", "the report"])
def test_a_full_disk_ends_a_run_in_one_line(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 4, and there is no traceback."""

    def fail(*_: object, **__: object) -> None:
        raise FULL

    owner, name = {
        "the log": (ExchangeLog, "write"),
        "a record": (Run, "add"),
        "the report": (Run, "finish"),
    }[place]
    monkeypatch.setattr(owner, name, fail)

    assert main([*OPTIONS, str(tmp_path)]) == USAGE_ERROR

    errors = capsys.readouterr().err
    assert f"{tmp_path}: No space left on device" in errors
    assert "Traceback" not in errors
    assert len(errors.splitlines()) == 1


def test_a_deleted_directory_ends_a_run_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no new one, whose report would be without its log."""
    directory, add = tmp_path / "reports", Run.add

    def delete(run: Run, record: str) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        add(run, record)

    monkeypatch.setattr(Run, "add", delete)

    assert main([*OPTIONS, str(directory)]) == USAGE_ERROR

    errors = capsys.readouterr().err
    assert f"{directory}: was deleted during the run" in errors
    assert len(errors.splitlines()) == 1
    assert not directory.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_limit_of_the_size_of_files_ends_a_run_in_one_line(tmp_path: Path) -> None:
    """As of `ulimit -f`; what was written stays."""
    program = (
        "import resource, runpy, sys;"
        "sys.dont_write_bytecode = True;"  # Python would write modules that are cut
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000));"
        "runpy.run_module('conformance', run_name='__main__', alter_sys=True)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *OPTIONS, str(tmp_path)],
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == USAGE_ERROR
    assert f"{tmp_path}: File too large" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
