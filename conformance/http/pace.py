"""The request rate of a run: as high as its profile allows, and no higher than its target does."""

import threading
from collections.abc import Callable
from math import inf

from conformance.http.exchange import Response
from conformance.http.quota import Quota
from conformance.http.retry import TOO_MANY_REQUESTS

BEGINNING = 40.0
"""Requests per second at which a run begins."""
FASTER = 1.1
"""The factor of each response, until one request is rejected."""
SLOWER = 0.8
"""The factor after a rejection."""
SLOWEST = 0.2
"""Requests per second; of a target that allows fewer, `Retry-After` is respected."""
RECOVERY = 30.0
"""Seconds in which the rate gets back, by equal steps, to where a request was rejected."""
FEWEST = 60
"""Requests that it takes at least."""
PATIENCE = 1.5
"""Recoveries without a rejection after which the rate was evidently too low."""
CATCHING_UP = 1.02
"""The factor of each response from then on."""
TOLERATED = 30
"""Requests without a rejection after which the next one does not make the run slower."""

IDLE = 1.0
"""Seconds without a request, or twice the time between two, after which a run was idle."""

Wait = Callable[[float], None]


class LearnedRate:
    """The requests per second that a target allows, learned from those that it rejects.

    Additive increase, multiplicative decrease: a rejection lowers the rate, to no more than was
    served since the one before; each response raises it a little. Requests that are under way when
    one is rejected belong to the same excess, and change nothing. Moments are those of one clock.
    """

    def __init__(self, highest: float = inf, now: float = 0.0) -> None:
        self.value = min(BEGINNING, highest)
        self._highest = highest
        self._lowered: float | None = None
        self._since = now
        self._last = now
        self._served = 0
        self._first = 0.0
        self._known = (0, 0.0)

    @property
    def found(self) -> float | None:
        """The requests per second that were served at the limit; None where it was not met."""
        if self._lowered is None:
            return None
        served, seconds = self._known
        return served / seconds if seconds else self._first

    def serve(self, sent: float) -> None:
        """Take notice of a request that was not rejected."""
        if sent < self._since:
            return
        if sent > self._last + max(IDLE, 2 / self.value):
            # What was not used meanwhile says nothing about the limit.
            self._since, self._served = sent, 0
        self._last = sent
        self._served += 1
        self.value = min(self._highest, self.value + self._step())

    def _step(self) -> float:
        if self._lowered is None:
            return self.value * (FASTER - 1)
        requests = max(FEWEST, self._lowered * RECOVERY)
        if self._served > PATIENCE * requests:
            return self.value * (CATCHING_UP - 1)
        return self._lowered * (1 / SLOWER - 1) / requests

    def reject(self, sent: float, until: float) -> None:
        """Take notice of a request that was rejected; nothing is sent until a moment."""
        if sent < self._since:
            return
        seconds = max(until - self._since, 1e-3)
        served = self._served / seconds
        if self._lowered is None:
            self._first = served
            self.value = min(self.value * SLOWER, served)
        else:
            self._known = (self._known[0] + self._served, self._known[1] + seconds)
            if self._served < TOLERATED:
                # Few requests say little about a rate.
                self.value = max(self.value / 2, min(self.value * SLOWER, served))
        self.value = self._lowered = max(SLOWEST, self.value)
        self._since = self._last = until
        self._served = 0


class Pace:
    """When the next request may be sent: evenly spaced, by the profile and by what is learned.

    `highest` is in requests per second; None: no limit. Without `learns`, it is the rate.
    """

    def __init__(
        self, highest: float | None, now: Callable[[], float], wait: Wait, *, learns: bool
    ) -> None:
        self._highest = highest or inf
        self._now = now
        self._wait = wait
        self._next = 0.0
        self._turn = threading.Lock()
        self._learning = threading.Lock()
        self._quota = Quota()
        self._rate = LearnedRate(self._highest, now()) if learns else None

    @property
    def found(self) -> float | None:
        """The requests per second that the target allows; None where no limit was met."""
        return self._rate.found if self._rate else None

    def keep(self) -> None:
        """Wait until the next request may be sent."""
        if self._rate is None and self._highest == inf:
            return
        with self._turn:
            now, slot = self._now(), self._next
            if slot > now:
                self._wait(slot - now)
                if self._next > slot:  # meanwhile a request was rejected
                    self._wait(self._next - slot)
            rate = self._rate.value if self._rate else self._highest
            with self._learning:
                self._next = max(now, self._next) + 1 / rate

    def note(self, response: Response, sent: float, longest: float) -> None:
        """Learn from a response; no limit is waited for longer than so many seconds."""
        if self._rate is None:
            return
        with self._learning:
            pause = self._quota.pause(response)
            if pause is not None and pause <= longest:
                until = self._now() + pause
                self._rate.reject(sent, until)
                self._next = max(self._next, until)
            elif response.status != TOO_MANY_REQUESTS:
                self._rate.serve(sent)
