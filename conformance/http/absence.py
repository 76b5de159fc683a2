"""A target that is away for a while, as during a restart: who waits for it, and for how long."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from conformance.contract.verdict import Inconclusive
from conformance.http.budget import AWAY, Budget
from conformance.http.exchange import Exchange
from conformance.http.retry import is_unavailable
from conformance.http.sending import Sending

PATIENCE = 120.0
"""Seconds after which a target that does not respond counts as gone, and the run ends."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
"""Seconds between two probes; each pause is twice as long as the one before."""


@dataclass(frozen=True)
class Period:
    """A time without a response of the target: seconds since the start of the run, and how many."""

    since: float
    seconds: float


class Absence:
    """Notices that a target does not respond, and waits until it does; nothing is sent meanwhile.

    One call at a time probes it. Only a target that has responded before can be away: where nothing
    ever responds, there is nothing to wait for. `say` gets what happens, in one line.
    """

    def __init__(self, wait: Callable[[float], None], clock: Callable[[], float]) -> None:
        self._wait = wait
        self._clock = clock
        self._turn = threading.Lock()
        self.responded_to: Sending | None = None  # the first request with a response of its own
        self.is_gone = False
        self.periods: list[Period] = []
        self.say: Callable[[str], object] = lambda _: None

    def check(self, budget: Budget) -> None:
        """Let a wait for the target end; Inconclusive where it counts as gone."""
        with self._turn:
            pass
        if self.is_gone:
            budget.note(AWAY)
            raise Inconclusive("the target no longer responds", needs=("a target that responds",))

    def note(self, exchange: Exchange, sending: Sending) -> None:
        """Take notice of the outcome of a request."""
        if self.responded_to is None and not is_unavailable(exchange):
            self.responded_to = sending

    def is_back(self, probe: Callable[[], Exchange]) -> bool:
        """Whether the target responds to a probe, be it after a while; False where it is gone."""
        with self._turn:
            if self.is_gone or self.responded_to is None:
                return False
            began = self._clock()
            first = probe()
            if not is_unavailable(first):
                return True
            since = f"the target does not respond since {began:.0f} s after the start"
            self.say(f"{since}; waiting for up to {PATIENCE:.0f} s")
            try:
                self.is_gone = not self._returns(probe, first.elapsed)
            finally:
                seconds = self._clock() - began
                self.periods.append(Period(round(began, 3), round(seconds, 3)))
            end = "no longer responds" if self.is_gone else "responds again"
            self.say(f"the target {end}, after {seconds:.0f} s")
            return not self.is_gone

    def _returns(self, probe: Callable[[], Exchange], passed: float) -> bool:
        # The pauses are added up: where they take no time, they still come to an end.
        pause = FIRST_PAUSE
        while passed < PATIENCE:
            pause = min(pause, PATIENCE - passed)
            self._wait(pause)
            found = probe()
            if not is_unavailable(found):
                return True
            passed += pause + found.elapsed
            pause = min(2 * pause, LONGEST_PAUSE)
        return False
