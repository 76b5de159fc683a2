"""`conformance selftest`: runs the suite on every mutant and variant, and prints the matrix."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.assurance.selftest import catalogue, confined, matrix, population
from conformance.assurance.selftest.matrix import MatrixError, Row
from conformance.assurance.selftest.population import Mutant, PopulationError, Subject
from conformance.commands import edits
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CHECKER_ERROR
from conformance.report.console import output
from conformance.report.console.line import shown

PASSED, FAILED = 0, 1


def run(arguments: argparse.Namespace) -> int:
    """0 where every mutant fails exactly its requirements and every variant passes, else 1.

    3 where a trial ended with an internal error, or without a verdict.
    """
    everything = _everything(arguments.also)
    if arguments.coverage:
        output.own(catalogue.text(everything))
        return PASSED
    chosen = _chosen(everything, arguments)
    if arguments.list:
        output.lines(f"{subject.id}: {subject.about}" for subject in chosen)
        return PASSED
    edits.confirm([subject for subject in chosen if subject.file], arguments)
    try:
        rows = _watched(chosen, arguments)
    except MatrixError as problem:
        output.lines([f"! {problem}"])
        return CHECKER_ERROR
    partial = arguments.only or arguments.seeds
    uncovered = [] if partial else matrix.uncovered(chosen)
    if arguments.json:
        output.document(document(rows, uncovered))
    else:
        output.lines(lines(rows, uncovered))
    if any(row.is_ours for row in rows):
        return CHECKER_ERROR
    return FAILED if uncovered or any(row.problems for row in rows) else PASSED


def _everything(also: Sequence[Path]) -> Sequence[Subject]:
    """The mutants and variants of the package and of these files. Raises UsageError."""
    try:
        return population.distinct([*population.shipped(), *population.load(also)])
    except PopulationError as problem:
        raise UsageError(str(problem)) from problem
    except OSError as problem:
        reason = f"{problem.filename} cannot be read: {problem.strerror}"
        raise UsageError(f"--also: {reason}: give a TOML file of mutants or variants") from None


def _chosen(everything: Sequence[Subject], arguments: argparse.Namespace) -> Sequence[Subject]:
    """The mutants and variants that the options name. Raises UsageError for unknown ones."""
    if unknown := sorted(set(arguments.only) - {subject.id for subject in everything}):
        raise UsageError(f"unknown mutant or variant {unknown[0]!r} (`--list` lists them)")
    named = [
        subject for subject in everything if not arguments.only or subject.id in arguments.only
    ]
    return population.seeded(named, arguments.seeds) if arguments.seeds else named


def document(rows: Sequence[Row], uncovered: Sequence[str]) -> dict[str, Any]:
    """The matrix as JSON values."""
    return {
        "subjects": [
            {
                "id": row.subject.id,
                "kind": "mutant" if isinstance(row.subject, Mutant) else "variant",
                "failed": list(row.failed),
                "problems": list(row.problems),
            }
            for row in rows
        ],
        "uncovered": list(uncovered),
    }


def lines(rows: Sequence[Row], uncovered: Sequence[str]) -> Iterator[str]:
    """The matrix as text: each subject with its failed requirements, then problems, then totals."""
    width = max((len(row.subject.id) for row in rows), default=0)
    for row in rows:
        mark = "!" if row.problems else " "
        yield f"{mark} {row.subject.id:{width}}  {', '.join(row.failed) or '-'}"
    yield ""
    for row in rows:
        if row.problems:
            yield f"! {row.subject.id}: {row.subject.about}"
            yield from (f"    {problem}" for problem in row.problems)
    yield from (f"! no mutant violates {id}" for id in uncovered)
    mutants = [row for row in rows if isinstance(row.subject, Mutant)]
    killed = sum(not row.problems for row in mutants)
    green = sum(not row.problems for row in rows) - killed
    if mutants:
        yield f"{killed} of {len(mutants)} mutants turn exactly their requirements red"
    if mutants != rows:
        yield f"{green} of {len(rows) - len(mutants)} variants stay green"


def _rows(subjects: Sequence[Subject], arguments: argparse.Namespace) -> Iterator[Row]:
    """The rows of this package's own edits, and those of other files, which run confined."""
    processes, alone = arguments.processes, arguments.alone
    own = [subject for subject in subjects if subject.file is None]
    others = [subject for subject in subjects if subject.file is not None]
    if own or not others:
        yield from matrix.rows(own, processes, alone=alone)
    if others:
        yield from confined.rows(others, processes, edits.barriers(arguments), alone=alone)


def _watched(subjects: Sequence[Subject], arguments: argparse.Namespace) -> list[Row]:
    """The rows in the order of the subjects; on a terminal a bar shows the progress."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # No thread redraws the bar, since processes are forked beside it.
    with Progress(
        *columns,
        console=console,
        auto_refresh=False,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        bar = progress.add_task("the reference itself", total=len(subjects))
        progress.refresh()
        done = {}
        for row in _rows(subjects, arguments):
            done[row.subject.id] = row
            progress.update(bar, advance=1, description=shown(row.subject.id), refresh=True)
    return [done[subject.id] for subject in subjects]
