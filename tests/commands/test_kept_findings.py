"""Findings of much traffic: a report of those that are kept is the report of all of them."""

from random import Random
from typing import Any

import pytest
from sample_reports import an_exchange

from conformance.commands.traffic.kept import Kept
from conformance.contract import requirements
from conformance.report import document

VERDICTS = ("pass", "fail", "error", "inconclusive")


def a_record(chosen: Random, number: int, messages: int) -> Any:
    """One of some findings, of which many are equal."""
    verdict = chosen.choice(VERDICTS)
    return {
        "requirement": "project/required",
        "verdict": verdict,
        "operation": chosen.choice(("project_get", "project_list")),
        "message": "" if verdict == "pass" else f"flaw {chosen.randrange(messages)}",
        "expected": "",
        "needs": [],
        "exchanges": [f"traffic#{number}"],
        "item": f"traffic#{number}",
        "defect": None,
        "responses": 0,
    }


@pytest.mark.parametrize("messages", [2, 40])
@pytest.mark.parametrize("seed", range(5))
def test_a_report_of_what_is_kept_is_that_of_all(seed: int, messages: int) -> None:
    """Of few flaws, and of more than a report shows."""
    chosen = Random(seed)
    records = [a_record(chosen, number, messages) for number in range(1, 400)]
    shown = {each["item"]: an_exchange() | {"id": each["item"]} for each in records}
    kept = Kept()
    for each in records:
        kept.add(each)

    stated = requirements.load()["project/required"]
    assert document.requirement(stated, kept.records, shown) == document.requirement(
        stated, records, shown
    )
    assert sum(each["verdict"] == "pass" for each in kept.records) == 2
