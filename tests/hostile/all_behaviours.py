"""Runs against all broken behaviours: `pytest tests/hostile/all_behaviours.py`, ten minutes."""

from collections.abc import Iterator

import pytest
from hostile_behaviours import BEHAVIOURS
from hostile_run import Outcome, outcomes
from hostile_verdict import flaws


@pytest.fixture(scope="module")
def ends() -> Iterator[Outcome]:
    """The outcomes, in the order of the behaviours."""
    return outcomes(list(BEHAVIOURS))


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_run_survives_a_broken_behaviour(name: str, ends: Iterator[Outcome]) -> None:
    """It ends in time, in 400 MiB, with a valid report that does not blame the checker."""
    outcome = next(each for each in ends if each.name == name)
    assert flaws(outcome) == []
