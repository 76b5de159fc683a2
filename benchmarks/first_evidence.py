"""How many requests of a run find what the whole of it finds."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from benchmarks.measured import Row
from conformance.assurance.selftest import altered, population
from conformance.assurance.selftest.population import Mutant
from conformance.contract.verdict import Verdict
from conformance.runner import examination, pytest_run

POPULATION = Path(__file__).parents[1] / "tests" / "population"
BUDGETS = (50, 100, 150, 300, 500, 1_000, 1_500, 4_000)


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
    """The catches of a run by its requests, of so many mutants of the population."""
    found = [_first(mutant, depth) for mutant in _sample(number)]
    caught = sorted(each for each in found if each is not None)
    for budget in BUDGETS:
        share = sum(each <= budget for each in caught) / len(caught)
        yield Row(f"{budget:,} requests", {"of the catches": f"{share:.0%}"})
    yield Row("first evidence, median", {"requests": round(median(caught))})
    yield Row("first evidence, 90th percentile", {"requests": round(_ninth(caught))})
    yield Row("caught", {"mutants": len(caught), "of": number})


def _ninth(values: Sequence[int]) -> float:
    return quantiles(values, n=10)[-1] if len(values) > 1 else values[0]


def _sample(number: int) -> list[Mutant]:
    files = sorted(POPULATION.glob("*.toml"))
    mutants = [each for each in population.load(files) if isinstance(each, Mutant)]
    return random.Random(1).sample(mutants, min(number, len(mutants)))


def _first(mutant: Mutant, depth: str) -> int | None:
    """The requests until the first failure is complete; None where none is found."""
    package, watched = altered.load(mutant.edits), Watched()
    target = examination.Substitute(lambda: examination.in_process(package))
    with TemporaryDirectory() as folder:
        options = pytest_run.options(Path(folder), depth, mutant.seed)
        options += ["--report=badge", "--conformance-max-failures=1"]
        pytest_run.execute(options, [target, watched])
    return watched.first
