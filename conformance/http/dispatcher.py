"""What all clients of a run share: connections, request rate, waiting, absence, tokens, threads."""

import errno
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import httpx

from conformance.contract.openapi import Contract
from conformance.contract.verdict import Inconclusive
from conformance.http import content_coding, tls_demands, turn
from conformance.http.absence import Absence
from conformance.http.budget import REMEMBERED, TIME, Budget
from conformance.http.exchange import FACT, NOT_SENT, Call, Exchange, Response, exchange_id
from conformance.http.outgoing import Outgoing, Requests
from conformance.http.pace import Pace
from conformance.http.patience import Waiting
from conformance.http.redaction import Redactor
from conformance.http.renewal import Renewal
from conformance.http.sending import Sending
from conformance.http.trace import Trace
from conformance.http.transport import RECORDED, RecordedFailure, Transport
from conformance.target.connection import Gateway

LONGEST_FAILURE = 400
"""Characters of the description of a failed connection."""

MOST_AT_ONCE = 32
"""Requests that a run has under way at once, unless the profile allows fewer."""

FAILURES = (httpx.TransportError, httpx.DecodingError, httpx.StreamError, UnicodeError)
"""Exceptions of the transport that a target, or its name, causes."""

GRACE = 2.0
"""Seconds after the time of a run for a request that is under way."""

KEPT = frozenset(
    {"content-type", "date", "location", "mcp-session-id", "retry-after", "www-authenticate"}
)
"""The headers of a response that rules and tools read, where the memory does not suffice."""

SCARCE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""The errors of a machine that has nothing left for a further connection."""

Gate = Callable[[], object]


class Request(NamedTuple):
    """A call, how it is made, and its number in an item."""

    item: str
    number: int
    call: Call
    sending: Sending


class Sent(NamedTuple):
    """An exchange, the seconds that the run had waited when its request was sent, and its making.

    `made` is when the request was made, on the clock of the run: no token in it is newer.
    """

    exchange: Exchange
    since: float
    made: float


@dataclass
class Dispatcher:
    """Sends requests to one target, for every item of a run and from any thread.

    `rate` is in requests per second; None: as fast as the target allows. `connections` is the
    number of requests that may be under way at once; None: MOST_AT_ONCE.
    """

    base_url: str
    contract: Contract
    transport: Transport
    redactor: Redactor
    rate: float | None = None
    connections: int | None = None
    now: Callable[[], float] = time.monotonic
    budget: Budget = field(default_factory=Budget)
    trace: Trace | None = None
    gateway: Gateway = field(default_factory=Gateway)
    waiting: Waiting = field(init=False)

    def __post_init__(self) -> None:
        self.waiting = Waiting(self._sleep)
        self.renewal = Renewal()
        self.origin = self.now()
        self.absence = Absence(self._sleep, lambda: self.now() - self.origin)
        self._requests = Requests(
            self.base_url, self.contract, self.redactor, self.trace, self.gateway
        )
        # Where nothing can be under way at once, no time passes: there is no rate to learn.
        learns = self.transport.concurrency > 1
        self.pace = Pace(self.rate, self.now, self._sleep, learns=learns)
        self._at_once = min(MOST_AT_ONCE, self.connections or MOST_AT_ONCE)
        self._connection = threading.Semaphore(self._at_once)
        self._places = self._at_once
        self._free = threading.Condition()
        self._threads: dict[int, ThreadPoolExecutor] = {}
        self._barriers: set[threading.Barrier] = set()
        self._starting = threading.Lock()
        self.is_stopped = threading.Event()

    @property
    def concurrency(self) -> int:
        """The number of requests that may usefully be under way at once."""
        return min(self._at_once, self.transport.concurrency)

    def stop(self) -> None:
        """Send nothing any more, and wait for no response."""
        self.is_stopped.set()
        self.transport.abort()
        self._release()

    def close(self) -> None:
        """End the threads that send."""
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)
        self._release()

    def _release(self) -> None:
        """Let nobody wait for requests that are not sent any more."""
        for barrier in list(self._barriers):
            barrier.abort()

    # --- requests at once --------------------------------------------------------------------

    def send_all(self, requests: list[Request]) -> list[Sent]:
        """Send requests side by side, as far as it is useful."""
        if self.concurrency == 1 or len(requests) == 1:
            return [self.send(request) for request in requests]
        jobs = (partial(self.send, request) for request in requests)
        return self._collected(jobs, self.concurrency)

    def send_in_the_same_moment(self, requests: list[Request]) -> list[Sent]:
        """Start requests in the same moment, as many at a time as may be under way at once."""
        size = self._at_once
        waves = [requests[start : start + size] for start in range(0, len(requests), size)]
        return [sent for wave in waves for sent in self._wave(wave)]

    def _wave(self, requests: list[Request]) -> list[Sent]:
        if len(requests) == 1:
            return [self.send(requests[0])]
        barrier = threading.Barrier(len(requests))
        jobs = (partial(self._send_beside, barrier, request) for request in requests)
        self._barriers.add(barrier)
        try:
            with self._reserved(len(requests)):
                return self._collected(jobs, self._at_once)
        finally:
            self._barriers.discard(barrier)

    def _send_beside(self, barrier: threading.Barrier, request: Request) -> Sent:
        """Send a request when all others are ready; whoever never is lets the others go on."""

        def gate() -> None:
            with suppress(threading.BrokenBarrierError):
                barrier.wait()
            self._check_stopped()

        try:
            return self.send(request, gate)
        except BaseException:
            barrier.abort()
            raise

    @contextmanager
    def _reserved(self, places: int) -> Iterator[None]:
        """So many places among the requests that wait for one another.

        Together they must not need more threads or connections than there are: none would go on.
        """
        with self._free:
            self._free.wait_for(lambda: self._places >= places)
            self._places -= places
        try:
            yield
        finally:
            with self._free:
                self._places += places
                self._free.notify_all()

    def _collected(self, jobs: Iterable[Callable[[], Sent]], at_once: int) -> list[Sent]:
        threads = self._started(at_once)
        futures = [threads.submit(turn.inherited(job)) for job in jobs]
        return [future.result() for future in futures]

    def _started(self, at_once: int) -> ThreadPoolExecutor:
        # These threads wait for nothing but responses: whoever waits for them makes progress.
        with self._starting:
            if at_once not in self._threads:
                self._threads[at_once] = ThreadPoolExecutor(at_once, "sender")
            return self._threads[at_once]

    # --- one exchange ------------------------------------------------------------------------

    def send(self, request: Request, gate: Gate | None = None) -> Sent:
        """Send one request, once; `gate` is passed right before it."""
        self._check_stopped()
        item, number, call, sending = request
        scheme = _scheme(request)
        if sending.patient:
            self.waiting.pass_by()
            self.pace.keep()
        since = self.waiting.waited
        made = self.now()
        outgoing = self._requests.make(call, sending, scheme, exchange_id(item, number))
        with self._connection:
            if gate is not None:
                gate()
            started = self.now()
            response, failure = self._exchange(outgoing)
            elapsed = self.now() - started
        if response is None:
            self._check_stopped()
        elif sending.patient:
            self.pace.note(response, started, self.waiting.longest)
        started, elapsed = _recorded(outgoing) or (started - self.origin, elapsed)
        exchange = Exchange(
            item=item,
            number=number,
            call=call,
            purpose=sending.purpose,
            credential=sending.credential.name if sending.credential else None,
            scheme=scheme,
            request=outgoing.recorded,
            response=response,
            failure=failure,
            started=started,
            elapsed=elapsed,
            in_contract=sending.in_contract,
            judge_arguments=sending.judge_arguments,
            at_once=gate is not None,
        )
        self.absence.note(exchange, sending)
        return Sent(exchange, since, made)

    def check_present(self) -> None:
        """Let a wait for the target end; Inconclusive where it no longer responds."""
        self.absence.check(self.budget)

    def _check_stopped(self) -> None:
        """Inconclusive in a run that was stopped: no failure of a connection is the target's."""
        if self.is_stopped.is_set():
            raise Inconclusive("the run was stopped", needs=("a run that ends",))

    def _sleep(self, seconds: float) -> None:
        left = self.budget.left
        self.transport.wait(seconds if left is None else max(0.0, min(seconds, left)))

    def _exchange(self, outgoing: Outgoing) -> tuple[Response | None, str | None]:
        if outgoing.request is None:
            return None, self._failure(outgoing.problem)
        left = self.budget.left
        if left is not None:
            if left <= 0:
                self.budget.note(TIME)
                return None, f"{NOT_SENT}the time of the {self.budget.owner} is over"
            stated = outgoing.request.extensions["timeout"]
            timeout = {**stated, "whole": min(stated["whole"], left + GRACE)}
            outgoing.request.extensions["timeout"] = timeout
        try:
            received = self.transport.handle_request(outgoing.request)
            try:
                body, cut = content_coding.read(received, self.budget.longest)
            finally:
                received.close()
        except FAILURES as problem:
            _check_resources(problem)
            return None, self._failure(problem)
        headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in received.headers.raw
        )
        return self._admitted(Response(received.status_code, headers, body, cut)), None

    def _admitted(self, response: Response) -> Response:
        """The response, or its beginning where the memory of the run does not suffice for it."""
        cut, body = response.cut, response.body
        if cut is None:
            body, cut = content_coding.bounded(body)
        headers, held = response.headers, response.held if cut is None else 0
        if not self.budget.admit(response, body if cut is None else b"", headers, held):
            reason = "the responses that this run remembers take up its memory"
            body, cut = content_coding.cut(body, reason, REMEMBERED) if cut is None else (body, cut)
            headers = tuple(pair for pair in headers if pair[0] in KEPT)
        if cut is None:
            return response
        self.budget.note(cut.budget)
        return replace(response, body=body, headers=headers, cut=cut)

    def _failure(self, problem: Exception | None) -> str:
        """The description of a failed connection, without secrets."""
        if isinstance(problem, RecordedFailure):
            return problem.description
        missing = None if problem is None else tls_demands.sentence(problem)
        named = f"{missing} ({type(problem).__name__}" if missing else type(problem).__name__
        text = self.redactor.text(f"{named}: {problem}")[:LONGEST_FAILURE]
        return f"{text})" if missing else text


def _check_resources(problem: BaseException) -> None:
    """Inconclusive where this machine is to blame for a failure, and not the target."""
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in SCARCE:
            needs = "more memory and open files (ulimit -n) on this machine"
            raise Inconclusive(f"not sent: {cause.strerror}", needs=(needs,)) from None
        cause = cause.__cause__ or cause.__context__


def _recorded(outgoing: Outgoing) -> tuple[float, float] | None:
    """The start and the seconds of an exchange that a recording has; None over a network."""
    request = outgoing.request
    return None if request is None else request.extensions.get(RECORDED)


def _scheme(request: Request) -> str | None:
    """The scheme asked for; otherwise the schemes take turns, so that each of them is exercised."""
    sending = request.sending
    if sending.credential is None or sending.scheme is not None:
        return sending.scheme
    # Facts have few requests each: not all of them begin with the same scheme.
    offset = zlib.crc32(request.item.encode()) if request.item.startswith(FACT) else 0
    schemes = sending.credential.schemes
    return schemes[(request.number + offset) % len(schemes)]
