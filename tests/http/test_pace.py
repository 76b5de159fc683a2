"""The request rate that a run learns: simulated runs against the usual kinds of rate limits."""

import heapq
import math
import random
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from rate_limits import Limit, bucket, fixed_window, sliding_window

from conformance.http.exchange import Response
from conformance.http.pace import LearnedRate, Pace

LIMITS: dict[str, tuple[Callable[[], Limit], float]] = {
    "bucket, 10/s": (lambda: bucket(10, 1), 10),
    "bucket without a burst, 10/s": (lambda: bucket(10, 1, capacity=1), 10),
    "bucket, 100/min": (lambda: bucket(100, 60), 100 / 60),
    "bucket, 50/s": (lambda: bucket(50, 1), 50),
    "bucket, 2/s": (lambda: bucket(2, 1), 2),
    "fixed window, 10/s": (lambda: fixed_window(10, 1), 10),
    "fixed window, 100/min": (lambda: fixed_window(100, 60), 100 / 60),
    "sliding window, 10/s": (lambda: sliding_window(10, 1), 10),
    "sliding window, 100/min": (lambda: sliding_window(100, 60), 100 / 60),
}


class Simulation:
    """A run of so many requests by some threads against a limit, on a clock of its own.

    As in a run, nothing is sent while one request waits as `Retry-After` says.
    """

    def __init__(self, limit: Limit, threads: int, latency: float) -> None:
        self.rate = LearnedRate()
        self.sent = self.rejected = 0
        self.now = 0.0
        self._limit = limit
        self._latency = latency
        self._next = 0.0
        self._order = count()
        self._random = random.Random(1)
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        for _ in range(threads):
            self._at(0.0, self._send)

    def run(self, requests: int) -> "Simulation":
        """Serve so many requests."""
        while self.sent - self.rejected < requests:
            self.now, _, happen, arguments = heapq.heappop(self._events)
            happen(*arguments)
        return self

    def _at(self, moment: float, happen: Callable[..., None], *arguments: Any) -> None:
        heapq.heappush(self._events, (moment, next(self._order), happen, arguments))

    def _send(self) -> None:
        if self._next > self.now:
            self._at(self._next, self._send)
            return
        self._next = self.now + 1 / self.rate.value
        self.sent += 1
        way = self._latency * self._random.uniform(0.4, 0.6)
        self._at(self.now + way, self._arrive, self.now, way)

    def _arrive(self, sent: float, way: float) -> None:
        self._at(self.now + way, self._return, sent, self._limit(self.now))

    def _return(self, sent: float, wait: float | None) -> None:
        if wait is None:
            self.rate.serve(sent, self.now)
        else:
            self.rejected += 1
            until = self.now + max(1, math.ceil(wait))
            self.rate.reject(sent, until)
            self._next = max(self._next, until)
        self._at(self.now, self._send)


@pytest.mark.parametrize("threads", [1, 32])
@pytest.mark.parametrize("name", LIMITS)
def test_few_requests_are_rejected_by_any_kind_of_limit(name: str, threads: int) -> None:
    """Fewer than one in ten, and the run is not much slower than it has to be."""
    limit, allowed = LIMITS[name]
    found = Simulation(limit(), threads, latency=0.05).run(1_000)

    assert found.rejected / found.sent < 0.1
    fastest = min(allowed, threads / 0.05)
    assert 1_000 / found.now > (0.35 if "without" in name else 0.65) * fastest
    assert found.rate.found == (pytest.approx(allowed, rel=0.45) if fastest == allowed else None)


def test_a_far_target_rejects_few_requests_as_well() -> None:
    """Many are under way when the first one is rejected; all of them are one excess."""
    found = Simulation(bucket(10, 1), 32, latency=0.3).run(1_000)

    assert 0 < found.rejected / found.sent < 0.05


def test_without_a_limit_a_run_is_as_fast_as_its_threads() -> None:
    """The rate has no bound, and none is found."""
    found = Simulation(lambda _: None, 32, latency=0.05).run(3_000)

    assert (found.rejected, found.rate.found) == (0, None)
    assert found.now < 1.4 * 3_000 * 0.05 / 32


def test_a_single_rejection_does_not_slow_a_run_down_for_long() -> None:
    """It may have had another reason: without a further one, the rate grows again."""
    rejections = iter([None] * 500 + [1.0])
    found = Simulation(lambda _: next(rejections, None), 32, latency=0.05).run(6_000)

    assert found.rejected == 1
    assert found.now < 30


def test_a_limit_that_was_used_up_before_a_run_says_nothing_of_its_rate() -> None:
    """The first request is rejected: the run begins again, once it may, at half the rate."""
    limit = bucket(50, 1)
    while limit(0.0) is None:
        pass
    found = Simulation(limit, 32, latency=0.05).run(500)

    assert found.rejected / found.sent < 0.1
    assert found.now < 2.5 * 500 / 50


def test_a_limit_that_is_lowered_is_found_anew() -> None:
    """From 50 to 5 requests per second."""
    before, after = bucket(50, 1), bucket(5, 1)
    found = Simulation(lambda now: (before if now < 20 else after)(now), 32, latency=0.05)
    found.run(1_500)

    assert found.rejected / found.sent < 0.1
    assert found.rate.value < 7


@pytest.mark.parametrize("learns", [False, True])
def test_the_rate_of_the_profile_is_the_highest(learns: bool) -> None:
    """Requests are evenly spaced, also where the target would allow more."""
    waits: list[float] = []
    pace = Pace(8.0, lambda: 100.0, waits.append, learns=learns)
    for _ in range(4):
        pace.keep()
        pace.note(Response(200, ()), 100.0, longest=90.0)

    assert waits == [0.125, 0.25, 0.375]


def paced(*responses: Response, longest: float = 90.0) -> tuple[Pace, list[float]]:
    """A pace that has noted these responses, and its waits for the request after them."""
    waits: list[float] = []
    pace = Pace(None, lambda: 100.0, waits.append, learns=True)
    for response in responses:
        pace.note(response, 100.0, longest)
    pace.keep()
    return pace, waits


def test_nothing_is_sent_before_the_limit_allows_it() -> None:
    """As a 429 says, or a response that uses the limit up."""
    served = Response(200, (("x-ratelimit-remaining", "1"), ("x-ratelimit-reset", "7")))
    last = Response(200, (("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "7")))
    assert paced(Response(429, (("retry-after", "3"),)))[1] == [3.0]
    assert paced(served, last)[1] == [7.0]
    assert paced(served)[1] == []


def test_a_limit_that_takes_too_long_is_not_waited_for() -> None:
    """The 429 is then the response, and nothing is learned from it."""
    pace, waits = paced(Response(429, (("retry-after", "3600"),)))

    assert (pace.found, waits) == (None, [])
