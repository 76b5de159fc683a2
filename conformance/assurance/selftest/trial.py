"""One run of the whole suite, in this process, on a reference with edited sources."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.assurance.selftest import altered, checks
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.population import SEED
from conformance.contract import requirements
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import Verdict
from conformance.report import document
from conformance.runner import examination

DEPTH = "quick"
MET_BY = {"description": "description", "tool_interface": "tools", "tools": "tools"}
"""Modules of the reference that only the checks of one conformance class ever meet."""


@dataclass(frozen=True)
class Outcome:
    """What a run of the suite found: judged requirements by their verdict, and whatever the checker goes wrong on.

    Each list is in the order of the catalogue.
    """

    failed: tuple[str, ...]
    errors: tuple[str, ...]
    inconclusive: tuple[str, ...]


def run(edits: Sequence[Edit], seed: int = SEED) -> Outcome:
    """Judge the reference with these edits in it, as `conformance run --depth quick --conformance-seed …` would.

    Raises EditError, and what the altered modules raise.
    """
    session = examination.opened(examination.in_process(altered.load(edits)), seed, DEPTH)
    things, catalogue, wanted = checks.things(session), requirements.load(), classes(edits)
    found: dict[str, set[tuple[str | None, Verdict]]] = defaultdict(set)
    try:
        for check in checks.collected():
            if catalogue[check.requirement].conformance_class in wanted:
                for finding in check.perform(session, things):
                    found[finding.requirement].add((finding.operation, finding.verdict))
    finally:
        session.close()
    return _outcome(found, wanted)


def classes(edits: Sequence[Edit]) -> tuple[str, ...]:
    """The conformance classes whose checks can tell a difference."""
    touched = {MET_BY.get(edit.module, "") for edit in edits}
    return tuple(name for name in CLASSES if not touched or "" in touched or name in touched)


def _outcome(found: dict[str, set[tuple[str | None, Verdict]]], classes: Sequence[str]) -> Outcome:
    judged = [
        stated
        for stated in requirements.load().values()
        if stated.is_checked and stated.conformance_class in classes
    ]
    verdicts = {stated.id: document.verdicts(stated, found[stated.id])[0] for stated in judged}
    return Outcome(
        failed=tuple(id for id, verdict in verdicts.items() if verdict is Verdict.FAIL),
        errors=tuple(
            id
            for id in requirements.load()
            if any(verdict is Verdict.ERROR for _, verdict in found[id])
        ),
        inconclusive=tuple(
            id for id, verdict in verdicts.items() if verdict is Verdict.INCONCLUSIVE
        ),
    )
