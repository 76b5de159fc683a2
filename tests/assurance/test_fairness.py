"""Other deployments that keep the contract, each in its own way: the suite must not fail one of them for anything."""

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
"""Conformance classes of which the second implementation has nothing."""

STANDARD = "other-statuses"
"""The configuration that is judged at standard depth."""

UNDECIDED = tomllib.loads(
    (Path(wire.__file__).parent / "undecided.toml").read_text(encoding="utf-8")
)
"""What each configuration cannot show; one that is not named shows everything."""


@pytest.fixture(scope="module")
def reports(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[dict[str, Future[Report]]]:
    """The reports of the configurations that are asked for, made two at a time."""
    items = [
        item
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module
    ]
    wanted = {item.callspec.params["name"] for item in items}
    with ThreadPoolExecutor(2) as pool:
        yield {
            name: pool.submit(_judged, name, tmp_path_factory.mktemp(name))
            for name in CONFIGURATIONS
            if name in wanted
        }


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_deployment_that_keeps_the_contract_is_not_failed(
    name: str, reports: dict[str, Future[Report]]
) -> None:
    """Nothing is broken, the checker makes no mistake, and undecided is what this deployment cannot show."""
    report = reports[name].result()
    judged = [entry for entry in report["requirements"] if _is_judged(entry)]

    wrong = [
        (entry["id"], *_told(entry)) for entry in judged if entry["verdict"] in ("fail", "error")
    ]
    undecided = {entry["id"] for entry in judged if entry["verdict"] == "inconclusive"}

    assert wrong == []
    assert undecided - _perhaps(name) == _undecided(name) - _perhaps(name)


@pytest.mark.parametrize("name", ["bare"])
def test_without_consent_nothing_but_get_is_sent(
    name: str, reports: dict[str, Future[Report]]
) -> None:
    """One reading API key gives a verdict, and evidence without any other method."""
    report = reports[name].result()

    assert list(report["exchanges"]["methods"]) == ["GET"]


def _judged(name: str, folder: Path) -> Report:
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
    assert done.returncode in (0, 1), done.stdout + done.stderr
    report: Report = json.loads((reports / "report.json").read_text(encoding="utf-8"))
    return report


def _undecided(name: str) -> set[str]:
    """The requirements that a configuration leaves undecided."""
    told = UNDECIDED.get(name, {"approvals": False, "besides": []})
    judged = [
        stated
        for stated in requirements.load().values()
        if stated.is_checked and stated.conformance_class not in ELSEWHERE
    ]
    return {
        stated.id
        for stated in judged
        if told["approvals"] and "review_approve" in stated.operations
    } | {*told["besides"]}


def _perhaps(name: str) -> set[str]:
    """The requirements that it depends on the moment whether a configuration shows them."""
    return set(UNDECIDED.get(name, {}).get("perhaps", ()))


def _is_judged(entry: Report) -> bool:
    return is_checked(entry) and entry["class"] not in ELSEWHERE


def _told(entry: Report) -> list[str]:
    return [
        f"{found['operation']}: {found['message']}"
        for found in entry["findings"]
        if found["verdict"] in ("fail", "error")
    ]
