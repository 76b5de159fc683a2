"""The kill matrix: the requirements that each mutant and variant fails, and the expected ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from conformance.assurance.selftest import trial, workers
from conformance.assurance.selftest.blend import Blend, blends, edits
from conformance.assurance.selftest.population import DEPTH, SEED, Mutant, Subject, Variant
from conformance.assurance.selftest.reach import Reach, measured
from conformance.assurance.selftest.trial import Outcome
from conformance.assurance.selftest.workers import Failure
from conformance.contract import requirements, revisions


class MatrixError(Exception):
    """The original reference does not pass, so results on mutants mean nothing."""


@dataclass(frozen=True)
class Row:
    """One mutant or variant: the failed requirements, and each deviation from what is expected.

    `is_ours` where a check had an internal error, or the trial no verdict.
    """

    subject: Subject
    failed: tuple[str, ...]
    problems: tuple[str, ...]
    is_ours: bool = False


def rows(subjects: Sequence[Subject], processes: int, *, alone: bool = False) -> Iterator[Row]:
    """A row for each mutant and variant, in the order of completion.

    The original reference is checked first, in this process, which fills the caches that the
    worker processes inherit. Variants share trials unless they are to be `alone`. Raises
    MatrixError where the original does not pass.
    """
    reach = measured(SEED, DEPTH)
    original = trial.outcome(reach.performed.all_seen)
    # Inconclusive counts too: if no check ran at all, every variant would pass.
    if unclear := (*original.failed, *original.errors, *original.inconclusive):
        raise MatrixError(f"the original reference does not pass {', '.join(unclear)}")
    perform = partial(_run, reach if workers.INHERIT else None)
    trials = _alone(subjects) if alone else blends(subjects, partial(_needs, reach))
    unclear_blends: list[Blend] = []
    for blend, outcome in workers.each(perform, trials, processes):
        if len(blend) == 1:
            yield row(blend[0], outcome, original)
        elif outcome == original:
            yield from (Row(variant, (), ()) for variant in blend)
        else:
            unclear_blends.append(blend)
    for (variant,), outcome in workers.each(perform, _alone(chain(*unclear_blends)), processes):
        yield row(variant, outcome, original)


def row(subject: Subject, outcome: Outcome | Failure, original: Outcome) -> Row:
    """The row of a mutant or variant; `original` is the outcome of the original reference."""
    if isinstance(outcome, Failure):
        return Row(subject, (), (f"no verdict: {outcome.reason}",), is_ours=True)
    if isinstance(subject, Mutant):
        problems = _of_mutant(subject, outcome)
    else:
        problems = _of_variant(subject, outcome, original)
    errors = [f"internal error in the check of {id}" for id in outcome.errors]
    return Row(subject, outcome.failed, (*problems, *errors), is_ours=bool(errors))


def uncovered(subjects: Iterable[Subject]) -> list[str]:
    """The checked requirements that no mutant violates, in the order of the catalogue."""
    mutants = [subject for subject in subjects if isinstance(subject, Mutant)]
    violated = {id for mutant in mutants for id in mutant.breaks}
    checked = [stated.id for stated in requirements.load().values() if stated.is_checked]
    return [id for id in checked if id not in violated]


def _alone(subjects: Iterable[Subject]) -> list[Blend]:
    return [(subject,) for subject in subjects]


def _needs(reach: Reach, subject: Subject) -> int:
    return len(reach.plan(subject.edits).checks)


def _run(reach: Reach | None, blend: Blend) -> Outcome:
    """The trial of a blend; with another seed or depth than the measured one, of all checks."""
    seed, depth = blend[0].seed, getattr(blend[0], "depth", DEPTH)
    is_measured = (seed, depth) == (SEED, DEPTH)
    return trial.run(edits(blend), seed, reach if is_measured else None, depth)


def _of_mutant(mutant: Mutant, outcome: Outcome) -> Iterator[str]:
    for id in sorted(mutant.breaks - set(outcome.failed)):
        verdict = "inconclusive" if id in outcome.inconclusive else "passed"
        yield f"survives: {id} is {verdict}"
    for id in outcome.failed:
        if id not in mutant.breaks | mutant.perhaps:
            yield f"also fails {id}"


def _of_variant(variant: Variant, outcome: Outcome, original: Outcome) -> Iterator[str]:
    excluded = revisions.latest().excluded
    for id in outcome.failed:
        if id not in excluded:  # an appeal was accepted, and the check is not mended yet
            yield f"fails {id}"
    for id in outcome.inconclusive:
        if id not in variant.inconclusive and id not in original.inconclusive:
            yield f"leaves {id} inconclusive"
    if variant.seed != SEED:  # with another seed a run may find what decides a requirement
        return
    for id in sorted(variant.inconclusive - set(outcome.inconclusive)):
        yield f"does not leave {id} inconclusive, as expected"
