"""Goes on with generated requests, round by round, while a deep run has time left."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from conformance.contract.verdict import Finding, Violation
from conformance.http.exchange import FACT
from conformance.report.run import Run
from conformance.runner import items, limits
from conformance.runner.context import Context
from conformance.runner.session import Session
from conformance.runner.stash import CHECKS, EARLIER, MORE, ROUNDS, SESSION

PREFIX = f"{FACT}round["
"""The beginning of the names of rounds, whose exchanges belong to no check."""

SPARE = 10
"""One part in this many of the time is left for what comes after the rounds."""


class Check(NamedTuple):
    """A requirement, and the operation that it was checked on."""

    requirement: str
    operation: str | None


@dataclass(frozen=True)
class Round:
    """Requests that go on with a check; `most` bounds their number."""

    name: str
    check: Check
    most: int
    perform: Callable[[Context], None]


Source = Callable[[Session, Collection[Check], Collection[str]], Iterable[Round]]
"""Makes the rounds that go on with some checks, without those that were finished before."""


class Allowance:
    """Whether time, requests and log of a run suffice for one more round.

    `seconds` is the time that the rounds may use, from the beginning of the run on. A round is
    expected to take as long as the longest before it; the first one, as its requests would have
    taken in the run so far.
    """

    def __init__(self, session: Session, seconds: float) -> None:
        self._session = session
        self._end = seconds - seconds / SPARE
        self._longest: float | None = None

    def suffices(self, most: int) -> bool:
        """Whether a round of so many requests at most can be performed."""
        budget, log = self._session.budget, self._session.log
        is_logged = log is None or not log.has_cut
        has_requests = budget.requests_left is None or budget.requests_left >= most
        if self._session.is_ending or not is_logged or not has_requests:
            return False
        return budget.passed + self._expected(most) <= self._end

    def note(self, seconds: float) -> None:
        """A round has taken so long."""
        self._longest = max(seconds, self._longest or 0.0)

    def _expected(self, most: int) -> float:
        if self._longest is not None:
            return self._longest
        return self._session.budget.passed / max(1, self._session.logged) * most


def keep_checks(collected: Iterable[pytest.Item], config: pytest.Config) -> None:
    """Remember what a run checks, also where a part of it was finished before."""
    config.stash[CHECKS] = frozenset(
        Check(items.requirement_of(item).id, items.operation_of(item))
        for item in collected
        if item.get_closest_marker("requirement")
    )


def go_on(run: Run, config: pytest.Config) -> None:
    """Perform rounds while time is left; in a replay, as many as were recorded."""
    session = config.stash[SESSION]
    if not session.depth.round or MORE not in config.stash:
        return
    earlier = config.stash.get(EARLIER, None)
    finished = set(_names(earlier.finished if earlier else ()))
    allowed = limits.for_rounds(config, session.target.limits)
    rounds = Rounds(run, session, Allowance(session, allowed), config.stash.get(ROUNDS, None))
    try:
        rounds.perform(config.stash[MORE](session, config.stash[CHECKS], finished))
    finally:
        run.went_on(len(finished) + rounds.performed)


class Rounds:
    """Performs rounds, and gives their records to a run.

    `recorded` is the number of rounds of the run that is replayed; None: as many as time allows.
    """

    def __init__(
        self, run: Run, session: Session, allowance: Allowance, recorded: int | None
    ) -> None:
        self.performed = 0
        self._run = run
        self._session = session
        self._allowance = allowance
        self._recorded = recorded

    def perform(self, rounds: Iterable[Round]) -> None:
        """Perform these rounds, as many as may be."""
        for each in rounds:
            if not self._is_next(each):
                break
            began = self._session.budget.passed
            self._perform(each)
            self._allowance.note(self._session.budget.passed - began)
            self.performed += not self._session.is_ending

    def _is_next(self, each: Round) -> bool:
        if self._recorded is not None:
            return self.performed < self._recorded
        return self._allowance.suffices(each.most)

    def _perform(self, each: Round) -> None:
        context = self._session.context(f"{PREFIX}{each.name}]")
        findings: list[Finding] = []
        for step in (each.perform, Context.settle):
            try:
                step(context)
            except Exception as problem:  # noqa: BLE001 - any exception becomes a finding
                # What the end of the run has cut was checked before; a violation was seen.
                if isinstance(problem, Violation) or not self._session.is_ending:
                    findings.append(items.finding(*each.check, problem))
        self._run.add(items.record(context.finish(tuple(findings))))
        for fact in self._session.unreported_facts(context):
            record = items.record_of_fact(fact)
            if record is not None:
                self._run.add(record)


def _names(recorded: Iterable[str]) -> Iterator[str]:
    """The names of the rounds among the items of an earlier run."""
    for item in recorded:
        if item.startswith(PREFIX):
            yield item.removeprefix(PREFIX).removesuffix("]")
