"""How many requests find what the whole of a run finds, beside `schemathesis run`."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks import schemathesis_run
from benchmarks.measured import Row
from conformance.assurance.selftest import altered, population
from conformance.assurance.selftest.population import Mutant
from conformance.contract.verdict import Verdict
from conformance.runner import examination, pytest_run

POPULATION = Path(__file__).parents[1] / "tests" / "population"
BUDGETS = (50, 100, 150, 300, 500, 1_000, 1_500, 4_000)
REQUESTS = "requests"
OURS, THEIRS = "conformance run", "schemathesis run"


@dataclass
class Watched:
    """A plugin that counts the requests of a run until its first failure is complete."""

    requests: int = 0
    first: int | None = field(default=None, init=False)

    def pytest_conformance_ended(self, record: str) -> None:
        """Count the requests of a check or a fact that has ended."""
        result = json.loads(record)
        self.requests += result["exchanges"]
        if self.first is None and any(
            each["verdict"] == Verdict.FAIL for each in result["findings"]
        ):
            self.first = self.requests


def rows(number: int, depth: str) -> Iterator[Row]:
    """The catches of both by their requests, of so many mutants that the HTTP interface shows."""
    chosen = _sample(number)
    found = {
        OURS: [_first(mutant, depth) for mutant in chosen],
        THEIRS: [schemathesis_run.first(mutant) for mutant in chosen],
    }
    caught = {tool: sorted(filter(None, firsts)) for tool, firsts in found.items()}
    for budget in BUDGETS:
        shares = {tool: _share(firsts, budget, len(chosen)) for tool, firsts in caught.items()}
        yield Row(f"{budget:,} {REQUESTS}", shares)
    yield Row("caught at all", {tool: len(firsts) for tool, firsts in caught.items()})
    some = {tool: firsts for tool, firsts in caught.items() if firsts}
    yield Row("first evidence, median", {tool: round(median(each)) for tool, each in some.items()})
    ninth = {tool: round(_ninth(each)) for tool, each in some.items()}
    yield Row("first evidence, 90th percentile", ninth)


def _share(firsts: Sequence[int], budget: int, number: int) -> str:
    return f"{sum(each <= budget for each in firsts) / number:.0%}"


def _ninth(values: Sequence[int]) -> float:
    return quantiles(values, n=10)[-1] if len(values) > 1 else values[0]


def _sample(number: int) -> list[Mutant]:
    files = sorted(POPULATION.glob("*.toml"))
    mutants = [each for each in population.load(files) if isinstance(each, Mutant)]
    shown = [each for each in mutants if schemathesis_run.is_reachable(each)]
    return random.Random(1).sample(shown, min(number, len(shown)))


def _first(mutant: Mutant, depth: str) -> int | None:
    """The requests until the first failure is complete; None where none is found."""
    package, watched = altered.load(mutant.edits), Watched()
    target = examination.Substitute(lambda: examination.in_process(package))
    with TemporaryDirectory() as folder:
        options = pytest_run.options(Path(folder), depth, mutant.seed)
        options += ["--report=badge", "--conformance-max-failures=1"]
        pytest_run.execute(options, [target, watched])
    return watched.first
