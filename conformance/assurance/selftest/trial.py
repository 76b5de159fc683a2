"""One run of the suite, in this process, on a reference with edited sources."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.assurance.selftest import altered, checks
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.population import SEED
from conformance.contract import requirements
from conformance.contract.requirements import CLASSES
from conformance.contract.verdict import Verdict
from conformance.report import document
from conformance.runner import examination
from conformance.runner.session import Session

DEPTH = "quick"
REACHED_BY = {"description": "description", "tool_interface": "tools", "tools": "tools"}
"""Modules of the reference whose functions only the checks of one conformance class reach.

A test measures this, so an edit of such a module needs the checks of that class only.
"""

Verdicts = Mapping[str, set[tuple[str | None, Verdict]]]
"""The operations and verdicts of the findings, by requirement."""


@dataclass(frozen=True)
class Outcome:
    """The ids of the requirements with each verdict, in the order of the catalogue.

    `errors` are those whose check had an internal error.
    """

    failed: tuple[str, ...]
    errors: tuple[str, ...]
    inconclusive: tuple[str, ...]


def run(edits: Sequence[Edit], seed: int = SEED) -> Outcome:
    """Check the edited reference, as `conformance run --depth quick --conformance-seed …` does.

    Raises EditError, and every exception of an edited module at its import.
    """
    subject = examination.in_process(altered.load(edits))
    session = examination.opened(subject, seed, DEPTH)
    selected = classes(edits)
    try:
        verdicts = perform(session, selected)
    finally:
        session.close()
    return _outcome(verdicts, selected)


def perform(session: Session, selected: Sequence[str]) -> Verdicts:
    """Perform every check of these conformance classes."""
    catalogue = requirements.load()
    verdicts: dict[str, set[tuple[str | None, Verdict]]] = defaultdict(set)
    chosen = [
        check
        for check in checks.collected()
        if catalogue[check.requirement].conformance_class in selected
    ]
    for finding in checks.findings(session, chosen):
        verdicts[finding.requirement].add((finding.operation, finding.verdict))
    return verdicts


def classes(edits: Sequence[Edit]) -> tuple[str, ...]:
    """The conformance classes whose checks reach an edited module, or all."""
    reached = {REACHED_BY.get(edit.module) for edit in edits}
    if not reached or None in reached:
        return CLASSES
    return tuple(name for name in CLASSES if name in reached)


def _outcome(found: Verdicts, selected: Sequence[str]) -> Outcome:
    catalogue = requirements.load()
    checked = [
        requirement
        for requirement in catalogue.values()
        if requirement.is_checked and requirement.conformance_class in selected
    ]
    verdicts = {
        requirement.id: document.verdicts(requirement, found.get(requirement.id, ()))[0]
        for requirement in checked
    }
    return Outcome(
        failed=_with(Verdict.FAIL, verdicts),
        errors=tuple(id for id in catalogue if _has_error(id, found)),
        inconclusive=_with(Verdict.INCONCLUSIVE, verdicts),
    )


def _with(wanted: Verdict, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    return tuple(id for id, verdict in verdicts.items() if verdict is wanted)


def _has_error(id: str, found: Verdicts) -> bool:
    return any(verdict is Verdict.ERROR for _, verdict in found.get(id, ()))
