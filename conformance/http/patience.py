"""Limits of a run: how long it waits, and how often it repeats a call."""

import threading
from collections.abc import Callable

from conformance.http import quota
from conformance.http.exchange import Exchange
from conformance.http.retry import TOO_MANY_REQUESTS, is_timeout, is_transient, retry_after

TRIES = 3
"""Attempts at a call that fails; one where it takes all of its time."""
THROTTLES = 10
"""Repetitions of a call that gets 429."""
LONGEST_WAIT = 90.0
"""Seconds of one wait."""
LONG = 5.0
"""Seconds of a wait that somebody should know of."""
WAITING_BUDGET = 360.0
"""Seconds of all waits of a run."""

Wait = Callable[[float], None]


class Waiting:
    """The seconds that a run has waited for a target; nothing is sent meanwhile.

    `say` gets a sentence before each long wait.
    """

    def __init__(self, wait: Wait) -> None:
        self.say: Callable[[str], None] = lambda _text: None
        self._wait = wait
        self._under_way = threading.Lock()
        self.waited = 0.0

    @property
    def longest(self) -> float:
        """The seconds that the run may wait now, so that it does not wait too long in all."""
        return min(LONGEST_WAIT, WAITING_BUDGET - self.waited)

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
                if left >= LONG:
                    self.say(f"waiting for {left:.0f} s, as the target asks (429 or 503)")
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

    def pause(self, exchange: Exchange) -> float | None:
        """Seconds until the next attempt after this one; None where its outcome counts."""
        self._crashed = self._crashed or exchange.status == 500
        if exchange.status == TOO_MANY_REQUESTS:
            pause = self._after_throttling(exchange)
            self._throttled += 1
        else:
            pause = self._after_failure(exchange)
            self._failed += 1
        affordable = pause is not None and pause <= self._waiting.longest
        return pause if affordable else None

    def _after_throttling(self, exchange: Exchange) -> float | None:
        assert exchange.response is not None
        if self._throttled >= THROTTLES:
            return None
        return quota.pause(exchange.response)

    def _after_failure(self, exchange: Exchange) -> float | None:
        # A server that crashes may send 500 and hang up: the connections that it leaves broken
        # hide the 500, and use up no tries.
        spared = TRIES if self._crashed and exchange.response is None else 0
        tries = 1 if is_timeout(exchange) else TRIES
        if not is_transient(exchange) or self._failed - spared >= tries - 1:
            return None
        if exchange.response is None or exchange.status != 503:
            return 0.0
        return retry_after(exchange.response) or 0.0
