"""The checks of the suite as values: pytest collects them once, and they run without it.

That takes two thirds of the time of a run by pytest.
"""

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
from conformance.runner.context import Context
from conformance.runner.session import Session
from conformance.suite.wiring import Fixtures


@dataclass(frozen=True)
class Check:
    """One item of a run: a function of the suite, its parameters, and the names of its fixtures."""

    name: str
    requirement: str
    operation: str | None
    function: Callable[..., None]
    parameters: Mapping[str, Any]
    fixtures: tuple[str, ...]

    def perform(self, session: Session) -> Sequence[Finding]:
        """The finding of the check, and those of the rules on its exchanges, as in a run."""
        return self.perform_in(session.context(self.name))

    def perform_in(self, context: Context) -> Sequence[Finding]:
        """The same in a context that the caller has made, and can look at afterwards."""
        problem: Exception | None = None
        try:
            fixtures = Fixtures(context)
            requested = {name: fixtures[name] for name in self.fixtures}
            self.function(**self.parameters, **requested)
        except Exception as raised:  # noqa: BLE001 - any exception becomes a finding
            problem = raised
        own = items.finding(self.requirement, self.operation, problem)
        results = (context.finish((own,)), *context.session.results_of_facts(context))
        return [finding for result in results for finding in result.findings]


@cache
def collected() -> tuple[Check, ...]:
    """Every check, in the order of a run."""
    collector = _Collector()
    with tempfile.TemporaryDirectory() as directory:
        pytest_run.execute([f"--report-dir={Path(directory)}", "--collect-only"], [collector])
    return tuple(map(_check, collector.items))


class _Collector:
    """A pytest plugin that stores the collected items."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Store the items as pytest has selected and ordered them."""
        self.items = [item for item in session.items if isinstance(item, pytest.Function)]


def _check(item: pytest.Function) -> Check:
    parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    arguments = inspect.signature(item.function).parameters
    requested = tuple(name for name in arguments if name not in parameters)
    return Check(
        items.name_of(item),
        items.requirement_of(item).id,
        items.operation_of(item),
        item.function,
        parameters,
        requested,
    )
