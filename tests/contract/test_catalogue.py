"""The catalogue as a whole: each requirement is judged, each check judges one, and spec/COVERAGE.md says so."""

from pathlib import Path

import subjects

from conformance.assurance.selftest import catalogue
from conformance.contract import requirements

DOCUMENT = Path(__file__).parents[2] / "spec" / "COVERAGE.md"


def test_every_requirement_has_a_check_or_a_reason() -> None:
    """What nothing judges says why."""
    judged = catalogue.checks()
    assert [
        id
        for id, entry in requirements.load().items()
        if (id in judged) == (entry.untested is not None)
    ] == []


def test_every_check_judges_a_requirement_of_the_catalogue() -> None:
    """No check is tied to an id that nobody has stated."""
    assert set(catalogue.checks()) - set(requirements.load()) == set()


def test_the_coverage_document_is_current() -> None:
    """`conformance selftest --coverage --also tests/population/*.toml > spec/COVERAGE.md` brings it up to date."""
    assert DOCUMENT.read_text(encoding="utf-8") == catalogue.text(subjects.SUBJECTS)
