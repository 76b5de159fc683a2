"""What the installed suite makes of the evidence of an earlier run, without sending anything."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from conformance.assurance.certificate import budget, recomputation
from conformance.assurance.certificate.budget import MIB, Budget, BudgetProblem
from conformance.assurance.certificate.evidence import Evidence, Malformed
from conformance.assurance.certificate.recomputation import Recomputed
from conformance.contract.verdict import Verdict
from conformance.fleet.answers.changes import COUNTED

NEEDED = {
    "report.json": Budget(32 * MIB, 500_000),
    "exchanges.jsonl": Budget(96 * MIB, 2_500_000, 50_000),
    "target.json": Budget(4 * MIB, 20_000),
    "run.json": Budget(4 * MIB, 20_000),
}
"""The files without which there is no evidence, and what each may cost.

A stranger may have written them. What costs more is not checked again.
"""

ABSENT = "not there"


@dataclass(frozen=True)
class Flip:
    """Another verdict on a requirement and operation, "" for the whole requirement."""

    requirement: str
    operation: str
    before: str
    now: str

    def __str__(self) -> str:
        name = f"{self.requirement}[{self.operation}]" if self.operation else self.requirement
        return f"{name} was {self.before}, is {self.now}"


@dataclass(frozen=True)
class Rejudged:
    """The flips of a run, and what cannot be measured since it needs requests of its own.

    `problem` says why the evidence could not be checked at all.
    """

    flips: tuple[Flip, ...] = ()
    unmeasurable: tuple[str, ...] = ()
    problem: str | None = None

    def document(self) -> dict[str, Any]:
        """As JSON properties."""
        return {
            "flips": list(map(asdict, self.flips)),
            "notMeasurable": list(self.unmeasurable),
            "problem": self.problem,
        }


def rejudged(files: Mapping[str, bytes]) -> Rejudged:
    """Check the evidence of a run again; takes about as long as a run in this process."""
    missing = [name for name in NEEDED if name not in files]
    if missing:
        return Rejudged(problem=f"no evidence: {', '.join(missing)}")
    evidence = Evidence(files)
    try:
        for name, cost in NEEDED.items():
            budget.check(files[name], cost)
        evidence.check()
    except BudgetProblem as problem:
        return Rejudged(problem=f"{name} {problem}")
    except Malformed as problem:
        return Rejudged(problem=str(problem))
    if "masked" in evidence.report:
        return Rejudged(problem="secrets were masked in the evidence, which cannot be replayed")
    return compared(evidence.report, recomputation.replay(evidence))


def compared(before: Mapping[str, Any], again: Recomputed) -> Rejudged:
    """The flips between a report and that of a replay.

    Where the replay lacked exchanges, an internal error says only that a check needs new requests.
    """
    earlier, later = dict(_verdicts(before)), dict(_verdicts(again.report))
    flips, unmeasurable = [], []
    for pair in {**earlier, **later}:
        flip = Flip(*pair, earlier.get(pair, ABSENT), later.get(pair, ABSENT))
        if flip.now == Verdict.ERROR and again.missing:
            unmeasurable.append(f"{pair[0]}[{pair[1]}]" if pair[1] else pair[0])
        elif flip.before != flip.now:
            flips.append(flip)
    return Rejudged(tuple(flips), tuple(unmeasurable))


def _verdicts(report: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    """The verdicts that count, by requirement and operation."""
    for entry in report["requirements"]:
        if entry["level"] in COUNTED and "untested" not in entry:
            for operation, verdict in (entry["operations"] or {"": entry["verdict"]}).items():
                yield (entry["id"], operation), verdict
