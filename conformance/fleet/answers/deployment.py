"""Whether a version of a product may be deployed to an environment, by what is remembered of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.contract.verdict import Level, Verdict
from conformance.fleet.memory.reading import Run, Stated, VerdictOf
from conformance.fleet.site.addresses import moment
from conformance.fleet.targets import Environment

DAY = 86_400.0
SHOWN = 5
"""Requirements that a reason names; of more it says how many."""

GOOD = (Verdict.PASS, Verdict.NOT_APPLICABLE)


@dataclass(frozen=True)
class Evidence:
    """The last run of a version that has a verdict, and what its requirements are."""

    run: Run
    verdicts: Sequence[VerdictOf] = ()
    stated: Mapping[str, Stated] = field(default_factory=dict)


def reasons(evidence: Evidence, wanted: Environment, now: float) -> list[str]:
    """Everything that speaks against the deployment, a sentence each; `now` is in seconds UTC."""
    return [
        *_of_revision(evidence.run, wanted),
        *_of_age(evidence.run, wanted, now),
        *_of_failures(evidence),
        *_of_gaps(evidence, wanted),
    ]


def _of_revision(run: Run, wanted: Environment) -> Iterator[str]:
    if wanted.revision is not None and run.revision != wanted.revision:
        checked = f"was checked by revision {run.revision or 'of no name'}"
        yield f"it {checked}, and {wanted.name} takes {wanted.revision}"


def _of_age(run: Run, wanted: Environment, now: float) -> Iterator[str]:
    if wanted.max_age is None:
        return
    days = (now - (run.ended or 0.0)) / DAY
    if days > wanted.max_age:
        old = f"the evidence of {moment(run.ended)} is {days:.0f} days old"
        yield f"{old}, and {wanted.name} takes {wanted.max_age} days at most"


def _of_failures(evidence: Evidence) -> Iterator[str]:
    """The violations that no file of known failures names."""
    failed = dict.fromkeys(
        each.requirement
        for each in evidence.verdicts
        if each.verdict == Verdict.FAIL
        and each.known is None
        and _level(evidence, each.requirement) == Level.MUST
    )
    if failed:
        yield f"it violates {_named(list(failed))}"


def _level(evidence: Evidence, requirement: str) -> str:
    found = evidence.stated.get(requirement)
    return found.level if found else ""


def _of_gaps(evidence: Evidence, wanted: Environment) -> Iterator[str]:
    """What has to be checked and was not; without a list, what the gate of the run required."""
    if not wanted.require:
        if not evidence.run.complete:
            yield "the run could not check what its [gate] requires"
        return
    whole = {each.requirement: each for each in evidence.verdicts if not each.operation}
    for name in wanted.require:
        own = [each for each in evidence.stated.values() if _is_meant(each, name)]
        if not own:
            yield f"{name} was not checked: the run left it out"
        unchecked = [each.id for each in own if not _is_decided(whole.get(each.id))]
        if unchecked:
            yield f"{_named(unchecked)} could not be checked"


def _is_meant(stated: Stated, name: str) -> bool:
    of_class = stated.conformance_class == name and stated.level == Level.MUST
    return of_class or stated.id == name


def _is_decided(found: VerdictOf | None) -> bool:
    return found is not None and found.verdict in (*GOOD, Verdict.FAIL)


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - SHOWN
    shown = ", ".join(ids[:SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
