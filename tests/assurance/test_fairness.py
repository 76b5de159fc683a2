"""Other conforming deployments: the suite must not fail any of them."""

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import process
import pytest
from process import conformance_here
from second_implementation import profile, wire, world
from second_implementation.choices import CONFIGURATIONS

from conformance.assurance.selftest import checks, workers
from conformance.assurance.selftest.workers import Failure
from conformance.contract import requirements
from conformance.report.document import is_checked

Report = Any

ELSEWHERE = frozenset({"tools", "description"})
"""Conformance classes that the second implementation does not have."""

STANDARD = "other-statuses"
"""The configuration that is checked at standard depth."""

INCONCLUSIVE = tomllib.loads(
    (Path(wire.__file__).parent / "undecided.toml").read_text(encoding="utf-8")
)
"""The requirements that cannot be checked on a configuration; none where it is not named."""


@pytest.fixture(scope="module")
def reports(request: pytest.FixtureRequest) -> dict[str, Report]:
    """The reports of the selected configurations; two run at a time, as most of a run is waiting.

    Each has a process of its own, with the modules that this one has imported.
    """
    items = [
        item
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module
    ]
    wanted = {item.callspec.params["name"] for item in items}
    checks.collected()  # imports the suite
    return dict(workers.each(_checked, [name for name in CONFIGURATIONS if name in wanted], 2))


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_conforming_deployment_does_not_fail(name: str, reports: dict[str, Report]) -> None:
    """No requirement fails, and only the expected ones are inconclusive."""
    report = reports[name]
    assert not isinstance(report, Failure), report.reason
    checked = [entry for entry in report["requirements"] if _is_checked(entry)]

    wrong = [
        (entry["id"], *_messages(entry))
        for entry in checked
        if entry["verdict"] in ("fail", "error")
    ]
    inconclusive = {entry["id"] for entry in checked if entry["verdict"] == "inconclusive"}

    assert wrong == []
    assert inconclusive - _sometimes(name) == _inconclusive(name) - _sometimes(name)


@pytest.mark.parametrize("name", ["bare"])
def test_without_consent_every_request_is_a_get(name: str, reports: dict[str, Report]) -> None:
    """One API key with read permissions is enough for a verdict."""
    report = reports[name]

    assert list(report["exchanges"]["methods"]) == ["GET"]


def _checked(name: str) -> Report:
    """The report on one configuration, served on loopback."""
    choices = CONFIGURATIONS[name]
    made = world.build(choices)
    with TemporaryDirectory() as folder, wire.served(made, choices) as server:
        directory = Path(folder)
        target = directory / "target.toml"
        target.write_text(profile.text(made, choices, server.base_url), encoding="utf-8")
        options = ("--target", target, "--depth", "standard", "--report", "badge")
        done = conformance_here(directory, "run", *options)  # nobody reads another report of it
        # 5: something that is required could not be checked
        assert done.returncode in (0, 1, 5), done.stdout + done.stderr
        report: Report = process.report(directory)
    return report


def _inconclusive(name: str) -> set[str]:
    """The requirements that are always inconclusive on a configuration."""
    known = INCONCLUSIVE.get(name, {"approvals": False, "besides": []})
    checked = [
        stated
        for stated in requirements.load().values()
        if stated.is_checked and stated.conformance_class not in ELSEWHERE
    ]
    return {
        stated.id
        for stated in checked
        if known["approvals"] and "review_approve" in stated.operations
    } | {*known["besides"]}


def _sometimes(name: str) -> set[str]:
    """The requirements that are inconclusive in some runs on a configuration."""
    stated = set(INCONCLUSIVE.get(name, {}).get("perhaps", ()))
    return set(requirements.load()) if "*" in stated else stated


def _is_checked(entry: Report) -> bool:
    return is_checked(entry) and entry["class"] not in ELSEWHERE


def _messages(entry: Report) -> list[str]:
    return [
        f"{finding['operation']}: {finding['message']}"
        for finding in entry["findings"]
        if finding["verdict"] in ("fail", "error")
    ]
