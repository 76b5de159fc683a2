"""A conftest.py that gives a run its target; the example project is run as its users would."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.contract.verdict import Inconclusive
from conformance.suite.approval.review_pool import provisioned

EXAMPLE = Path(__file__).parents[2] / "examples" / "pytest"
REVIEW = "0190a3c5-0000-7000-8000-000000000001"


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Plain pytest in a folder, with the plugins that are installed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_example_project_checks_the_service_that_it_starts(tmp_path: Path) -> None:
    """Its own test runs beside the checks; a caller that the profile lacks comes from a hook."""
    folder = shutil.copytree(EXAMPLE, tmp_path / "project")
    options = ("--conformance-depth=standard", "--conformance-class=limits")
    ended = run_pytest(folder, "test_service.py", "--pyargs", "conformance.suite", *options)

    report = json.loads((folder / "reports/latest/report.json").read_text())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert report["target"]["profile"] == "pytest_conformance_target"
    assert report["verdict"] == "conformant"


def test_the_tests_of_the_example_project_run_alone(tmp_path: Path) -> None:
    """They start the service themselves, and nothing of ours is printed."""
    folder = shutil.copytree(EXAMPLE, tmp_path / "project")
    ended = run_pytest(folder, "test_service.py")

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "conformance" not in ended.stdout


def test_a_test_of_the_user_that_fails_is_not_hidden_by_a_conforming_target(
    tmp_path: Path,
) -> None:
    """The exit code of the checks alone would be 0."""
    (tmp_path / "test_theirs.py").write_text("def test_theirs(): assert False")
    options = ("--conformance-depth=standard", "--conformance-class=limits")
    ended = run_pytest(tmp_path, "test_theirs.py", "--pyargs", "conformance.suite", *options)

    assert "CONFORMANT: every requirement" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 1


def test_what_a_hook_returns_is_read_like_a_profile(tmp_path: Path) -> None:
    """A problem is a usage error that names the hook and the key."""
    (tmp_path / "conftest.py").write_text(
        "def pytest_conformance_target():\n"
        '    return {"base-url": "https://api.example.com/v1", "base-urll": 1}\n'
        "def pytest_conformance_credentials():\n"
        '    return {"primry": {"bearer": "b" * 20}}\n'
    )
    ended = run_pytest(tmp_path, ".", "--pyargs", "conformance.suite")

    assert ended.returncode == 4
    output = ended.stdout + ended.stderr
    assert (
        "pytest_conformance_target: base-urll is an unknown key: did you mean base-url?" in output
    )
    assert "credentials.primry is an unknown key: did you mean primary?" in output


def test_a_function_makes_one_more_review_or_none() -> None:
    """None means that there is no more; anything else but an id is a mistake of the hook."""
    assert provisioned(lambda: REVIEW) == REVIEW
    with pytest.raises(Inconclusive, match="no approvable review is left"):
        provisioned(lambda: None)
    with pytest.raises(Inconclusive, match="what was provisioned is no review id"):
        provisioned(lambda: "7")
