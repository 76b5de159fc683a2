"""Rate limits of the usual kinds, and references on loopback sockets that have one."""

import json
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import live_server

from conformance.reference import Reference

Limit = Callable[[float], float | None]
"""The seconds to wait, at a moment at which a request is rejected; None where it is served."""


def bucket(requests: int, seconds: float, capacity: int | None = None) -> Limit:
    """A token bucket, which is filled evenly."""
    most = float(capacity or requests)
    rate = requests / seconds
    tokens, last = most, 0.0

    def limit(now: float) -> float | None:
        nonlocal tokens, last
        tokens, last = min(most, tokens + (now - last) * rate), now
        if tokens < 1:
            return (1 - tokens) / rate
        tokens -= 1
        return None

    return limit


def fixed_window(requests: int, seconds: float) -> Limit:
    """So many requests in each window; the first one has begun already."""
    window, served = -1, 0

    def limit(now: float) -> float | None:
        nonlocal window, served
        current, passed = divmod(now + seconds / 3, seconds)
        if current != window:
            window, served = int(current), 0
        served += 1
        return seconds - passed if served > requests else None

    return limit


def sliding_window(requests: int, seconds: float) -> Limit:
    """So many requests in any time of this length."""
    served: deque[float] = deque()

    def limit(now: float) -> float | None:
        while served and served[0] <= now - seconds:
            served.popleft()
        if len(served) >= requests:
            return served[0] + seconds - now
        served.append(now)
        return None

    return limit


class Limited(Reference):
    """A reference behind a gateway with a rate limit; `statuses` counts its responses.

    `limit` makes a limit; with `by_key` each credential has one of its own. `headers` are those of
    every response, where a served one says what remains.
    """

    def __init__(self, limit: Callable[[], Limit], *, by_key: bool = False) -> None:
        super().__init__()
        self.statuses: Counter[int] = Counter()
        self._limit = limit
        self._limits: dict[bytes, Limit] = {}
        self._by_key = by_key
        self._counting = threading.Lock()
        inner = self.app

        async def app(scope: Any, receive: Any, send: Any) -> None:
            wait = self._wait(dict(scope.get("headers", ()))) if scope["type"] == "http" else None
            if wait is None:
                await inner(scope, receive, self._noting(send))
            else:
                await _reject(self._noting(send), math.ceil(wait))

        self.app: Any = app

    @property
    def rejected(self) -> float:
        """The share of its responses that are 429."""
        return self.statuses[429] / self.statuses.total()

    def _wait(self, headers: dict[bytes, bytes]) -> float | None:
        caller = headers.get(b"x-api-key") or headers.get(b"authorization", b"")
        with self._counting:
            limit = self._limits.setdefault(caller if self._by_key else b"", self._limit())
            return limit(time.monotonic())

    def _noting(self, send: Any) -> Any:
        async def noting(message: Any) -> None:
            if message["type"] == "http.response.start":
                with self._counting:
                    self.statuses[message["status"]] += 1
            await send(message)

        return noting


async def _reject(send: Any, seconds: int) -> None:
    body = json.dumps({"code": "rate_limited", "requestId": "of the gateway"}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", str(max(1, seconds)).encode()),
    ]
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def served(reference: Limited) -> Iterator[dict[str, Any]]:
    """The profile of a served reference, without a rate of its own and without `throttled`."""
    with live_server.instance(reference) as profile:
        profile["limits"].pop("requests-per-second", None)
        del profile["credentials"]["throttled"]
        yield profile
