"""Runs against all broken behaviours: `pytest tests/hostile/all_behaviours.py`, twenty minutes.

At the end it prints what each run took, and writes that to `HOSTILE_JSON` where it is set.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import hostile_table
import pytest
from hostile_behaviours import BEHAVIOURS
from hostile_run import Outcome, outcomes
from hostile_verdict import flaws


@pytest.fixture(scope="module")
def ends(pytestconfig: pytest.Config) -> Iterator[Iterator[Outcome]]:
    """The outcomes, in the order of the behaviours."""
    ended: list[Outcome] = []

    def remembered() -> Iterator[Outcome]:
        for outcome in outcomes(list(BEHAVIOURS)):
            ended.append(outcome)
            yield outcome

    yield remembered()
    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
    if ended and reporter is not None:
        reporter.write_line("\n" + "\n".join(hostile_table.table(ended)))
    if ended and (path := os.environ.get("HOSTILE_JSON")):
        hostile_table.write(Path(path), ended)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_run_survives_a_broken_behaviour(name: str, ends: Iterator[Outcome]) -> None:
    """It ends in time, in 400 MiB, with a valid report that does not blame the checker."""
    outcome = next(each for each in ends if each.name == name)
    assert flaws(outcome) == []
