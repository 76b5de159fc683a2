"""What the reference says of itself, against what it does."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import live_server
import pytest
from process import surroundings

from conformance.contract.description.compare import examine
from conformance.contract.description.difference import Aspect, Effect

PHASES = ("Examples", "Coverage", "Fuzzing", "Stateful")
EXAMPLES = 10
"""Generated requests for each operation and phase."""


@pytest.fixture(name="document")
def _document(api: httpx.Client) -> dict[str, Any]:
    document: dict[str, Any] = api.get("/openapi.json").json()
    return document


def test_schemathesis_finds_no_fault_in_the_sandbox(tmp_path: Path) -> None:
    """Every check of every phase passes on the description that `conformance serve` publishes."""
    with live_server.by_command(tmp_path) as profile:
        ended = subprocess.run(
            [
                *(Path(sys.executable).with_name("schemathesis"), "run"),
                profile["description"]["url"],
                *("--header", f"x-api-key: {profile['credentials']['primary']['api-key']}"),
                *("--max-examples", str(EXAMPLES), "--seed", "1", "--generation-deterministic"),
                "--no-color",
            ],
            cwd=tmp_path,
            env=surroundings(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "No issues found" in ended.stdout  # neither failures nor warnings
    assert "Tested: 10" in ended.stdout
    passed = re.findall(r"^ {2}✅ (\w+)$", ended.stdout, re.MULTILINE)
    assert passed == [*PHASES]


def test_every_example_of_a_parameter_exists(api: httpx.Client, document: dict[str, Any]) -> None:
    """Each read with all of its examples is served, and its lists have items."""
    for path, item in document["paths"].items():
        if "get" not in item:
            continue
        examples = _examples(document, item["get"])
        response = api.get(path.format(**examples), params=_query(document, item["get"]))
        assert response.status_code == 200, response.text
        assert response.json()["data"].get("items", ["a record"])


def test_the_example_of_an_approval_approves(api: httpx.Client, document: dict[str, Any]) -> None:
    """The review of the example is at the revision of the example."""
    path = "/reviews/{reviewId}/approve"
    operation = document["paths"][path]["post"]
    (example,) = operation["requestBody"]["content"]["application/json"]["examples"].values()
    response = api.post(path.format(**_examples(document, operation)), json=example["value"])
    assert response.status_code == 200, response.text
    assert response.json()["data"]["status"] == "approved"


def test_examples_are_none_of_the_reviews_of_the_profile(
    document: dict[str, Any], profile: dict[str, Any]
) -> None:
    """Whoever tries the examples takes no review from a run."""
    example = document["components"]["parameters"]["ReviewId"]["example"]
    assert example not in profile["fixtures"]["approvable-reviews"]


def test_a_cursor_has_no_example(document: dict[str, Any]) -> None:
    """It is issued to one caller, with a page."""
    parameters = [
        each
        for item in document["paths"].values()
        for operation in item.values()
        for each in operation.get("parameters", ())
    ]
    cursors = [each for each in parameters if each.get("name") == "cursor"]
    assert len(cursors) == 5
    assert not any("example" in each for each in cursors)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"expectedSubjectRevision": 1},
        {"idempotencyKey": "a"},
        {"expectedSubjectRevision": 1, "idempotencyKey": ""},
        {"expectedSubjectRevision": 1, "idempotencyKey": "a" * 256},
    ],
)
def test_what_the_service_rejects_does_not_fit_its_description(
    api: httpx.Client, document: dict[str, Any], body: dict[str, Any]
) -> None:
    """The specification leaves open what is required; the service requires it, and says so."""
    schema = document["components"]["schemas"]["ApprovalRequest"]
    review = document["components"]["parameters"]["ReviewId"]["example"]
    response = api.post(f"/reviews/{review}/approve", json=body)
    key = schema["properties"]["idempotencyKey"]
    fits = (
        set(schema["required"]) <= set(body)
        and key["minLength"] <= len(body["idempotencyKey"]) <= key["maxLength"]
    )
    assert (response.status_code, fits) == (422, False)


def test_the_description_differs_from_the_contract_in_open_points_only(
    api: httpx.Client,
) -> None:
    """In those of the body that it requires."""
    differences = examine(api.get("/openapi.json").text)
    assert {(each.aspect, each.effect) for each in differences} == {(Aspect.BODY, Effect.OPEN)}


def _examples(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """The example of each parameter that has one, by name."""
    stated = [_resolved(document, each) for each in operation.get("parameters", ())]
    return {each["name"]: each["example"] for each in stated if "example" in each}


def _query(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """Those of the query."""
    stated = [_resolved(document, each) for each in operation.get("parameters", ())]
    names = {each["name"] for each in stated if each["in"] == "query"}
    examples = _examples(document, operation)
    return {name: value for name, value in examples.items() if name in names}


def _resolved(document: dict[str, Any], parameter: dict[str, Any]) -> dict[str, Any]:
    """The parameter that a reference names, or the parameter itself."""
    if "$ref" not in parameter:
        return parameter
    shared: dict[str, Any] = document["components"]["parameters"]
    resolved: dict[str, Any] = shared[parameter["$ref"].rpartition("/")[2]]
    return resolved
