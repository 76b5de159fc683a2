"""`conformance requirements`, and what proves each of them."""

import json
import re
from pathlib import Path

import pytest
from process import conformance_here

from conformance.__main__ import main
from conformance.assurance.selftest import catalogue, population
from conformance.contract import requirements


def test_the_requirements_can_be_listed(tmp_path: Path) -> None:
    """As text with their statements, as JSON with everything, and by class."""
    everything = json.loads(conformance_here(tmp_path, "requirements", "--json").stdout)
    output = conformance_here(tmp_path, "requirements", "--class", "limits").stdout
    limits = [
        entry.id for entry in requirements.load().values() if entry.conformance_class == "limits"
    ]
    assert [entry["id"] for entry in everything] == list(requirements.every())
    assert everything[0]["class"] == requirements.every()[everything[0]["id"]].conformance_class
    assert re.findall(r"^  (\S+)  \(", output, re.MULTILINE) == limits


def test_a_requirement_is_listed_with_its_needs_or_why_it_is_not_checked(
    tmp_path: Path,
) -> None:
    """Whichever of the two applies."""
    _, *shown = conformance_here(tmp_path, "requirements", "--class", "authorization").stdout.split(
        "\n\n"
    )
    entries = [
        entry
        for entry in requirements.load().values()
        if entry.conformance_class == "authorization"
    ]

    assert [
        ("\n    needs " in each, "\n    not checked: " in each) for each in shown if each.strip()
    ] == [(bool(entry.needs), entry.untested is not None) for entry in entries]


def test_the_coverage_of_the_requirements_can_be_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As in spec/COVERAGE.md, without the mutants that are not shipped."""
    assert main(["selftest", "--coverage"]) == 0
    assert capsys.readouterr().out == catalogue.text(population.shipped())
