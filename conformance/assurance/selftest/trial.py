"""One run of the suite, in this process, on a reference with edited sources."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from conformance.assurance.selftest import altered, checks
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.checks import Check, Seen
from conformance.assurance.selftest.population import DEPTH, SEED
from conformance.assurance.selftest.reach import Plan, Reach
from conformance.contract import requirements
from conformance.contract.verdict import Verdict
from conformance.report import document
from conformance.runner import examination
from conformance.runner.session import Session


@dataclass(frozen=True)
class Outcome:
    """The ids of the requirements with each verdict, in the order of the catalogue.

    `errors` are those whose check had an internal error.
    """

    failed: tuple[str, ...]
    errors: tuple[str, ...]
    inconclusive: tuple[str, ...]


def run(
    edits: Sequence[Edit], seed: int = SEED, reach: Reach | None = None, depth: str = DEPTH
) -> Outcome:
    """Check the edited reference, as `conformance run --depth … --conformance-seed …` does.

    With the reach of the checks, measured with this seed, what the edits do not concern is taken
    from the original. Raises EditError, and every exception of an edited module at its import.
    """
    every = checks.collected()
    if reach is None:
        return outcome(seen(edits, every, seed, depth=depth))
    plan = reach.plan(edits)
    needed = [check for check in every if check.name in plan.checks]
    return outcome(seen(edits, needed, seed, partial(_adopt, plan, reach)) | plan.known)


def _adopt(plan: Plan, reach: Reach, session: Session) -> None:
    """Let a session know what the edits do not concern."""
    session.facts.adopt({name: reach.facts[name] for name in plan.facts})
    session.history.adopt(reach.history(plan.owners))
    session.approvals.adopt(reach.reviews)


def seen(
    edits: Sequence[Edit],
    chosen: Sequence[Check],
    seed: int = SEED,
    prepare: Callable[[Session], None] = lambda _: None,
    depth: str = DEPTH,
) -> frozenset[Seen]:
    """Perform these checks on the edited reference, in a session that may know something."""
    session = examination.opened(examination.in_process(altered.load(edits)), seed, depth)
    prepare(session)
    try:
        return checks.performed(session, chosen).all_seen
    finally:
        session.close()


def outcome(found: Collection[Seen]) -> Outcome:
    """The verdicts of all checked requirements."""
    verdicts_of: dict[str, list[tuple[str | None, Verdict]]] = defaultdict(list)
    for requirement, operation, verdict in found:
        verdicts_of[requirement].append((operation, verdict))
    catalogue = requirements.load()
    verdicts = {
        stated.id: document.verdicts(stated, verdicts_of[stated.id])[0]
        for stated in catalogue.values()
        if stated.is_checked
    }
    errors = {each.requirement for each in found if each.verdict is Verdict.ERROR}
    return Outcome(
        failed=_with(Verdict.FAIL, verdicts),
        errors=tuple(id for id in catalogue if id in errors),
        inconclusive=_with(Verdict.INCONCLUSIVE, verdicts),
    )


def _with(wanted: Verdict, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    return tuple(id for id, verdict in verdicts.items() if verdict is wanted)
