"""`schemathesis run` on the same target, as well tuned as it can be without a plugin.

It gets the contract with ids that exist as examples, the credential that holds every permission,
and no checks that raise false alarms on the reference.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from benchmarks import measured, runs, served
from benchmarks.measured import Cost, Row
from benchmarks.served import Served, Setting
from conformance.assurance.selftest import population
from conformance.assurance.selftest.population import Mutant
from conformance.contract import api, files

EXAMPLES = 50
"""Generated examples for each operation."""

FALSE_ALARMS = (
    "unsupported_method",  # the contract says nothing about other methods
    "positive_data_acceptance",  # a made-up id within the contract gets 404
    "ignored_auth",  # it takes one of the two schemes for both
)

MUTANTS = 20
OTHER_INTERFACES = frozenset({"description", "tool_interface", "tools"})
"""Modules of the reference that requests over HTTP do not reach."""


@dataclass(frozen=True)
class Caught:
    """How many mutants a tool has caught, and in how many seconds."""

    mutants: int
    seconds: float
    cpu: float


def throughput(depth: str) -> Iterator[Row]:
    """Exchanges per second of both tools, over loopback."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served.reference(folder) as target:
            ours = runs.of(folder, depth, "--target", target.profile)
            before = target.requests
            theirs = _run(folder, target)
            count = target.requests - before
    if theirs.code != 0:
        raise RuntimeError(f"schemathesis fails the reference, exit code {theirs.code}")
    pace = count / theirs.cpu
    for tool, cost, exchanges in (
        (f"conformance run --depth {depth}", ours.cost, ours.exchanges),
        (f"schemathesis run --max-examples {EXAMPLES}", theirs, count),
    ):
        yield Row(
            tool,
            {
                "exchanges": exchanges,
                "seconds": round(cost.seconds, 1),
                "CPU s": round(cost.cpu, 1),
                "per CPU s": round(exchanges / cost.cpu),
                "to schemathesis": round(exchanges / cost.cpu / pace, 1),
                "per second": round(exchanges / cost.seconds),
                "MiB": round(cost.peak),
            },
        )


def mutants() -> Iterator[Row]:
    """The mutants that each tool catches in a minute, of twenty that it can reach over HTTP."""
    chosen = _chosen()
    ours, theirs = Caught(0, 0, 0), Caught(0, 0, 0)
    for mutant in chosen:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with served.reference(folder, Setting(edits=mutant.edits)) as target:
                theirs = _with(theirs, _run(folder, target))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with served.reference(folder, Setting(edits=mutant.edits)) as target:
                ours = _with(ours, _checked(folder, target))
    pace = max(theirs.mutants, 1) / theirs.seconds  # to none, no ratio would be known
    for tool, caught in (("conformance run --depth quick", ours), ("schemathesis run", theirs)):
        yield Row(
            tool,
            {
                "caught": f"{caught.mutants} of {len(chosen)}",
                "seconds": round(caught.seconds),
                "per minute": round(60 * caught.mutants / caught.seconds, 2),
                "per CPU minute": round(60 * caught.mutants / caught.cpu, 2),
                "to schemathesis": round(caught.mutants / caught.seconds / pace, 1),
            },
        )


def first(mutant: Mutant) -> int | None:
    """The requests until its first failure; None where it finds none."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served.reference(folder, Setting(edits=mutant.edits)) as target:
            found = _run(folder, target, "--max-failures", "1")
            return target.requests if found.code == 1 else None


def is_reachable(mutant: Mutant) -> bool:
    """Whether the HTTP interface shows a mutant."""
    return not any(edit.module in OTHER_INTERFACES for edit in mutant.edits)


def _chosen() -> list[Mutant]:
    """Every n-th of the mutants of the package that the HTTP interface shows."""
    mutants = [each for each in population.shipped() if isinstance(each, Mutant)]
    reachable = [each for each in mutants if is_reachable(each)]
    return reachable[:: len(reachable) // MUTANTS][:MUTANTS]


def _with(caught: Caught, cost: Cost) -> Caught:
    # Exit code 1: something failed; the original passes both tools.
    return Caught(
        caught.mutants + (cost.code == 1), caught.seconds + cost.seconds, caught.cpu + cost.cpu
    )


def _checked(folder: Path, target: Served) -> Cost:
    return measured.python(
        "-m", "conformance", "run", "--depth", "quick",
        "--target", target.profile, "--report-dir", folder / "report",
    )  # fmt: skip


def _run(folder: Path, target: Served, *options: str) -> Cost:
    secret = target.target.credentials["primary"].secret("api-key")
    document = folder / "openapi.json"
    document.write_text(json.dumps(_with_examples(target, secret)), encoding="utf-8")
    tool = Path(sys.executable).with_name("schemathesis")
    return measured.process(
        [
            str(tool), "run", str(document), "--url", target.target.base_url,
            "--header", f"x-api-key: {secret}", "--seed", "1", "--max-examples", str(EXAMPLES),
            "--exclude-checks", ",".join(FALSE_ALARMS), "--continue-on-failure", "--no-color",
            "--generation-with-security-parameters", "false", "--generation-database", "none",
            *options,
        ],
        folder,
    )  # fmt: skip


def _with_examples(target: Served, secret: str) -> dict[str, Any]:
    """The contract with an id that exists as the example of each path parameter."""
    document: dict[str, Any] = yaml.safe_load(files.text("openapi.yaml"))
    names = api.load()
    base_url = target.target.base_url
    with httpx.Client(headers={"x-api-key": secret}, trust_env=False) as client:
        ids = {}
        for name, operation in names.parents.items():
            path = next(
                path
                for path, methods in document["paths"].items()
                for each in methods.values()
                if each["operationId"] == operation
            )
            page = client.get(f"{base_url}{path}").json()
            ids[name] = page["data"]["items"][0]["id"]
    for parameter in _parameters(document):
        if parameter.get("name") in ids:
            parameter["example"] = ids[parameter["name"]]
    return document


def _parameters(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "in" in node and "name" in node:
            yield node
        for value in node.values():
            yield from _parameters(value)
    elif isinstance(node, list):
        for value in node:
            yield from _parameters(value)
