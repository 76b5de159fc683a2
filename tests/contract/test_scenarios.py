"""The scenarios: a valid Arazzo document that a stock runner executes, and that detects defects."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import jsonschema_rs
import live_server
import node
import pytest
import subjects
import yaml

from conformance.__main__ import main
from conformance.assurance.selftest import altered
from conformance.contract import arazzo, openapi, scenarios
from conformance.contract.scenarios import Scenario, Step

DOCUMENT = Path(__file__).parents[2] / "spec" / "arazzo.yaml"
SCHEMA = "@stoplight/spectral-rulesets/dist/arazzo/schemas/arazzo/v1.0/index.json"
REDOCLY = "redocly"
SCENARIOS = {scenario.id: scenario for scenario in scenarios.SCENARIOS}
Steps = list[tuple[str, str]]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The profile of the reference behind `conformance serve`."""
    with live_server.by_command(tmp_path_factory.mktemp("reference")) as written:
        yield written


def inputs(id: str, profile: dict[str, Any]) -> dict[str, Any]:
    """The inputs of a scenario: an unused review, and a revision that is not its current one."""
    keys = {name: credential.get("api-key") for name, credential in profile["credentials"].items()}
    review = profile["fixtures"]["approvable-reviews"][list(SCENARIOS).index(id)]
    with httpx.Client(
        base_url=profile["base-url"], headers={"x-api-key": keys["primary"]}, trust_env=False
    ) as client:
        revision = client.get(f"/reviews/{review}").json()["data"]["subjectRevision"]
    return {
        "apiKey": keys["throttled" if id == "throttled" else "primary"],
        "reviewId": review,
        "idempotencyKey": str(uuid4()),
        "otherKey": str(uuid4()),
        "otherRevision": revision + 1,
    }


def executed(id: str, profile: dict[str, Any], modules: Path, folder: Path) -> tuple[int, Steps]:
    """The exit code of a stock runner, and the status of each step after its last try."""
    log = folder / "log.json"
    ran = node.run(
        modules,
        REDOCLY,
        *(
            "respect",
            str(DOCUMENT),
            "--workflow",
            id,
            "--server",
            f"api={profile['base-url']}",
            "--json-output",
            str(log),
        ),
        *(
            "--severity",
            "SCHEMA_CHECK=off",
        ),  # it closes every schema, also those of conditions, so every record would be invalid
        cwd=folder,
        REDOCLY_CLI_RESPECT_INPUT=json.dumps(inputs(id, profile)),
    )
    assert log.exists(), ran.stdout + ran.stderr
    (file,) = json.loads(log.read_text(encoding="utf-8"))["files"].values()
    (workflow,) = file["executedWorkflows"]
    return ran.returncode, list(
        {step["stepId"]: step["status"] for step in workflow["executedSteps"]}.items()
    )


def test_the_document_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    """`conformance scenarios > spec/arazzo.yaml` regenerates it."""
    assert main(["scenarios"]) == 0
    assert capsys.readouterr().out == DOCUMENT.read_text(encoding="utf-8")


def test_the_document_conforms_to_the_schema_of_arazzo(modules: Path) -> None:
    """The JSON Schema that the OpenAPI Initiative publishes for Arazzo 1.0."""
    document = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
    schema = json.loads((modules / SCHEMA).read_text(encoding="utf-8"))

    assert (document["arazzo"], schema["$id"]) == (
        "1.0.1",
        "https://spec.openapis.org/arazzo/1.0/schema/2024-08-01",
    )
    jsonschema_rs.validator_for(schema).validate(document)


def test_a_linter_reports_no_problem(modules: Path, tmp_path: Path) -> None:
    """It checks names, references between steps, and the operations of the description."""
    ran = node.run(
        modules,
        REDOCLY,
        "lint",
        str(DOCUMENT),
        "--extends=recommended-strict",
        "--format=json",
        cwd=tmp_path,
    )

    assert (json.loads(ran.stdout)["problems"], ran.returncode) == ([], 0)


def test_every_operation_is_used() -> None:
    """Each operation is a step of a scenario."""
    used = {step.operation for scenario in scenarios.SCENARIOS for step in scenario.steps}

    assert used == set(openapi.load().operations)


def test_a_link_leads_to_the_operation_of_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step with a link to another operation is rejected."""
    astray = Scenario(
        "astray",
        "",
        "",
        (
            Step("look", "review_get"),
            Step("approve", "review_approve", after=("look", "readVideo")),
        ),
    )
    monkeypatch.setattr(arazzo, "SCENARIOS", (astray,))

    with pytest.raises(
        KeyError, match="the link readVideo of review_get does not lead to review_approve"
    ):
        arazzo.text()


@pytest.mark.parametrize("id", SCENARIOS)
def test_the_reference_passes_the_scenario(
    id: str, profile: dict[str, Any], modules: Path, tmp_path: Path
) -> None:
    """Every step is executed and succeeds."""
    expected = [(step.id, "success") for step in SCENARIOS[id].steps]

    assert executed(id, profile, modules, tmp_path) == (0, expected)


@pytest.mark.parametrize(
    ("id", "mutant", "step"),
    [
        ("read-through", "comments-name-their-video", "comments"),
        ("approve-once", "approved-in-words-only", "look-again"),
        ("replay", "replay-conflicts", "replay"),
        ("replay", "replay-once", "replay-again"),
        ("conflict", "stale-approves-all-the-same", "look-again"),
        ("throttled", "rate-without-limit", "spend"),
        ("throttled", "no-retry-after", "spend"),
    ],
)
def test_a_mutant_fails_its_scenario(
    id: str, mutant: str, step: str, modules: Path, tmp_path: Path
) -> None:
    """Every step before the one with the defect succeeds."""
    subject = subjects.BY_ID[mutant]
    ids = [each.id for each in SCENARIOS[id].steps]
    expected = [(name, "success") for name in ids[: ids.index(step)]] + [(step, "error")]

    with live_server.instance(altered.load(subject.edits).Reference()) as profile:
        assert executed(id, profile, modules, tmp_path) == (1, expected)
