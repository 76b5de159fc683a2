"""Rounds of further generated requests, each where the fewest were sent so far.

The order of the rounds follows from the seed and from the data of the target: only their number
depends on the time that a run has.
"""

from collections.abc import Collection, Iterator

from conformance.contract import openapi
from conformance.contract.openapi import Operation
from conformance.contract.verdict import Violation
from conformance.runner.context import Context
from conformance.runner.rounds import Check, Round
from conformance.runner.session import Session
from conformance.suite.fuzzing.fuzz import MAX_SMALLER, Fuzz, Progress, RequestSource
from conformance.suite.fuzzing.generate import Mode, Source
from conformance.suite.lists.live import Live

ACCEPTED, NO_FAILURE = "arguments/accepted", "arguments/no-failure"
BESIDE = 8
"""No fewer requests than a round sends beside those that are generated."""


class Direction:
    """The requests of one operation within the contract, or beyond it.

    `is_over` tells that a round has brought no new request, or could not be performed.
    """

    def __init__(
        self, session: Session, operation: Operation, mode: Mode, request_source: RequestSource
    ) -> None:
        self.is_over = False
        self._operation = operation
        self._mode = mode
        self._most = session.depth.round + MAX_SMALLER + BESIDE
        self._request_source = request_source
        self._progress = Progress()
        self._rounds = 0
        source = Source(operation.id, mode, session.seed, session.depth.examples)
        requests = request_source(source)
        self._generated = len(requests.covered) + len(requests.drawn)

    @property
    def known(self) -> int:
        """The number of distinct requests so far."""
        return len(self._progress.sent) or self._generated

    @property
    def check(self) -> Check:
        """The check that its requests go on with, and what a failure of the service violates."""
        is_accepted = self._mode is Mode.POSITIVE and not self._operation.writes
        return Check(ACCEPTED if is_accepted else NO_FAILURE, self._operation.id)

    def next(self, finished: Collection[str]) -> Round:
        """The next round that was not finished before."""
        self._rounds += 1
        while self._name in finished:
            self._rounds += 1
        return Round(self._name, self.check, self._most, self._perform)

    @property
    def _name(self) -> str:
        return f"{self._operation.id}-{self._mode}-{self._rounds}"

    def _perform(self, context: Context) -> None:
        before = len(self._progress.sent)
        fuzz = Fuzz(self._operation, self._mode, Live(context), self._request_source)
        try:
            fuzz.go_on(self._rounds, self._progress)
        except Violation:
            raise
        except Exception:
            self.is_over = True
            raise
        self.is_over = len(self._progress.sent) == before


def rounds(
    session: Session,
    request_source: RequestSource,
    checks: Collection[Check],
    finished: Collection[str],
) -> Iterator[Round]:
    """Rounds that go on with these checks, each where the fewest requests were sent so far.

    `finished` are the names of rounds that a run which is resumed has performed. There is none
    left once no operation has further requests.
    """
    left = list(_directions(session, request_source, checks))
    while left:
        direction = min(left, key=lambda each: each.known)
        yield direction.next(finished)
        left = [each for each in left if not each.is_over]


def _directions(
    session: Session, request_source: RequestSource, checks: Collection[Check]
) -> Iterator[Direction]:
    for operation in openapi.load().operations.values():
        has_arguments = operation.parameters or operation.body_schema is not None
        has_consent = not operation.writes or session.target.consent.fuzz_writes
        for mode in Mode if has_arguments and has_consent else ():
            direction = Direction(session, operation, mode, request_source)
            if direction.check in checks:
                yield direction
