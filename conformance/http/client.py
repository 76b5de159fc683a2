"""The client: sends calls as a credential, repeats transient errors, and records exchanges."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Protocol

import httpx

from conformance.contract.openapi import Contract
from conformance.contract.verdict import Inconclusive
from conformance.http import content_coding
from conformance.http.exchange import AGAIN, Call, Exchange, Response, exchange_id
from conformance.http.outgoing import Outgoing, Requests
from conformance.http.patience import Attempts, RequestRate, Silence, Waiting
from conformance.http.redaction import Redactor
from conformance.http.renewal import Renewal
from conformance.http.sending import Sending
from conformance.http.transport import RecordedFailure, Transport

LONGEST_FAILURE = 400
"""Characters of the description of a failed connection."""

FAILURES = (httpx.TransportError, httpx.DecodingError, httpx.StreamError, UnicodeError)
"""Exceptions of the transport that a target, or its name, causes."""

Request = tuple[Call, Sending, int]
"""A call, how it is made, and its number in the item."""


class Log(Protocol):
    """Receives every exchange, in the order of its number."""

    def __call__(self, exchange: Exchange, /) -> None:
        """Record one exchange."""


@dataclass
class Client:
    """Sends calls to one target.

    `rate` is in requests per second, `connections` the number of requests that may be under way at
    once; None: no limit. `begin` names the item of the run that the following exchanges belong to.
    Within an item they are numbered from 1 in the order in which they were requested, also where
    they are under way at once, so that a run can be repeated against its recording.
    """

    base_url: str
    contract: Contract
    transport: Transport
    redactor: Redactor
    log: Log
    rate: float | None = None
    connections: int | None = None
    item: str = ""
    now: Callable[[], float] = time.monotonic
    waiting: Waiting = field(init=False)

    def __post_init__(self) -> None:
        self.waiting = Waiting(self._sleep)
        self._requests = Requests(self.base_url, self.contract, self.redactor)
        self._rate = RequestRate(self.rate, self.now, self._sleep)
        self._silence = Silence()
        self._renewal = Renewal()
        self._number = 0
        self._origin = self.now()

    def begin(self, item: str) -> None:
        """Exchanges from here on belong to `item`."""
        self.item = item
        self._number = 0
        self._silence.begin_item()

    def send(self, call: Call, sending: Sending) -> Exchange:
        """Make one call; returns the last exchange after all repetitions.

        Raises Inconclusive where the target no longer responds.
        """
        if not sending.probes_liveness:
            self._silence.check()
        since = self.waiting.waited
        first = self._once((call, sending, self._take_number()))
        return self._by_either_scheme(first, sending, since)

    def send_all(
        self, calls: Sequence[Call], sendings: Sequence[Sending], *, together: bool = False
    ) -> list[Exchange]:
        """Make many calls, side by side; `together` starts all of them in the same moment.

        No more than `connections` are under way at once; `together` then starts so many at a
        time. Raises Inconclusive where the target no longer responds.
        """
        if not calls:
            return []
        self._silence.check()
        numbers, since = [self._take_number() for _ in calls], self.waiting.waited
        requests = list(zip(calls, sendings, numbers, strict=True))
        if together:
            size = self._bounded(len(calls))
            waves = [requests[start : start + size] for start in range(0, len(calls), size)]
            first = [exchange for wave in waves for exchange in self._same_moment(wave)]
        else:
            workers = self._bounded(min(len(calls), self.transport.concurrency))
            first = self._side_by_side(requests, workers)
        return self._all_by_either_scheme(first, sendings, since)

    # --- requests at once --------------------------------------------------------------------

    def _bounded(self, wanted: int) -> int:
        """The number of requests that may be under way at once where so many are wanted."""
        return wanted if self.connections is None else min(wanted, self.connections)

    def _same_moment(self, requests: Sequence[Request]) -> list[Exchange]:
        gate = threading.Barrier(len(requests))
        return self._side_by_side(requests, len(requests), gate.wait)

    def _side_by_side(
        self,
        requests: Sequence[Request],
        workers: int,
        gate: Callable[[], object] | None = None,
    ) -> list[Exchange]:
        if workers == 1:
            return [self._once(request) for request in requests]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda request: self._once(request, gate), requests))

    def _all_by_either_scheme(
        self, first: Sequence[Exchange], sendings: Sequence[Sending], since: float
    ) -> list[Exchange]:
        # Every exchange is recorded before the first problem of any of them ends the check.
        exchanges: list[Exchange] = []
        problems: list[Inconclusive] = []
        for exchange, sending in zip(first, sendings, strict=True):
            try:
                exchanges.append(self._by_either_scheme(exchange, sending, since))
            except Inconclusive as problem:
                problems.append(problem)
        if problems:
            raise problems[0]
        return exchanges

    # --- repetitions -------------------------------------------------------------------------

    def _by_either_scheme(self, first: Exchange, sending: Sending, since: float) -> Exchange:
        # Each scheme has a requirement of its own; every other check needs one that works.
        last = self._settled(first, sending, since)
        schemes = sending.credential.schemes if sending.credential else ()
        others = [scheme for scheme in schemes if scheme != last.scheme]
        if last.status != 401 or sending.scheme is not None or not others:
            return last
        purpose = f"by the other scheme: {sending.purpose}"
        again = replace(sending, scheme=others[0], purpose=purpose)
        since = self.waiting.waited
        return self._settled(self._once((last.call, again, self._take_number())), again, since)

    def _settled(self, exchange: Exchange, sending: Sending, since: float) -> Exchange:
        """The last exchange after all repetitions; every one is recorded.

        The time waited `since` it was made, for concurrent exchanges, counts for it as well.
        """
        attempts = Attempts(self.waiting)
        while True:
            if self._renewal.is_due(exchange, sending):
                exchange = self._with_new_token(exchange, sending)
                continue
            tries = self._silence.tries(exchange)
            pause = attempts.pause(exchange, tries) if sending.patient else None
            if pause is None:
                break
            self.log(replace(exchange, superseded=True))
            self.waiting.wait(pause - (self.waiting.waited - since))
            since = self.waiting.waited
            exchange = self._again(exchange, sending)
        self._silence.note(exchange)
        self._renewal.note(exchange, sending)
        self.log(exchange)
        return exchange

    def _with_new_token(self, exchange: Exchange, sending: Sending) -> Exchange:
        try:
            self._renewal.renew(exchange, sending, self._origin + exchange.started)
        except Inconclusive:
            self.log(exchange)
            raise
        self.log(replace(exchange, superseded=True))
        again = replace(sending, scheme=exchange.scheme)
        return self._again(exchange, again, ", with a new token")

    def _again(self, exchange: Exchange, sending: Sending, how: str = "") -> Exchange:
        purpose = f"{AGAIN} #{exchange.number}{how}: {sending.purpose}"
        request = (exchange.call, replace(sending, purpose=purpose), self._take_number())
        return replace(self._once(request), is_repeated=True)

    # --- one exchange ------------------------------------------------------------------------

    def _take_number(self) -> int:
        self._number += 1
        return self._number

    def _sleep(self, seconds: float) -> None:
        self.transport.wait(seconds)

    def _once(self, request: Request, gate: Callable[[], object] | None = None) -> Exchange:
        call, sending, number = request
        scheme = _scheme(sending, number)
        if sending.patient:
            self._rate.keep()
        outgoing = self._requests.make(call, sending, scheme, exchange_id(self.item, number))
        if gate is not None:
            gate()
        started = self.now()
        response, failure = self._exchange(outgoing)
        elapsed = self.now() - started
        return Exchange(
            item=self.item,
            number=number,
            call=call,
            purpose=sending.purpose,
            credential=sending.credential.name if sending.credential else None,
            scheme=scheme,
            request=outgoing.recorded,
            response=response,
            failure=failure,
            started=started - self._origin,
            elapsed=elapsed,
            in_contract=sending.in_contract,
            judge_arguments=sending.judge_arguments,
        )

    def _exchange(self, outgoing: Outgoing) -> tuple[Response | None, str | None]:
        if outgoing.request is None:
            return None, self._failure(outgoing.problem)
        try:
            received = self.transport.handle_request(outgoing.request)
            try:
                body = content_coding.read(received)
            finally:
                received.close()
        except FAILURES as problem:
            return None, self._failure(problem)
        headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in received.headers.raw
        )
        return Response(received.status_code, headers, body), None

    def _failure(self, problem: Exception | None) -> str:
        """The description of a failed connection, without secrets."""
        if isinstance(problem, RecordedFailure):
            return problem.description
        return self.redactor.text(f"{type(problem).__name__}: {problem}")[:LONGEST_FAILURE]


def _scheme(sending: Sending, number: int) -> str | None:
    """The scheme asked for; otherwise the schemes take turns, so that each of them is exercised."""
    if sending.credential is None or sending.scheme is not None:
        return sending.scheme
    schemes = sending.credential.schemes
    return schemes[number % len(schemes)]
