"""The mutants and variants of tests/population, run: `pytest tests/assurance/whole_population.py`.

They take longer than all other tests, so `pytest tests` leaves this file out by its name.
"""

import os

import pytest
from kill_matrix import UNTIL
from subjects import FILES

from conformance.assurance.selftest import population


@pytest.mark.parametrize("id", [subject.id for subject in population.load(FILES)])
def test_a_mutant_fails_exactly_its_requirements_and_a_variant_none(
    id: str, kill_matrix: dict[str, list[str]]
) -> None:
    """As in `test_matrix.py`; a slow machine may leave no time for the last ones, and says so."""
    if UNTIL in os.environ and id not in kill_matrix:
        pytest.skip("not run: no time was left")
    assert kill_matrix[id] == []
