"""Every mutant and variant of the package, run; `whole_population.py` runs those of the tests."""

import pytest

from conformance.assurance.selftest import matrix, population

SHIPPED = population.shipped()


@pytest.mark.parametrize("id", [subject.id for subject in SHIPPED])
def test_a_mutant_fails_exactly_its_requirements_and_a_variant_none(
    id: str, kill_matrix: dict[str, list[str]]
) -> None:
    """A variant also decides every requirement that it is not known to leave undecided."""
    assert kill_matrix[id] == []


def test_every_checked_requirement_has_a_mutant() -> None:
    """A requirement without a mutant could be checked by a check that never fails."""
    assert matrix.uncovered(SHIPPED) == []
