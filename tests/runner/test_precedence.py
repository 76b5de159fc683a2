"""What a run of a served target begins with."""

import json
from pathlib import Path
from typing import Any

import pytest
import subjects
from live_server import instance

from conformance.__main__ import main
from conformance.assurance.selftest import altered, checks
from conformance.contract.exit_codes import NON_CONFORMANT
from conformance.contract.verdict import Level
from conformance.reference.target import toml
from conformance.runner import precedence
from conformance.runner.items import requirement_of
from conformance.runner.scheduling import Stage

EARLY = 200
"""Requests; that of the defect is among the first 100, in whichever order the responses come."""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of few requests, on a target that lists projects to everybody."""
    folder = tmp_path_factory.mktemp("ended")
    with instance(altered.load(subjects.BY_ID["anonymous-projects"].edits).Reference()) as profile:
        target = folder / "target.toml"
        target.write_text(toml(profile), encoding="utf-8")
        options = ("--max-requests", str(EARLY), "--report-dir", str(folder / "report"))
        assert main(["run", "--target", str(target), *options]) == NON_CONFORMANT
    return folder / "report"


def test_a_must_that_one_request_shows_to_be_violated_is_found_at_once(ended: Path) -> None:
    """An operation that serves without any credential."""
    report: Any = json.loads((ended / "report.json").read_bytes())
    failed = [entry["id"] for entry in report["requirements"] if entry["verdict"] == "fail"]

    assert failed == ["authentication/missing"]


def test_a_run_does_not_begin_with_what_finds_little(ended: Path) -> None:
    """Neither with generated requests nor with observations."""
    lines = (ended / "exchanges.jsonl").read_text().splitlines()
    items = [json.loads(line)["item"] for line in lines]

    first = items[: EARLY // 8]

    assert len(first) == EARLY // 8
    assert not [item for item in first if item.startswith(("fuzz::", "observations::"))]


def test_observations_and_generated_requests_come_last() -> None:
    """In every run, since nothing of a target decides on it."""
    reads = [each for each in checks.collected() if each.task.stage is Stage.READS]
    ordered = sorted(reads, key=lambda each: precedence.of(each.item))
    kinds = [
        (precedence.is_generated(each.item), requirement_of(each.item).level is Level.OBSERVE)
        for each in ordered
    ]

    assert list(dict.fromkeys(kinds)) == [(False, False), (False, True), (True, False)]
