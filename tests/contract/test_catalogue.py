"""Every requirement has a check, every check has a requirement, and COVERAGE.md lists both."""

from pathlib import Path

import subjects

from conformance.assurance.clients import edited
from conformance.assurance.selftest import catalogue
from conformance.contract import requirements

DOCUMENT = Path(__file__).parents[2] / "spec" / "COVERAGE.md"


def test_every_requirement_has_a_check_or_a_reason() -> None:
    """An untested requirement states the reason."""
    checked = catalogue.checks()
    assert [
        id
        for id, entry in requirements.every().items()
        if (id in checked) == (entry.untested is not None)
    ] == []


def test_every_check_has_a_requirement_of_the_catalogue() -> None:
    """No check names an unknown id."""
    assert set(catalogue.checks()) - set(requirements.every()) == set()


def test_the_coverage_document_is_current() -> None:
    """The command in its first lines regenerates it."""
    subjects_of_both = [*subjects.SUBJECTS, *edited.as_mutants()]
    assert DOCUMENT.read_text(encoding="utf-8") == catalogue.text(subjects_of_both)
