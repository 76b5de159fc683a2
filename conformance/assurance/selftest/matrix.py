"""The matrix: which mutant turns which requirements red, and whether that is exactly what it has to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.assurance.selftest import trial, workers
from conformance.assurance.selftest.population import SEED, Mutant, Subject, Variant
from conformance.assurance.selftest.trial import Outcome
from conformance.assurance.selftest.workers import Failure
from conformance.contract import requirements


class MatrixError(Exception):
    """The reference itself is not clean, so that no mutant can be told from it."""


@dataclass(frozen=True)
class Row:
    """One mutant or variant: what turned red, and what is wrong with that, nothing where all is as it has to be."""

    subject: Subject
    red: tuple[str, ...]
    problems: tuple[str, ...]


def rows(subjects: Sequence[Subject], processes: int) -> Iterator[Row]:
    """A row for each subject, in the order in which they are done.

    The untouched reference comes first, in this process: it warms up what the others inherit. Raises MatrixError where it is not clean.
    """
    plain = trial.run(())
    # What it leaves undecided counts as well: where nothing was judged at all, every variant would be green.
    if unclear := (*plain.failed, *plain.errors, *plain.inconclusive):
        raise MatrixError(f"the reference itself is not seen to keep {', '.join(unclear)}")
    for subject, outcome in workers.each(_tried, subjects, processes):
        yield row(subject, outcome, plain)


def row(subject: Subject, outcome: Outcome | Failure, plain: Outcome) -> Row:
    """What an outcome says of a subject; `plain` is the outcome of the untouched reference."""
    if isinstance(outcome, Failure):
        return Row(subject, (), (f"no verdict: {outcome.reason}",))
    told = (
        _of_mutant(subject, outcome)
        if isinstance(subject, Mutant)
        else _of_variant(subject, outcome, plain)
    )
    errors = (f"the checker goes wrong on {id}" for id in outcome.errors)
    return Row(subject, outcome.failed, (*told, *errors))


def uncovered(subjects: Iterable[Subject]) -> list[str]:
    """The judged requirements that no mutant breaks, in the order of the catalogue."""
    broken = {id for subject in subjects if isinstance(subject, Mutant) for id in subject.breaks}
    return [
        id for id, stated in requirements.load().items() if stated.is_checked and id not in broken
    ]


def _tried(subject: Subject) -> Outcome:
    return trial.run(subject.edits, subject.seed)


def _of_mutant(mutant: Mutant, outcome: Outcome) -> Iterator[str]:
    for id in sorted(mutant.breaks - set(outcome.failed)):
        yield f"lives: {id} is {'inconclusive' if id in outcome.inconclusive else 'kept'}"
    for id in outcome.failed:
        if id not in mutant.breaks:
            yield f"also turns {id} red"


def _of_variant(variant: Variant, outcome: Outcome, plain: Outcome) -> Iterator[str]:
    for id in outcome.failed:
        yield f"is failed for {id}"
    for id in outcome.inconclusive:
        if id not in variant.inconclusive and id not in plain.inconclusive:
            yield f"leaves {id} undecided"
    # With another seed a run may meet what decides it after all.
    for id in (
        sorted(variant.inconclusive - set(outcome.inconclusive)) if variant.seed == SEED else ()
    ):
        yield f"was to leave {id} undecided"
