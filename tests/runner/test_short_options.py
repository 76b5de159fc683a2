"""Our options among those of somebody else's tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.runner.short_options import NAMES, without, written_out

CONFTEST = """
def pytest_addoption(parser):
    for name in {names!r}:
        parser.addoption(f"--{{name}}", dest=f"theirs_{{name}}", default="theirs")
"""
TEST = """
def test_theirs(request):
    assert request.config.getoption("--depth") == "deeper"
    assert request.config.getoption("--target") == "theirs"
"""


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest in a folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--depth=standard"], ["--conformance-depth=standard"]),
        (["--target", "t.toml", "-k", "x"], ["--conformance-target", "t.toml", "-k", "x"]),
        (["--conformance-depth", "standard"], ["--conformance-depth", "standard"]),
        (["--base-url", "u", "depth", "-depth"], ["--base-url", "u", "depth", "-depth"]),
        (["--require-complete", "--", "--depth"], ["--conformance-require-complete", "--",
                                                   "--depth"]),
    ],
)  # fmt: skip
def test_short_names_are_written_out(given: list[str], expected: list[str]) -> None:
    """Nothing else is changed, and nothing after two dashes."""
    assert written_out(given) == expected


def test_what_pytest_collects_is_found_without_our_options() -> None:
    """A value of an unknown option looks like a path."""
    given = ["--depth", "deep", "--require-complete", "here", "--target=t", "--", "--depth"]

    assert without(given) == ["here", "--", "--depth"]


def test_options_of_the_same_names_are_theirs(tmp_path: Path) -> None:
    """A project may have all of our short names where pytest does not run our suite."""
    (tmp_path / "conftest.py").write_text(CONFTEST.format(names=NAMES))
    (tmp_path / "test_theirs.py").write_text(TEST)

    done = run_pytest(tmp_path, "--depth", "deeper")

    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_selection_without_our_checks_prints_nothing_of_ours(tmp_path: Path) -> None:
    """No request is sent and no report is written either."""
    (tmp_path / "test_theirs.py").write_text("def test_theirs(): pass")
    suite = ("--pyargs", "conformance.suite", "--depth", "standard")

    done = run_pytest(tmp_path, "test_theirs.py", *suite, "-k", "test_theirs")

    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "conformance" not in done.stdout
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("given", [("--base-url", ""), ("--base-url=",)])
def test_an_empty_base_url_is_a_usage_error(given: tuple[str, ...], tmp_path: Path) -> None:
    """A variable that is not set must not stand for the reference, which conforms."""
    ended = run_pytest(tmp_path, "--pyargs", "conformance.suite.test_limits", *given)

    assert ended.returncode == 4
    assert "--base-url is empty: write http:// or https://" in ended.stderr


def test_our_options_are_accepted_where_our_suite_runs(tmp_path: Path) -> None:
    """By both names."""
    suite = ("--pyargs", "conformance.suite", "--conformance-class", "description")
    options = ("--conformance-report-dir", "here")

    done = run_pytest(tmp_path, *suite, *options)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "here" / "report.json").is_file()
