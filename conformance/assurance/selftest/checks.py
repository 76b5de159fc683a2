"""The checks of the suite as values: pytest collects them once, and they run without it.

That takes two thirds of the time of a run by pytest.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from conformance.contract.verdict import Finding, Verdict
from conformance.runner import history, items, order, pytest_run
from conformance.runner.engine import Engine, Outcome, Task
from conformance.runner.session import Session
from conformance.suite import wiring


@dataclass(frozen=True)
class Check:
    """One item of a run: its name, requirement and operation, and the item as pytest has it."""

    name: str
    requirement: str
    operation: str | None
    item: pytest.Function

    @property
    def task(self) -> Task:
        """The check, for an engine."""
        return Task(
            self.name,
            items.stage_of(self.item),
            lambda context: wiring.perform(self.item, wiring.Fixtures(context)),
        )


class Seen(NamedTuple):
    """What the verdict of a requirement depends on, of one finding."""

    requirement: str
    operation: str | None
    verdict: Verdict


@dataclass(frozen=True)
class Performed:
    """What checks have found, and what they needed for that.

    `seen` is what each check or fact has found, with the rules on its exchanges; `facts` has the
    names of the facts that each check needed, and that these needed.
    """

    seen: Mapping[str, frozenset[Seen]]
    facts: Mapping[str, frozenset[str]]

    @property
    def all_seen(self) -> frozenset[Seen]:
        """What all checks and facts have found."""
        return frozenset().union(*self.seen.values())


def outcomes(session: Session, checks: Sequence[Check]) -> Iterator[tuple[Check, Outcome]]:
    """Perform checks as in a run."""
    wiring.prepare(session)
    engine = Engine(session, [check.task for check in checks])
    engine.start()
    for check in checks:
        yield check, engine.outcome(check.name)


def performed(session: Session, checks: Sequence[Check]) -> Performed:
    """Perform checks as in a run, and keep what decides the verdicts."""
    seen: dict[str, frozenset[Seen]] = {}
    facts: dict[str, frozenset[str]] = {}
    for check, outcome in outcomes(session, checks):
        own = items.findings(check.requirement, check.operation, outcome.problems)
        results = outcome.context.finish(own), *session.results_of_facts(outcome.context)
        seen |= {result.item: frozenset(map(_seen, result.findings)) for result in results}
        facts[check.name] = frozenset(fact.context.item for fact in outcome.context.facts())
    seen |= {each.item: frozenset(map(_seen, each.findings)) for each in history.results(session)}
    session.dispatcher.stop()
    return Performed(seen, facts)


def _seen(finding: Finding) -> Seen:
    return Seen(finding.requirement, finding.operation, finding.verdict)


@cache
def collected() -> tuple[Check, ...]:
    """Every check, in the order of a run."""
    collector = _Collector()
    with tempfile.TemporaryDirectory() as directory:
        pytest_run.execute([f"--report-dir={Path(directory)}", "--collect-only"], [collector])
    return tuple(_check(item) for item in collector.items if not order.is_narrow(item))


class _Collector:
    """A pytest plugin that stores the collected items."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the items as pytest has selected and ordered them."""
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]


def _check(item: pytest.Function) -> Check:
    requirement, operation = items.requirement_of(item).id, items.operation_of(item)
    return Check(items.name_of(item), requirement, operation, item)
