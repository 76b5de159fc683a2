"""The request rate of a run: as high as its profile allows, and no higher than its target does."""

import threading
from collections import deque
from collections.abc import Callable
from math import inf

from conformance.http.exchange import Response
from conformance.http.quota import Quota
from conformance.http.retry import TOO_MANY_REQUESTS
from conformance.http.turn import Turn

BEGINNING = 40.0
"""Requests per second at which a run begins."""
FASTER = 5.0
"""What each response adds until one request is rejected, in requests per second."""
MORE_AT_ONCE = 0.25
"""What it adds at most, in requests that are under way at once."""
SLOWER = 0.8
"""The factor after the first rejection."""
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
EXPECTED = 30
"""Requests without a rejection; the fewer there were, the slower the run becomes."""
SMALLEST_STEP, LARGEST_STEP = 0.95, 0.5
"""The factors after a rejection, but the first."""
ABOVE = 1.25
"""The factor by which a rate may exceed what was served: what was saved is served as well."""

RECENT = 4
"""Rejections from which the rate follows that a target allows."""
IDLE = 1.0
"""Seconds without a request, or twice the time between two, after which a run was idle."""

Wait = Callable[[float], None]


class LearnedRate:
    """The requests per second that a target allows, learned from those that it rejects.

    Additive increase, multiplicative decrease: a rejection lowers the rate, the first one to no
    more than was served before it; each response raises it a little. Requests that are under way
    when one is rejected belong to the same excess, and change nothing. Moments are those of one
    clock.
    """

    def __init__(self, highest: float = inf, now: float = 0.0) -> None:
        self.value = min(BEGINNING, highest)
        self._highest = highest
        self._lowered: float | None = None
        self._since = now
        self._last = now
        self._rejections = 0
        self._served = 0
        self._measured = 0
        self._found: deque[float] = deque(maxlen=RECENT)

    @property
    def found(self) -> float | None:
        """The requests per second that the target allows; None where no limit was met."""
        return max(self._found, default=None)

    def serve(self, sent: float, now: float) -> None:
        """Take notice of a request that was not rejected, and of how long that took."""
        if sent < self._since:
            return
        if sent > self._last + max(IDLE, 2 / self.value):
            # What was not used meanwhile says nothing about the limit.
            self._since, self._measured = sent, 0
        self._last = sent
        self._served += 1
        self._measured += 1
        self.value = min(self._highest, self.value + self._step(now - sent))

    def _step(self, elapsed: float) -> float:
        if self._lowered is None:
            return min(FASTER, MORE_AT_ONCE / max(elapsed, 1e-6))
        # The first estimate is rough: the limit may have been used up before.
        seconds = RECOVERY if self._rejections > 1 else 0.0
        requests = max(FEWEST, self._lowered * seconds)
        if self._served > PATIENCE * requests:
            return self.value * (CATCHING_UP - 1)
        return self._lowered * (1 / SLOWER - 1) / requests

    def reject(self, sent: float, until: float) -> None:
        """Take notice of a request that was rejected; nothing is sent until a moment."""
        if sent < self._since:
            return
        if self._lowered is None and not self._served:
            self.value *= LARGEST_STEP  # somebody else has used the limit up
        else:
            self._lower(max(until - self._since, 1e-3))
        self._since = self._last = until
        self._served = self._measured = 0

    def _lower(self, seconds: float) -> None:
        measured = self._measured / seconds
        if self._lowered is None:
            # The one that was rejected is allowed by then.
            self.value = min(self.value * SLOWER, (self._measured + 1) / seconds)
        else:
            step = min(SMALLEST_STEP, self._served / EXPECTED, ABOVE * measured / self.value)
            self.value *= max(LARGEST_STEP, step)
        if self._rejections == 1:
            self._found.clear()  # the first time, a burst may have been served as well
        self._rejections += 1
        self._found.append(measured)
        self.value = self._lowered = max(SLOWEST, self.value)


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
        self._turn = Turn()
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
                self._rate.serve(sent, self._now())
