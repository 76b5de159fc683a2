"""The rate limit: how many requests a credential may send ("Limits")."""

import math
import threading
from dataclasses import dataclass

from conformance.reference.clock import Clock
from conformance.reference.errors import RateLimited


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `requests` in a burst, and as many again in `seconds`."""

    requests: int
    seconds: float


class RateLimiter:
    """A token bucket for each credential; a request takes one token, time brings them back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def consume(self, credential: str, rate: Rate) -> None:
        """Take a token. RateLimited, with the seconds until there is one, where the bucket is empty."""
        with self._lock:
            tokens = self._tokens(credential, rate)
            if tokens < 1:
                raise RateLimited(_waiting_time(tokens, rate))
            self._buckets[credential] = (tokens - 1, self._clock.now())

    def _tokens(self, credential: str, rate: Rate) -> float:
        """What is in the bucket now: a new one is full."""
        left, since = self._buckets.get(credential, (float(rate.requests), self._clock.now()))
        elapsed = max(0.0, self._clock.now() - since)  # a system's clock may be set back
        return min(rate.requests, left + elapsed * rate.requests / rate.seconds)


def _waiting_time(tokens: float, rate: Rate) -> int:
    """Whole seconds until the bucket holds a token, at least one."""
    seconds = (1 - tokens) * rate.seconds / rate.requests
    return max(1, math.ceil(seconds))
