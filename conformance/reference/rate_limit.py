"""The rate limit of a credential ("Limits")."""

import math
import threading
from dataclasses import dataclass

from conformance.reference.clock import Clock
from conformance.reference.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `requests` in a burst; they are available again after `seconds`."""

    requests: int
    seconds: float


class RateLimiter:
    """A token bucket for each credential; a request consumes one token."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def consume(self, credential: str, rate: Rate) -> None:
        """Consume a token; raise RateLimited, with the seconds to wait, if the bucket is empty."""
        with self._lock:
            tokens = self._tokens(credential, rate)
            if tokens < 1:
                raise RateLimited(_waiting_time(tokens, rate))
            self._buckets[credential] = (tokens - 1, self._clock.now())

    def _tokens(self, credential: str, rate: Rate) -> float:
        """The current number of tokens; a new bucket is full."""
        left, since = self._buckets.get(credential, (float(rate.requests), self._clock.now()))
        elapsed = max(0.0, self._clock.now() - since)  # the system clock may be set back
        return min(rate.requests, left + elapsed * rate.requests / rate.seconds)


def _waiting_time(tokens: float, rate: Rate) -> int:
    """The time until the bucket holds a token, in whole seconds, at least 1."""
    seconds = (1 - tokens) * rate.seconds / rate.requests
    return max(1, math.ceil(seconds))
