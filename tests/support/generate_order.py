"""Writes `conformance/runner/order.json`: the depth of each check, and which find most at first.

    python tests/support/generate_order.py [--cut]

It takes as long as the matrix of the whole population: every mutant is run, to learn which checks
find it. Among the checks that are left, the next one is that which finds most mutants, and
requirements without any exercise, that no check before it finds, by its number of requests.

--cut keeps the order, and measures three runs alone: how many checks a depth has now.
"""

import math
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from conformance.assurance.selftest import altered, checks, population, reach, trial
from conformance.assurance.selftest.checks import Check
from conformance.contract import requirements
from conformance.contract.verdict import Level, Verdict
from conformance.http.exchange import FACT
from conformance.runner import examination, items, order
from conformance.runner.facts import OF_DATA
from conformance.runner.scheduling import Stage
from conformance.runner.session import Session

FILES = sorted((Path(__file__).parents[1] / "population").glob("*.toml"))
SEED = 1
SEEKING = ("fact::lists-below[", "fact::baseline[")
"""Facts that look for records: a check that needs one is not wider where more were looked for."""

CUT = "--cut"
SMOKE, QUICK = 151, 1_395
"""Requests of the depths; a run sends some more, since each round reads the data anew."""
OBSERVED = "~"
WORTH = {"=": 10.0, "@": 0.3, OBSERVED: 0.1}
"""What a requirement without exercise counts, on one operation too, beside a mutant, which counts
one: mutants break an operation or two of each kind, and real defects are on any of them.

What is observed fails nothing.
"""
SOON = ("approval::test_the_review_reads_as_approved[api-key]",)
"""The first approvals of the second depth, whatever mutants say: no trial takes any time, and a
target may show a former state for some seconds alone."""
FREE = 0.2
"""What a check costs that sends nothing: there are more of them than find anything else."""


@dataclass(frozen=True)
class Costs:
    """Requests of each check itself, of each fact, and the facts that each check needs."""

    own: Mapping[str, int]
    facts: Mapping[str, frozenset[str]]
    sizes: Mapping[str, int]

    def of(self, check: str, found: Collection[str]) -> int:
        """The requests of a check, where some facts have been found."""
        missing = self.facts[check].difference(found)
        return self.own[check] + sum(self.sizes[each] for each in missing)

    def is_narrower(self, check: str, wider: "Costs") -> bool:
        """Whether a check itself, or what it judges, has more requests at a wider depth."""
        if self.own[check] != wider.own[check]:
            return True
        needed = self.facts[check] | wider.facts[check]
        differing = [each for each in needed if self.sizes.get(each) != wider.sizes.get(each)]
        is_seeker = self.own[check] > 0  # what sends nothing judges all that was found
        return any(not (is_seeker and each.startswith(SEEKING)) for each in differing)


def costs(depth: str) -> Costs:
    """What each check that passes costs on the original, alone but for the facts that it shares."""
    session = _opened((), SEED, depth)
    own: dict[str, int] = {}
    facts: dict[str, frozenset[str]] = {}
    sizes: dict[str, int] = {}
    try:
        for check, outcome in checks.outcomes(session, checks.collected()):
            if outcome.problem is not None:
                continue  # it saw too little at this depth
            needed = [fact.context for fact in outcome.context.facts()]
            own[check.name] = outcome.context.finish().exchanges
            facts[check.name] = frozenset(each.item for each in needed)
            sizes |= {each.item: each.finish().exchanges for each in needed}
    finally:
        session.close()
    return Costs(own, facts, sizes)


def _opened(edits: Any, seed: int, depth: str) -> Session:
    return examination.opened(examination.in_process(altered.load(edits)), seed, depth)


def kills() -> dict[str, list[str]]:
    """The checks and facts that find each mutant."""
    mutants = [each for each in population.load(FILES) if isinstance(each, population.Mutant)]
    with ProcessPoolExecutor(os.cpu_count(), initializer=_begin) as pool:
        found = pool.map(_finders, mutants, chunksize=4)
        return {each.id: list(finders) for each, finders in zip(mutants, found, strict=True)}


_REACH: list[reach.Reach] = []


def _begin() -> None:
    _REACH[:] = [reach.measured(SEED, population.DEPTH)]


def _finders(mutant: population.Mutant) -> list[str]:
    every, session = checks.collected(), _opened(mutant.edits, mutant.seed, population.DEPTH)
    needed: Iterable[Check] = every
    if mutant.seed == SEED:
        plan = _REACH[0].plan(mutant.edits)
        trial._adopt(plan, _REACH[0], session)
        needed = [each for each in every if each.name in plan.checks]
    try:
        seen = checks.performed(session, list(needed)).seen
    finally:
        session.close()
    return [item for item, found in seen.items() if _fails(found)]


def _fails(found: Iterable[checks.Seen]) -> bool:
    return any(each.verdict is Verdict.FAIL for each in found)


@dataclass
class Choice:
    """What was chosen so far: the facts and gains that it has, and its requests."""

    cost: Costs
    gains: Mapping[str, Collection[str]]
    found: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    requests: int = 0
    checked: list[str] = field(default_factory=list)

    def after(
        self, again: Iterable[str], cost: Costs, gains: Mapping[str, Collection[str]]
    ) -> "Choice":
        """The choice at the next depth, where some checks are performed again."""
        done = [name for name in self.checked if name not in set(again)]
        seen = self.seen.difference(*(self.gains[name] for name in self.checked))
        kept = {fact for fact in self.found if not fact.removeprefix(FACT).startswith(OF_DATA)}
        return Choice(cost, gains, kept, seen.union(*(self.gains[name] for name in done)))

    def checks(self, names: Iterable[str], most: float) -> Iterator[str]:
        """Checks in the order of what each adds by its requests, as many as fit into so many."""
        left = sorted(name for name in names if name in self.cost.own)
        while left:
            worth = self._worth(left)
            best = max(left, key=worth.__getitem__)
            left.remove(best)
            requests = self.cost.of(best, self.found)
            if self.requests + requests <= most and not self.seen.issuperset(self.gains[best]):
                yield best
                self.checked.append(best)
                self.requests += requests
                self.found |= self.cost.facts[best]
                self.seen |= set(self.gains[best])

    def _worth(self, left: Iterable[str]) -> dict[str, float]:
        """What each adds by its requests; so does what it finds for others, which send no more."""
        missing = {name: self.cost.facts[name] - self.found for name in left}
        free = [name for name in left if not self.cost.own[name]]
        worth = {}
        for name, needed in missing.items():
            beside = [self.gains[other] for other in free if missing[other] <= needed]
            new = set(self.gains[name]).union(*beside) - self.seen
            value = sum(WORTH.get(gain[0], 1.0) for gain in new)
            worth[name] = value / (FREE + self.cost.of(name, self.found))
        return worth


def gains(cost: Costs, finders: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """What each check finds: mutants, and its requirement, marked as in `WORTH`.

    That requirement on its operation is marked by `@`.
    """
    found = {
        each.name: {f"{_mark(each)}{each.requirement}", f"@{each.requirement} {each.operation}"}
        for each in checks.collected()
    }
    of_fact: dict[str, list[str]] = {}
    for name, needed in cost.facts.items():
        for fact in needed:
            of_fact.setdefault(fact, []).append(name)
    for mutant, by in finders.items():
        for item in by:
            for name in [item] if item in found else of_fact.get(item, ()):
                found[name].add(mutant)
    return found


def _mark(check: Check) -> str:
    """What begins the requirement of a check among its gains."""
    is_observed = requirements.load()[check.requirement].level is Level.OBSERVE
    return OBSERVED if is_observed else "="


def main() -> None:
    """Measure, choose and write."""
    found = recut(order.shipped()) if sys.argv[1:] == [CUT] else chosen(kills())
    order.SHIPPED.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")


def chosen(finders: Mapping[str, Iterable[str]]) -> Mapping[str, Any]:
    """The checks of each depth, and which of them widen; `finders` are those of each mutant."""
    smoke, quick, wide = _costs()
    stages = _stages()
    first = Choice(smoke, gains(smoke, finders))
    plain = (name for name, stage in stages.items() if stage is not Stage.ALONE)
    of_smoke = list(first.checks(plain, SMOKE))
    again = _widening(of_smoke, smoke, wide)

    second = first.after(again, quick, gains(quick, finders))
    of_quick = list(second.checks(stages.keys() - set(of_smoke) | set(again), QUICK - SMOKE))
    widening = _widening(of_quick, quick, wide)

    last = second.after(widening, wide, gains(wide, finders))
    done = {*of_smoke, *of_quick}.difference(again, widening)
    rest = list(last.checks(stages.keys() - done, math.inf))
    return _document((of_smoke, again), (of_quick, widening), rest)


def recut(known: Mapping[str, Any]) -> Mapping[str, Any]:
    """The known order, with the depths cut anew, since the checks cost something else now.

    What an observation sends comes last: it fails nothing.
    """
    smoke, quick, wide = _costs()
    observed = {each.name for each in checks.collected() if _mark(each) == OBSERVED}
    late = [name for name in known[order.SMOKE] if name in observed and smoke.own.get(name)]
    plain = (name for name in known[order.SMOKE] if name not in late)
    of_smoke = list(_fitting(plain, smoke, SMOKE))
    again = _widening(of_smoke, smoke, wide)

    left = (name for name in known[order.SMOKE] if name not in {*of_smoke, *late})
    every = dict.fromkeys([*again, *left, *known[order.QUICK], *late])
    wanted = [name for name in every if name in again or name not in of_smoke]
    of_quick = list(_fitting([*SOON, *wanted], quick, QUICK))
    widening = _widening(of_quick, quick, wide)

    done = {*of_smoke, *of_quick}.difference(again, widening)
    left_over = dict.fromkeys([*widening, *wanted, *known[order.WIDE]])
    rest = [name for name in left_over if name not in done]
    return _document((of_smoke, again), (of_quick, widening), rest)


def _costs() -> tuple[Costs, Costs, Costs]:
    return costs(order.SMOKE), costs(order.QUICK), costs(order.WIDE)


def _stages() -> Mapping[str, Stage]:
    return {each.name: items.stage_of(each.item) for each in checks.collected()}


def _fitting(names: Iterable[str], cost: Costs, most: float) -> Iterator[str]:
    """Those of some checks that fit into so many requests, in their order."""
    found: set[str] = set()
    requests = 0
    for name in dict.fromkeys(names):
        if name in cost.own:
            needed = cost.of(name, found)
            if requests + needed <= most:
                yield name
                requests += needed
                found |= cost.facts[name]


def _widening(names: Iterable[str], own: Costs, wide: Costs) -> list[str]:
    """Those of some checks that read more at a wider depth."""
    stages = _stages()
    return [name for name in names if stages[name] is Stage.READS and own.is_narrower(name, wide)]


def _document(
    smoke: tuple[list[str], list[str]], quick: tuple[list[str], list[str]], rest: list[str]
) -> Mapping[str, Any]:
    """The checks of the first two depths, each with those of them that widen, and the others."""
    soon = [name for name in SOON if name not in smoke[0]]
    return {
        order.SMOKE: smoke[0],
        order.QUICK: [*soon, *(name for name in quick[0] if name not in soon)],
        order.WIDE: [name for name in rest if name not in soon],
        order.WIDENING: {order.SMOKE: smoke[1], order.QUICK: quick[1]},
    }


if __name__ == "__main__":
    main()
