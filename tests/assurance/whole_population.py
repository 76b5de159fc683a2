"""The mutants and variants of tests/population, run: `pytest tests/assurance/whole_population.py`.

They take longer than all other tests, so `pytest tests` leaves this file out by its name.
"""

import pytest
from subjects import FILES

from conformance.assurance.selftest import population


@pytest.mark.parametrize("id", [subject.id for subject in population.load(FILES)])
def test_a_mutant_fails_exactly_its_requirements_and_a_variant_none(
    id: str, kill_matrix: dict[str, list[str]]
) -> None:
    """As in `test_matrix.py`."""
    assert kill_matrix[id] == []
