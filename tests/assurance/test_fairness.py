"""Other conforming deployments: the suite must not fail any of them."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from second_implementation import profile, wire, world
from second_implementation.choices import CONFIGURATIONS

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
def reports(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[dict[str, Future[Report]]]:
    """The reports of the selected configurations; two run at a time."""
    items = [
        item
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module
    ]
    wanted = {item.callspec.params["name"] for item in items}
    with ThreadPoolExecutor(2) as pool:
        yield {
            name: pool.submit(_checked, name, tmp_path_factory.mktemp(name))
            for name in CONFIGURATIONS
            if name in wanted
        }


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_conforming_deployment_does_not_fail(
    name: str, reports: dict[str, Future[Report]]
) -> None:
    """No requirement fails, and only the expected ones are inconclusive."""
    report = reports[name].result()
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
def test_without_consent_every_request_is_a_get(
    name: str, reports: dict[str, Future[Report]]
) -> None:
    """One API key with read permissions is enough for a verdict."""
    report = reports[name].result()

    assert list(report["exchanges"]["methods"]) == ["GET"]


def _checked(name: str, folder: Path) -> Report:
    """The report on one configuration, served on loopback."""
    choices = CONFIGURATIONS[name]
    made = world.build(choices)
    target, reports = folder / "target.toml", folder / "reports"
    depth = "standard" if name == STANDARD else "quick"
    with wire.served(made, choices) as server:
        target.write_text(profile.text(made, choices, server.base_url), encoding="utf-8")
        argv = [
            sys.executable,
            "-m",
            "conformance",
            "run",
            f"--target={target}",
            f"--report-dir={reports}",
            f"--depth={depth}",
        ]
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, timeout=600, check=False
        )
    # 5: something that is required could not be checked
    assert done.returncode in (0, 1, 5), done.stdout + done.stderr
    report: Report = json.loads((reports / "report.json").read_text(encoding="utf-8"))
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
