"""Sends requests when they are due, whatever became of those before.

There is no library for this in Python that is not a framework: Locust and Molotov drive users who
wait for each response (a closed loop), with an event loop and a command line of their own, and the
tools with an open loop (wrk2, vegeta, k6) are programs of other languages, to which no profile
could give its tokens, gateways and redaction. So a small scheduler sends by the client of a run.

A time counts from the moment at which its request was due, not from that at which it was sent. So a
target that stalls shows in every request of that time: no coordinated omission.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from conformance.http import quota
from conformance.http.client import Client
from conformance.http.dispatcher import Request
from conformance.http.exchange import Call, Exchange, Response
from conformance.http.retry import retry_after
from conformance.http.sending import Sending
from conformance.load.schedule import Schedule
from conformance.load.times import SERVED, THROTTLED, Times

PURPOSE = "how long does it take?"
UNAVAILABLE = 503
TOO_LONG = "responses that are too long"
"""What becomes of a request whose response is not read to its end: it has no time."""

Now = Callable[[], float]


class Pause:
    """Until when the target asks to be left alone."""

    def __init__(self) -> None:
        self._until = 0.0

    def note(self, response: Response, now: float) -> None:
        """Heed a 429, and a 503 that says how long."""
        wanted = retry_after(response) if response.status == UNAVAILABLE else None
        if response.status == THROTTLED:
            wanted = quota.pause(response)
        if wanted is not None:
            self._until = max(self._until, now + wanted)

    def covers(self, moment: float) -> bool:
        """Whether nothing may be sent at a moment."""
        return moment < self._until


class OpenLoop:
    """One measurement; `times` has what became of each operation's requests.

    `latest` is the seconds by which a request was sent after it was due: for want of a free
    connection, or of this machine's time.
    """

    def __init__(self, client: Client, sending: Sending, now: Now = time.monotonic) -> None:
        self._client = client
        self._sending = sending
        self._now = now
        self._pause = Pause()
        self._noting = threading.Lock()
        self._problem: BaseException | None = None
        self.times: dict[str, Times] = {}
        self.latest = 0.0

    def perform(self, schedule: Schedule, calls: Mapping[str, Sequence[Call]]) -> None:
        """Send every request of a schedule, and wait for the last response.

        Raises Inconclusive where this machine cannot send.
        """
        self.times = {operation: Times() for operation in calls}
        dispatcher = self._client.dispatcher
        with ThreadPoolExecutor(dispatcher.concurrency, "load") as threads:
            try:
                self._start_all(schedule.due(calls), threads)
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                dispatcher.stop()
                raise
        if self._problem is not None:
            raise self._problem

    def _start_all(self, due: Iterable[tuple[float, Call]], threads: ThreadPoolExecutor) -> None:
        beginning = self._now()
        for moment, call in due:
            left = beginning + moment - self._now()
            if left > 0:
                self._client.dispatcher.transport.wait(left)
            if self._problem is not None:
                return
            request = self._client.request(call, self._sending)
            sent = threads.submit(partial(self._measure, request, beginning + moment))
            sent.add_done_callback(self._note_problem)

    def _note_problem(self, sent: "Future[None]") -> None:
        self._problem = self._problem or sent.exception()

    def _measure(self, request: Request, due: float) -> None:
        """Send one request, unless the target has asked for a pause."""
        sent = self._now()
        times = self.times[request.call.operation]
        if self._pause.covers(sent):
            with self._noting:
                times.withheld += 1
            return
        exchange = self._client.dispatcher.send(request).exchange
        ended = self._now()
        with self._noting:
            self.latest = max(self.latest, sent - due)
            if exchange.response is not None:
                self._pause.note(exchange.response, ended)
            _note(times, exchange, ended - due)


def _note(times: Times, exchange: Exchange, seconds: float) -> None:
    response = exchange.response
    if response is not None and response.status == SERVED:
        if response.cut is None:
            times.serve(seconds)
        else:
            times.failures[TOO_LONG] += 1
    elif exchange.status == THROTTLED:
        times.throttled += 1
    else:
        times.failures[_named(exchange)] += 1


def _named(exchange: Exchange) -> str:
    """A failure by its status, or by the kind of the connection's failure."""
    if exchange.failure is not None:
        return exchange.failure.partition(":")[0]
    return f"HTTP {exchange.status}"
