"""The one client: sends as a credential, keeps the pace, waits the weather out, and records every exchange."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import quote, urlencode

import httpx

from conformance import __version__
from conformance.exchange import Call, Exchange, Request, Response
from conformance.openapi import Contract
from conformance.redaction import Redactor
from conformance.target import Credential
from conformance.transport import Transport
from conformance.verdict import Inconclusive
from conformance.weather import is_transient, retry_after

TRIES = 3
THROTTLES = 10
LONGEST_WAIT = 90.0
WAITING_BUDGET = 300.0
SILENCE = 3
TIMEOUT = {"connect": 5.0, "read": 15.0, "write": 15.0, "pool": 15.0}
LONGEST_BODY = 32 * 1024 * 1024


class Log(Protocol):
    """Takes every exchange, in the order of its number."""

    def __call__(self, exchange: Exchange, /) -> None:
        """Keep one exchange."""


@dataclass(frozen=True)
class Sending:
    """How a call is made: as whom, by which scheme (None: the client's choice), and what for."""

    credential: Credential | None
    scheme: str | None = None
    purpose: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    patient: bool = True
    ordinary: bool = True
    stream: bool = False
    method: str | None = None


@dataclass
class Client:
    """Sends calls to one target.

    `begin` names the item of the run that the following exchanges belong to. Within one item exchanges are numbered from 1
    in the order in which they were asked for, also where they travel at once, so that a run can be repeated against its recording.
    """

    base_url: str
    contract: Contract
    transport: Transport
    redactor: Redactor
    log: Log
    pace: float | None = None
    item: str = ""
    waited: float = 0.0
    _number: int = 0
    _silent: int = 0
    _next_slot: float = 0.0
    _origin: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, item: str) -> None:
        """Exchanges from here on belong to `item`."""
        self.item = item
        self._number = 0

    def send(self, call: Call, sending: Sending) -> Exchange:
        """Make one call; the answer that is left after transient failures and throttling have been waited out.

        Raises Inconclusive where the target has stopped answering at all.
        """
        if self._silent >= SILENCE:
            raise Inconclusive("the target no longer answers", needs=("a target that answers",))
        exchange = self._settle(self._once(call, sending, self._take_number()), sending)
        if exchange.status == 401 and sending.scheme is None:
            return self._by_another_scheme(exchange, sending) or exchange
        return exchange

    def _by_another_scheme(self, refused: Exchange, sending: Sending) -> Exchange | None:
        # Whether each scheme is accepted is a requirement of its own; every other check only needs one that works.
        others = [scheme for scheme in sending.credential.schemes if scheme != refused.scheme] if sending.credential else []
        for scheme in others:
            sending = replace(sending, scheme=scheme, purpose=f"by the other scheme: {sending.purpose}")
            return self._settle(self._once(refused.call, sending, self._take_number()), sending)
        return None

    def send_all(self, calls: Sequence[Call], sendings: Sequence[Sending], *, together: bool = False) -> list[Exchange]:
        """Make many calls, as many at once as the transport likes; `together` starts all of them in the same moment."""
        if not calls:
            return []
        numbers = [self._take_number() for _ in calls]
        workers = len(calls) if together else min(len(calls), self.transport.concurrency)
        if workers == 1:
            first = [self._once(*triple) for triple in zip(calls, sendings, numbers, strict=True)]
        else:
            gate = threading.Barrier(len(calls)).wait if together else None
            with ThreadPoolExecutor(workers) as pool:
                first = list(pool.map(self._once, calls, sendings, numbers, [gate] * len(calls)))
        return [self._settle(exchange, sending) for exchange, sending in zip(first, sendings, strict=True)]

    def _take_number(self) -> int:
        self._number += 1
        return self._number

    def _settle(self, exchange: Exchange, sending: Sending) -> Exchange:
        for attempt in range(THROTTLES):
            pause = self._pause(exchange, attempt) if sending.patient else None
            if pause is None:
                break
            self.log(replace(exchange, superseded=True))
            self._wait(pause)
            again = replace(sending, purpose=f"again after #{exchange.number}: {sending.purpose}")
            exchange = self._once(exchange.call, again, self._take_number())
        self._silent = self._silent + 1 if exchange.response is None else 0
        self.log(exchange)
        return exchange

    def _pause(self, exchange: Exchange, attempt: int) -> float | None:
        """Seconds until the call is worth another try; None where its answer is to be taken as it is."""
        response = exchange.response
        if response is not None and response.status in (429, 503):
            wanted = retry_after(response)
            pause = 1.0 if wanted is None and response.status == 429 else wanted or 0.0
            affordable = (response.status == 429 or attempt < TRIES - 1) and pause <= LONGEST_WAIT and self.waited + pause <= WAITING_BUDGET
            return pause if affordable else None
        return 0.0 if is_transient(exchange) and attempt < TRIES - 1 else None

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.waited += seconds
            self.transport.wait(seconds)

    def _once(self, call: Call, sending: Sending, number: int, gate: Callable[[], object] | None = None) -> Exchange:
        scheme = self._scheme(sending, number)
        request, shown = self._request(call, sending, scheme)
        if sending.patient:
            self._keep_pace()
        if gate is not None:
            gate()
        started = time.monotonic()
        response, failure = self._exchange(request)
        elapsed = time.monotonic() - started
        return Exchange(
            item=self.item,
            number=number,
            call=call,
            purpose=sending.purpose,
            credential=sending.credential.name if sending.credential else None,
            scheme=scheme,
            request=shown,
            response=response,
            failure=failure,
            started=started - self._origin,
            elapsed=elapsed,
            ordinary=sending.ordinary,
        )

    def _scheme(self, sending: Sending, number: int) -> str | None:
        """The scheme asked for; otherwise the credential's schemes take turns, so that traffic shows what only one of them breaks."""
        if sending.credential is None or sending.scheme is not None:
            return sending.scheme
        schemes = sending.credential.schemes
        return schemes[number % len(schemes)]

    def _request(self, call: Call, sending: Sending, scheme: str | None) -> tuple[httpx.Request, Request]:
        """The request to send, and the same request as it may be written down: with `$VARIABLES` for secrets."""
        operation = self.contract.operations[call.operation]
        url = self.base_url + fill(operation.path, call.path)
        if call.query:
            url += "?" + urlencode(call.query)
        headers = [("accept", "application/json"), ("user-agent", f"localization-api-conformance/{__version__}"), *sending.headers]
        if call.body is not None and call.content_type is not None:
            headers.append(("content-type", call.content_type))
        secret: tuple[tuple[str, str], ...] = ()
        public: tuple[tuple[str, str], ...] = ()
        if sending.credential is not None and scheme is not None:
            secret = (authorization(scheme, sending.credential.secret(scheme)),)
            public = (authorization(scheme, sending.credential.variable(scheme)),)
        content = iter([call.body]) if sending.stream and call.body is not None else call.body
        method = sending.method or operation.method
        request = httpx.Request(
            method, url, headers=[*headers, *secret], content=content, extensions={"timeout": TIMEOUT}
        )
        return request, Request(method, self.redactor.text(url), (*self.redactor.headers(headers), *public), call.body)

    def _exchange(self, request: httpx.Request) -> tuple[Response | None, str | None]:
        try:
            answer = self.transport.handle_request(request)
            try:
                body = _read(answer)
            finally:
                answer.close()
        except (httpx.TransportError, httpx.DecodingError, httpx.StreamError) as problem:
            return None, self.redactor.text(f"{type(problem).__name__}: {problem}")
        headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in answer.headers.raw)
        return Response(answer.status_code, headers, body), None

    def _keep_pace(self) -> None:
        if self.pace is None:
            return
        with self._lock:
            now = time.monotonic()
            slot = max(now, self._next_slot)
            self._next_slot = slot + 1 / self.pace
        if slot > now:
            self.transport.wait(slot - now)


def fill(path: str, values: Mapping[str, str]) -> str:
    """A path template with its parameters, each percent-encoded as one segment."""
    return path.format_map({name: quote(value, safe="") for name, value in values.items()})


def authorization(scheme: str, secret: str) -> tuple[str, str]:
    """The header that carries a credential (Authentication)."""
    return ("x-api-key", secret) if scheme == "api-key" else ("authorization", f"Bearer {secret}")


def _read(answer: httpx.Response) -> bytes:
    body = bytearray()
    deadline = time.monotonic() + TIMEOUT["read"] * 2
    for chunk in answer.iter_bytes():
        body += chunk
        if len(body) > LONGEST_BODY or time.monotonic() > deadline:
            raise httpx.ReadTimeout("the response does not end")
    return bytes(body)
