"""`conformance selftest`: run the suite on every mutant and variant of the reference, and print the matrix."""

import argparse
import os
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.selftest import matrix, population
from conformance.selftest.matrix import Row
from conformance.selftest.population import Mutant, Subject

HELD, BROKEN, MISUSED = 0, 1, 4


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="ID", help="only these mutants and variants")
    parser.add_argument("-j", "--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at once (default: one a core)")
    parser.add_argument("--list", action="store_true", help="list what there is, and run nothing")


def run(options: argparse.Namespace, console: Console | None = None) -> int:
    """0 where every mutant turns exactly its requirements red and every variant stays green, 1 where not, 4 for an unknown id."""
    console = console or Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    everything: list[Subject] = [*population.mutants(), *population.variants()]
    chosen = [subject for subject in everything if not options.only or subject.id in options.only]
    if unknown := sorted(set(options.only) - {subject.id for subject in everything}):
        Console(stderr=True, markup=False).print(f"there is no mutant or variant {unknown[0]}; --list shows what there is")
        return MISUSED
    if options.list:
        for subject in chosen:
            console.print(f"{subject.id}: {subject.about}")
        return HELD
    rows = _watched(chosen, max(1, options.processes), console)
    bare = [] if options.only else matrix.uncovered(subject for subject in chosen if isinstance(subject, Mutant))
    for line in lines(rows, bare):
        console.print(line)
    return BROKEN if bare or any(row.problems for row in rows) else HELD


def lines(rows: Sequence[Row], bare: Sequence[str]) -> Iterator[str]:
    """The matrix as text: each subject with what it turned red, then what is wrong, then the sums."""
    width = max((len(row.subject.id) for row in rows), default=0)
    for row in rows:
        yield f"{'  ' if not row.problems else '! '}{row.subject.id:{width}}  {', '.join(row.red) or '-'}"
    wrong = [row for row in rows if row.problems]
    for row in wrong:
        yield ""
        yield f"! {row.subject.id}: {row.subject.about}"
        yield from (f"    {problem}" for problem in row.problems)
    yield ""
    yield from (f"! no mutant breaks {id}" for id in bare)
    mutants = [row for row in rows if isinstance(row.subject, Mutant)]
    killed = sum(not row.problems for row in mutants)
    green = sum(not row.problems for row in rows) - killed
    yield f"{killed} of {len(mutants)} mutants turn exactly their requirements red, {green} of {len(rows) - len(mutants)} variants stay green"


def _watched(subjects: Sequence[Subject], processes: int, console: Console) -> list[Row]:
    """The rows in the order of the subjects, with a bar on a terminal while they come."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # A thread that redraws the bar and processes that are forked beside it do not go together.
    with Progress(*columns, console=console, auto_refresh=False, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("the reference itself", total=len(subjects))
        progress.refresh()
        done = {}
        for row in matrix.rows(subjects, processes):
            done[row.subject.id] = row
            progress.update(bar, advance=1, description=row.subject.id, refresh=True)
    return [done[subject.id] for subject in subjects]
