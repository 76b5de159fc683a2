"""The matrix of conditions, and the conditions of single requests."""

from pathlib import Path

import pytest
from altered_target import stage

from conformance.assurance.selftest import condition_matrix
from conformance.http.exchange import Call, Exchange
from conformance.report.conditions import DIMENSIONS, conditions

SPEC = Path(__file__).parents[2] / "spec"
ID = "0199aabb-ccdd-7eef-8abc-def012345678"


@pytest.fixture(scope="module")
def exchanges() -> list[Exchange]:
    """Requests of primary, of nobody, and by tool."""
    with stage() as one:
        live, toolbox = one.things["live"], one.things["toolbox"]
        videos = Call("video_list").asking(limit="7", companyId=ID.upper(), projectId=ID)
        tool = toolbox.call_as_primary(live.operation("project_list"), {"limit": 100}, "a tool")
        return [
            live.callers.send(videos),
            live.callers.send(Call("account_get"), None),
            tool.exchange,
        ]


def test_the_conditions_of_a_request_are_derived_from_it(exchanges: list[Exchange]) -> None:
    """Each dimension has one of its values, or none."""
    filtered, anonymous, by_tool = map(conditions, exchanges)

    assert (filtered["arguments"], filtered["spelling"]) == ("two filters", "upper case")
    assert (filtered["page size"], filtered["position"]) == ("2-24", "first page")
    assert (filtered["caller"], filtered["amount"]) == ("primary", "no item")
    assert (anonymous["caller"], anonymous["scheme"]) == ("nobody", "none")
    assert (anonymous["page size"], anonymous["spelling"]) == ("-", "-")
    assert (by_tool["face"], by_tool["operation"]) == ("tool", "project_list")
    assert (by_tool["page size"], by_tool["arguments"]) == ("100", "limit")
    for found in (filtered, anonymous, by_tool):
        assert found.keys() == DIMENSIONS.keys()
        assert all(value in {*DIMENSIONS[name], "-"} for name, value in found.items())


def test_a_pair_that_no_request_has_is_a_gap_with_its_reason(exchanges: list[Exchange]) -> None:
    """One without a reason is unexplained."""
    evidence = {"read/success": list(map(conditions, exchanges))}
    reason = {frozenset({"face", "scheme"}): "Few tools."}
    gaps = {gap.dimensions: gap for gap in condition_matrix.gaps(evidence, reason)}

    assert ("tool", "none") in gaps["face", "scheme"].missing
    assert gaps["face", "scheme"].reason == "Few tools."
    assert gaps["face", "caller"].reason is None


def test_the_document_has_a_row_for_each_requirement_and_explains_every_gap() -> None:
    """It is generated from a run, with reasons that are written by hand."""
    document = (SPEC / "CONDITIONS.md").read_text(encoding="utf-8")
    reasons = condition_matrix.reasons((SPEC / "unexercised.toml").read_text(encoding="utf-8"))
    _, table = document.split("## Pairs of conditions that nothing exercises")
    rows = [line.split(" | ") for line in table.splitlines() if " and " in line.split(" | ")[0]]

    assert "| `pagination/filter` |" in document
    assert len(rows) > 10
    for row in rows:
        names = frozenset(row[0].removeprefix("| ").split(" and "))
        assert row[-1].removesuffix(" |") == reasons[names]


def test_a_reason_for_an_unknown_dimension_is_an_error() -> None:
    """Two dimensions are expected."""
    with pytest.raises(ValueError, match="two dimensions are expected"):
        condition_matrix.reasons('[[gap]]\ndimensions = ["face", "colour"]\nreason = "none"\n')
