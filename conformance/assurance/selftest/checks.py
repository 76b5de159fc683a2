"""The checks of the suite as values: collected by pytest once in a process, and performed without it, in two thirds of the time."""

import inspect
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.verdict import Finding
from conformance.runner import items, pytest_run
from conformance.runner.session import Session
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.preconditions import Preconditions
from conformance.suite.approval.trials import Trials
from conformance.suite.fuzzing import generate
from conformance.suite.lists.live import Live
from conformance.suite.tools.toolbox import Toolbox


@dataclass(frozen=True)
class Check:
    """One item of a run: a function of the suite, with the operation and the scheme that it is run for, and what else it asks for."""

    name: str
    requirement: str
    operation: str | None
    function: Callable[..., None]
    parameters: Mapping[str, Any]
    asks: tuple[str, ...]

    def perform(self, session: Session, things: Mapping[str, Any]) -> Sequence[Finding]:
        """What it finds, and what the rules find on the exchanges that it causes, as the plugin would gather it."""
        session.begin(self.name)
        problem: Exception | None = None
        try:
            self.function(**self.parameters, **{name: things[name] for name in self.asks})
        except Exception as raised:  # noqa: BLE001 - whatever it is becomes a finding
            problem = raised
        own = items.finding(self.requirement, self.operation, problem)
        return session.end((own,)).findings


def things(session: Session) -> Mapping[str, Any]:
    """What the checks of one run share, by the names under which they ask for it (the fixtures of the suite)."""
    live = Live(session)
    approvals = Approvals(session, live)
    trials = Trials(session, live, approvals)
    return {
        "session": session,
        "live": live,
        "approvals": approvals,
        "trials": trials,
        "preconditions": Preconditions(live, approvals, trials),
        "toolbox": Toolbox(live),
        "request_source": generate.make,
    }


@cache
def collected() -> tuple[Check, ...]:
    """Every check, in the order of a run."""
    collector = _Collector()
    with tempfile.TemporaryDirectory() as directory:
        pytest_run.execute([f"--report-dir={Path(directory)}", "--collect-only"], [collector])
    return tuple(map(_check, collector.items))


class _Collector:
    """A pytest plugin that keeps what was collected."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the items, chosen and ordered."""
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]


def _check(item: pytest.Function) -> Check:
    parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    asks = tuple(
        name for name in inspect.signature(item.function).parameters if name not in parameters
    )
    return Check(
        items.name_of(item),
        items.requirement_of(item).id,
        items.operation_of(item),
        item.function,
        parameters,
        asks,
    )
