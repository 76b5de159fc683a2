"""`-x`, `--maxfail`, `--lf` and `-k` of pytest: a run is as short as its user has asked for."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from live_server import instance
from process import surroundings

from conformance.assurance.selftest import altered
from conformance.assurance.selftest.altered import Edit
from conformance.reference import serve, target
from conformance.report.unchecked import OCCASION, WHOLE_RUN

LISTS = Edit(
    "service",
    '"items": [render(row) for row in items],',
    '"items": [{**render(row), "companyId": "x"} for row in items],',
)
"""Every list is wrong, and so is every check that reads one."""


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the profile of a target whose lists are wrong."""
    folder = tmp_path_factory.mktemp("lists")
    with instance(altered.load([LISTS]).Reference()) as profile:
        serve.write_private(folder / "target.toml", target.toml(profile))
        yield folder


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The suite under plain pytest, with the profile of the folder."""
    command = [sys.executable, "-m", "pytest", "-q", "--pyargs", "conformance.suite"]
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def exchanges(folder: Path) -> int:
    """The number of requests of the last run."""
    report: dict[str, Any] = json.loads((folder / "reports/latest/report.json").read_bytes())
    return int(report["exchanges"]["count"])


def unchecked(folder: Path) -> list[dict[str, Any]]:
    """What is needed for what the last run did not check."""
    report: dict[str, Any] = json.loads((folder / "reports/latest/report.json").read_bytes())
    return list(report["unchecked"]["needs"])


def failed(ended: subprocess.CompletedProcess[str]) -> list[str]:
    """The checks that pytest shows as failed."""
    return re.findall(r"^FAILED test_\w+\.py::(\S+)", ended.stdout, re.MULTILINE)


@pytest.mark.parametrize(("arguments", "most"), [(["-x"], 1), (["--maxfail", "3"], 3)])
def test_no_check_begins_once_enough_have_failed(
    folder: Path, arguments: Sequence[str], most: int
) -> None:
    """Those under way are completed, and pytest repeats what has ended, up to the last failure."""
    ended = run_pytest(folder, *arguments)

    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert len(failed(ended)) == most
    assert f"stopping after {most} failures" in ended.stdout
    assert {each["key"] for each in unchecked(folder)} <= {WHOLE_RUN, OCCASION}
    assert "AssertionError" not in ended.stdout
    assert exchanges(folder) < 1_000  # of some 4,500


def test_the_checks_that_failed_run_again_alone(folder: Path) -> None:
    """`--lf` after `-k`: no other check is performed."""
    first = run_pytest(folder, "--cache-clear", "-k", "test_valid_arguments_are_accepted")
    again = run_pytest(folder, "--lf")

    assert failed(again) == failed(first)
    assert len(failed(first)) == 3
    assert re.search(r"^3 failed, \d+ deselected", again.stdout, re.MULTILINE)
    assert "6 passed" in first.stdout
    assert exchanges(folder) < 100
