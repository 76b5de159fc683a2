"""Limits of a run: how long it waits, how often it repeats, how fast it sends, when it gives up."""

import threading
from collections.abc import Callable

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Exchange
from conformance.http.retry import TOO_MANY_REQUESTS, is_transient, retry_after

TRIES = 3
"""Attempts at a call that fails."""
THROTTLES = 10
"""Repetitions of a call that gets 429."""
LONGEST_WAIT = 90.0
"""Seconds of one wait."""
WAITING_BUDGET = 360.0
"""Seconds of all waits of a run."""
SILENCE = 3
"""Calls in a row without a response after which a target counts as gone."""
CHANCES = 5
"""Consecutive items that call a target again that counts as gone."""

Wait = Callable[[float], None]


class Waiting:
    """The seconds that a run has waited for a target; nothing is sent meanwhile."""

    def __init__(self, wait: Wait) -> None:
        self._wait = wait
        self._under_way = threading.Lock()
        self.waited = 0.0

    def is_affordable(self, pause: float) -> bool:
        """Whether the run may wait so long, now and in all."""
        return pause <= LONGEST_WAIT and self.waited + pause <= WAITING_BUDGET

    def pass_by(self) -> None:
        """Let a wait that is under way end."""
        with self._under_way:
            pass

    def wait(self, seconds: float, since: float) -> None:
        """Wait, less what the run has waited already since it had waited `since` seconds."""
        with self._under_way:
            left = seconds - (self.waited - since)
            if left > 0:
                self.waited += left
                self._wait(left)


class Attempts:
    """The attempts at one call.

    Responses 429 do not use up the tries of failures, nor the other way round.
    """

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._throttled = 0
        self._failed = 0
        self._crashed = False

    def pause(self, exchange: Exchange, tries: int) -> float | None:
        """Seconds until the next attempt after this one; None where its outcome counts."""
        self._crashed = self._crashed or exchange.status == 500
        if exchange.status == TOO_MANY_REQUESTS:
            pause = self._after_throttling(exchange)
            self._throttled += 1
        else:
            pause = self._after_failure(exchange, tries)
            self._failed += 1
        affordable = pause is not None and self._waiting.is_affordable(pause)
        return pause if affordable else None

    def _after_throttling(self, exchange: Exchange) -> float | None:
        assert exchange.response is not None
        if self._throttled >= THROTTLES:
            return None
        wanted = retry_after(exchange.response)
        return 1.0 if wanted is None else wanted

    def _after_failure(self, exchange: Exchange, tries: int) -> float | None:
        # A server that crashes may send 500 and hang up: the connections that it leaves broken
        # hide the 500, and use up no tries.
        spared = TRIES if self._crashed and exchange.response is None else 0
        if not is_transient(exchange) or self._failed - spared >= tries - 1:
            return None
        if exchange.response is None or exchange.status != 503:
            return 0.0
        return retry_after(exchange.response) or 0.0


class Silence:
    """Notices that a target no longer responds, and spares it further calls."""

    def __init__(self) -> None:
        self._calls = 0
        self._chances = CHANCES
        self._changing = threading.Lock()

    def begin_item(self) -> None:
        """Give a target that is gone another chance, a bounded number of times."""
        with self._changing:
            if self._calls >= SILENCE and self._chances:
                self._calls = SILENCE - 1
                self._chances -= 1

    def check(self) -> None:
        """Inconclusive where the target counts as gone."""
        if self._calls >= SILENCE:
            raise Inconclusive("the target no longer responds", needs=("a target that responds",))

    def tries(self, exchange: Exchange) -> int:
        """The attempts at a call: one where this call and the one before got no response."""
        return 1 if self._calls and exchange.response is None else TRIES

    def note(self, exchange: Exchange) -> None:
        """Take notice of the outcome of a call."""
        with self._changing:
            if exchange.response is None:
                self._calls += 1
            else:
                self._calls, self._chances = 0, CHANCES


class RequestRate:
    """Spaces requests evenly; `rate` is in requests per second, None: no limit."""

    def __init__(self, rate: float | None, now: Callable[[], float], wait: Wait) -> None:
        self._rate = rate
        self._now = now
        self._wait = wait
        self._next_slot = 0.0
        self._lock = threading.Lock()

    def keep(self) -> None:
        """Wait until the next request may be sent."""
        if self._rate is None:
            return
        with self._lock:
            now = self._now()
            slot = max(now, self._next_slot)
            self._next_slot = slot + 1 / self._rate
        if slot > now:
            self._wait(slot - now)
