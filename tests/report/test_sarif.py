"""SARIF 2.1.0, which code scanning of GitHub and other tools read."""

import copy
import json
from typing import Any

import altered_run
import pytest
from pydantic import ValidationError
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Log

from conformance.assurance.selftest.altered import Edit
from conformance.report.formats import sarif

SERVERS = 'document["servers"] = [{"url": base_url}]'
LIMIT = 'document["components"]["parameters"]["Limit"]["schema"]["maximum"]'
DUMPED = "orjson.dumps(description(base_url, self._examples)"
EDITS = [
    Edit("description", SERVERS, f"{SERVERS}; {LIMIT} = 50"),
    Edit("description", DUMPED, f"{DUMPED}, option=orjson.OPT_INDENT_2"),
]
"""The published description has a smaller limit, and a line for each property."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of a run on the altered reference."""
    return altered_run.report(EDITS, tmp_path_factory.mktemp("run"), ["description"])


def rendered(report: Any) -> Any:
    """The only run of the log, which is held to models made from the published schema."""
    document = json.loads(sarif.render(report))
    Log.model_validate(document)
    (run,) = document["runs"]
    return run


def failure(report: Any) -> Any:
    """The finding about the limit."""
    (entry,) = (each for each in report["requirements"] if each["id"] == "description/parameters")
    return entry["findings"][0]


def test_a_failure_of_the_description_points_to_its_line(report: Any) -> None:
    """The line is that of the published document; the last location is a file of the user's."""
    run = rendered(report)
    (result,) = (each for each in run["results"] if each["ruleId"] == "description/parameters")
    physical = [each["physicalLocation"] for each in result["locations"]]

    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] == "error"
    published = failure(report)["exchanges"][-1]
    assert physical[0]["artifactLocation"]["uri"] == published["request"]["url"]
    line = physical[0]["region"]["startLine"]
    assert f"line {line}" in failure(report)["message"]
    assert physical[-1] == {
        "artifactLocation": {"uri": "target.toml"},
        "region": {"startLine": 1},
    }
    assert result["webRequest"]["target"] == published["request"]["url"]
    assert result["webResponse"]["statusCode"] == 200
    assert len(result["partialFingerprints"]) == 1


def test_a_known_failure_is_suppressed_with_its_reason(report: Any) -> None:
    """So code scanning shows it as dismissed."""
    changed = copy.deepcopy(report)
    failure(changed)["known"] = "ticket 1234"
    suppressed = [each["suppressions"] for each in rendered(changed)["results"]]
    assert suppressed == [[{"kind": "external", "justification": "ticket 1234"}]]


def test_what_has_no_line_or_no_response_is_located_at_the_profile(report: Any) -> None:
    """A report may be anybody's: lines that are none are left out."""
    changed = copy.deepcopy(report)
    found = failure(changed)
    found["defect"]["values"]["lines"] = [0, "7", True]
    del found["exchanges"][-1]["response"]
    (result,) = rendered(changed)["results"]
    assert len(result["locations"]) == 1
    assert "webResponse" not in result
    found["exchanges"] = []
    (result,) = rendered(changed)["results"]
    assert "webRequest" not in result


def test_operations_are_logical_locations(report: Any) -> None:
    """A failure of an operation names it, and a `should` is a warning."""
    changed = copy.deepcopy(report)
    for entry in changed["requirements"]:
        if entry["id"] == "description/parameters":
            entry["operations"], entry["level"] = {"video_list": "fail"}, "should"
    (result,) = rendered(changed)["results"]
    (named,) = result["locations"][0]["logicalLocations"]
    assert named == {"fullyQualifiedName": "video_list", "kind": "function"}
    assert result["level"] == "warning"


def test_the_models_reject_what_the_schema_does() -> None:
    """The check of the tests can fail."""
    with pytest.raises(ValidationError):
        Log.model_validate({"version": "2.1.0", "runs": [{"results": []}]})
    with pytest.raises(ValidationError):
        Log.model_validate({"version": "2.1.0", "runs": [], "further": 1})
