"""A run of the suite on an edited reference, and the row of the kill matrix."""

from dataclasses import replace
from pathlib import Path

import altered_run
import process
import pytest
from subjects import BY_ID

from conformance.assurance.selftest import matrix, population, trial
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.matrix import Row
from conformance.assurance.selftest.population import Mutant, Subject, Variant
from conformance.assurance.selftest.reach import Reach
from conformance.assurance.selftest.trial import Outcome
from conformance.assurance.selftest.workers import Failure
from conformance.commands import selftest as command
from conformance.contract import requirements
from conformance.report.document_types import Report

PREFIX = Edit("app", '"/v1"', '"/v2"')
CLEAN = Outcome((), (), ())
MUTANT = Mutant("m", "about", frozenset({"error/code", "error/title"}), (PREFIX,))
VARIANT = Variant("v", "about", "reading", (PREFIX,), frozenset({"limits/rate"}))


@pytest.mark.parametrize(
    ("subject", "outcome", "problems"),
    [
        (MUTANT, Outcome(("error/code", "error/title"), (), ()), ()),
        (MUTANT, Outcome(("error/code",), (), ()), ("survives: error/title is passed",)),
        (
            MUTANT,
            Outcome(("error/code",), (), ("error/title",)),
            ("survives: error/title is inconclusive",),
        ),
        (
            MUTANT,
            Outcome(("error/code", "error/title", "read/success"), (), ()),
            ("also fails read/success",),
        ),
        (
            MUTANT,
            Outcome(("error/code", "error/title"), ("page/items",), ()),
            ("internal error in the check of page/items",),
        ),
        (MUTANT, Failure("timed out"), ("no verdict: timed out",)),
        (VARIANT, Outcome((), (), ("limits/rate",)), ()),
        (VARIANT, Outcome((), (), ("limits/rate", "tools/listed")), ()),
        (VARIANT, Outcome(("error/code",), (), ("limits/rate",)), ("fails error/code",)),
        (
            VARIANT,
            Outcome((), ("error/code",), ("limits/rate",)),
            ("internal error in the check of error/code",),
        ),
        (
            VARIANT,
            Outcome((), (), ("limits/rate", "page/items")),
            ("leaves page/items inconclusive",),
        ),
        (VARIANT, CLEAN, ("does not leave limits/rate inconclusive, as expected",)),
    ],
)
def test_a_row_has_each_deviation_from_the_expected_verdicts(
    subject: Subject, outcome: Outcome | Failure, problems: tuple[str, ...]
) -> None:
    """A requirement that is inconclusive on the original reference may be so on a variant."""
    original = Outcome((), (), ("tools/listed",))

    assert matrix.row(subject, outcome, original).problems == problems


def test_what_a_mutant_violates_perhaps_is_no_deviation_either_way() -> None:
    """Some requirements fail only where requests happen to meet."""
    mutant = replace(MUTANT, perhaps=frozenset({"limits/rate"}))
    failed = ("error/code", "error/title")

    assert matrix.row(mutant, Outcome(failed, (), ()), CLEAN).problems == ()
    assert matrix.row(mutant, Outcome((*failed, "limits/rate"), (), ()), CLEAN).problems == ()


def test_a_checked_requirement_without_a_mutant_is_listed() -> None:
    """Requirements that are only observed or untested need no mutant."""
    checked = [id for id, stated in requirements.load().items() if stated.is_checked]

    assert matrix.uncovered([]) == checked
    assert matrix.uncovered([MUTANT]) == [id for id in checked if id not in MUTANT.breaks]


@pytest.fixture
def report(id: str, request: pytest.FixtureRequest, tmp_path: Path) -> Report:
    """The report of a run by pytest on a subject; that on the reference is known."""
    if id != "reference":
        return altered_run.report(BY_ID[id].edits, tmp_path)
    directory, _ = request.getfixturevalue("finished")
    known: Report = process.report(directory)
    return known


@pytest.mark.parametrize("id", ["reference", "nested-errors", "few-properties", "replay-conflicts"])
def test_a_trial_has_the_verdicts_of_a_run_by_pytest(id: str, report: Report, reach: Reach) -> None:
    """The failed and inconclusive requirements and the internal errors are the same.

    Also those of the checks that a trial leaves out.
    """
    edits = {**BY_ID, "reference": population.REFERENCE}[id].edits

    checked = [
        entry for entry in report["requirements"] if requirements.load()[entry["id"]].is_checked
    ]
    assert trial.run(edits, reach=reach) == Outcome(
        failed=tuple(entry["id"] for entry in checked if entry["verdict"] == "fail"),
        errors=tuple(
            entry["id"]
            for entry in checked
            if any(finding["verdict"] == "error" for finding in entry["findings"])
        ),
        inconclusive=tuple(entry["id"] for entry in checked if entry["verdict"] == "inconclusive"),
    )


def test_the_matrix_as_text() -> None:
    """It has the rows, then the problems, then the totals."""
    rows = [
        Row(MUTANT, ("error/code", "error/title"), ()),
        Row(VARIANT, ("error/code",), ("fails error/code",)),
    ]

    assert list(command.lines(rows, ["page/items"])) == [
        "  m  error/code, error/title",
        "! v  error/code",
        "",
        "! v: about",
        "    fails error/code",
        "! no mutant violates page/items",
        "1 of 1 mutants turn exactly their requirements red",
        "0 of 1 variants stay green",
    ]
