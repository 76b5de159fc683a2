"""The one client: sends as a credential, keeps the pace, waits the weather out, and records every exchange."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote, urlencode

import httpx

from conformance import __version__
from conformance.contract.openapi import Contract
from conformance.contract.verdict import Inconclusive
from conformance.http import content_coding
from conformance.http.exchange import AGAIN, Call, Exchange, Request, Response, exchange_id
from conformance.http.redaction import Redactor
from conformance.http.retry import is_transient, retry_after
from conformance.http.transport import Transport
from conformance.target.target import Credential
from conformance.target.token import TokenError

TRIES = 3
THROTTLES = 10
LONGEST_WAIT = 90.0
WAITING_BUDGET = 360.0
SILENCE = 3
"""Calls in a row without an answer until the rest of an item is given up, and from the second on none is tried again."""
CHANCES = 5
"""Items in a row that ask a silent target once more."""
TIMEOUT = {"connect": 5.0, "read": 15.0, "write": 15.0, "pool": 15.0, "whole": 60.0}
LONGEST_FAILURE = 400

HEADERS = (
    ("accept", "application/json"),
    (
        "accept-encoding",
        ", ".join(content_coding.CODINGS),
    ),  # without it every coding would be welcome, also those that nobody here can read
    ("user-agent", f"localization-api-conformance/{__version__}"),
)


class Log(Protocol):
    """Takes every exchange, in the order of its number."""

    def __call__(self, exchange: Exchange, /) -> None:
        """Keep one exchange."""


@dataclass(frozen=True)
class Sending:
    """How a call is made: as whom, by which scheme (None: the client's choice), and what for.

    `headers` replace those of the same name. With a `url` the call goes there instead of to its operation's path.
    What `probes_liveness` finds out whether a target answers at all that has stopped to answer other calls.
    """

    credential: Credential | None
    scheme: str | None = None
    purpose: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    patient: bool = True
    in_contract: bool = True
    judge_arguments: bool = True
    stream: bool = False
    method: str | None = None
    url: str | None = None
    probes_liveness: bool = False


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
    connections: int | None = None
    item: str = ""
    now: Callable[[], float] = time.monotonic
    waited: float = 0.0
    _number: int = 0
    _silent: int = 0
    _chances: int = CHANCES
    _next_slot: float = 0.0
    _origin: float = field(init=False)
    _accepted_tokens: set[tuple[str, str]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._origin = self.now()

    def begin(self, item: str) -> None:
        """Exchanges from here on belong to `item`."""
        self.item = item
        self._number = 0
        if self._silent >= SILENCE and self._chances:
            self._silent = SILENCE - 1
            self._chances -= 1

    def send(self, call: Call, sending: Sending) -> Exchange:
        """Make one call; the answer that is left after transient failures and throttling have been waited out.

        Raises Inconclusive where the target has stopped answering at all.
        """
        if not sending.probes_liveness:
            self._listen()
        return self._accepted(self._once(call, sending, self._take_number()), sending, self.waited)

    def _listen(self) -> None:
        if self._silent >= SILENCE:
            raise Inconclusive("the target no longer answers", needs=("a target that answers",))

    def _accepted(self, first: Exchange, sending: Sending, since: float) -> Exchange:
        # Whether each scheme is accepted is a requirement of its own; every other check only needs one that works.
        settled = self._settle(first, sending, since)
        others = (
            [scheme for scheme in sending.credential.schemes if scheme != settled.scheme]
            if sending.credential
            else []
        )
        if settled.status != 401 or sending.scheme is not None or not others:
            return settled
        again = replace(
            sending, scheme=others[0], purpose=f"by the other scheme: {sending.purpose}"
        )
        return self._settle(
            self._once(settled.call, again, self._take_number()), again, self.waited
        )

    def send_all(
        self, calls: Sequence[Call], sendings: Sequence[Sending], *, together: bool = False
    ) -> list[Exchange]:
        """Make many calls, as many at once as the transport likes; `together` starts all of them in the same moment.

        No more than `connections` are under way at once; then `together` starts so many at a time.
        Raises Inconclusive where the target has stopped answering at all.
        """
        if not calls:
            return []
        self._listen()
        numbers, since = [self._take_number() for _ in calls], self.waited
        requests = list(zip(calls, sendings, numbers, strict=True))
        if together:
            size = self._at_once(len(calls))
            waves = [requests[start : start + size] for start in range(0, len(calls), size)]
            first = [exchange for wave in waves for exchange in self._same_moment(wave)]
        else:
            workers = self._at_once(min(len(calls), self.transport.concurrency))
            first = self._side_by_side(requests, workers)
        return self._all_accepted(first, sendings, since)

    def _at_once(self, wanted: int) -> int:
        """How many requests may be under way at once where so many are wanted."""
        return wanted if self.connections is None else min(wanted, self.connections)

    def _same_moment(self, requests: Sequence[tuple[Call, Sending, int]]) -> list[Exchange]:
        gate = threading.Barrier(len(requests))
        return self._side_by_side(requests, len(requests), gate.wait)

    def _side_by_side(
        self,
        requests: Sequence[tuple[Call, Sending, int]],
        workers: int,
        gate: Callable[[], object] | None = None,
    ) -> list[Exchange]:
        if workers == 1:
            return [self._once(*request) for request in requests]

        def once(request: tuple[Call, Sending, int]) -> Exchange:
            return self._once(*request, gate=gate)

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(once, requests))

    def _all_accepted(
        self, first: Sequence[Exchange], sendings: Sequence[Sending], since: float
    ) -> list[Exchange]:
        # Every exchange is recorded before the first problem of any of them ends the check.
        accepted: list[Exchange] = []
        problems: list[Inconclusive] = []
        for exchange, sending in zip(first, sendings, strict=True):
            try:
                accepted.append(self._accepted(exchange, sending, since))
            except Inconclusive as problem:
                problems.append(problem)
        if problems:
            raise problems[0]
        return accepted

    def _take_number(self) -> int:
        self._number += 1
        return self._number

    def _settle(self, exchange: Exchange, sending: Sending, since: float) -> Exchange:
        # What is throttled does not use up the tries of what fails, nor the other way round. What has been waited `since` the
        # exchange was made, for others that travelled with it, counts for it as well.
        throttled = failed = 0
        crashed = False
        while sending.patient or self._is_stale(exchange, sending):
            if self._is_stale(exchange, sending):
                exchange = self._with_new_token(exchange, sending)
                continue
            crashed = crashed or exchange.status == 500
            # A server that crashes may answer 500 and hang up: the connections that it leaves broken hide that answer, and use up no tries.
            spared = TRIES if crashed and exchange.response is None else 0
            pause = (
                self._pause_throttled(exchange, throttled)
                if exchange.status == 429
                else self._pause_failed(exchange, failed - spared)
            )
            if pause is None:
                break
            throttled, failed = (
                (throttled + 1, failed) if exchange.status == 429 else (throttled, failed + 1)
            )
            self.log(replace(exchange, superseded=True))
            self._wait(pause - (self.waited - since))
            since = self.waited
            again = replace(sending, purpose=f"{AGAIN} #{exchange.number}: {sending.purpose}")
            exchange = self._once(exchange.call, again, self._take_number())
        if exchange.response is None:
            self._silent += 1
        else:
            self._silent, self._chances = 0, CHANCES
        self._note_acceptance(exchange, sending)
        self.log(exchange)
        return exchange

    def _is_stale(self, exchange: Exchange, sending: Sending) -> bool:
        """Whether a 401 may mean that a token, accepted until now, has expired.

        No clock takes part in it, so that a recorded run repeats the same requests.
        """
        if exchange.status != 401 or sending.credential is None or exchange.scheme is None:
            return False
        return (sending.credential.name, exchange.scheme) in self._accepted_tokens

    def _with_new_token(self, exchange: Exchange, sending: Sending) -> Exchange:
        """The same request with a new token. Raises Inconclusive where none can be had."""
        assert sending.credential is not None
        assert exchange.scheme is not None
        name, scheme = sending.credential.name, exchange.scheme
        self._accepted_tokens.discard((name, scheme))
        token = sending.credential.token(scheme)
        assert token is not None
        try:
            token.renew(self._origin + exchange.started)
        except TokenError as error:
            self.log(exchange)
            key = f"credentials.{name}.{scheme}"
            raise Inconclusive(
                f"{name} got 401, and the command of {key} {error}",
                needs=(key,),
                exchanges=[exchange.id],
            ) from error
        self.log(replace(exchange, superseded=True))
        purpose = f"{AGAIN} #{exchange.number}, with a new token: {sending.purpose}"
        again = replace(sending, scheme=scheme, purpose=purpose)
        return self._once(exchange.call, again, self._take_number())

    def _note_acceptance(self, exchange: Exchange, sending: Sending) -> None:
        """Remember that a token was accepted: any response of the target's own but 401 shows it."""
        if sending.credential is None or sending.credential.token(exchange.scheme) is None:
            return
        assert exchange.scheme is not None
        if (
            exchange.status is not None
            and exchange.status < 500
            and exchange.status not in {401, 429}
        ):
            self._accepted_tokens.add((sending.credential.name, exchange.scheme))

    def _pause_throttled(self, exchange: Exchange, throttled: int) -> float | None:
        """Seconds until a call that was answered 429 is worth another try; None where the 429 is to be taken as it is."""
        assert exchange.response is not None
        wanted = retry_after(exchange.response)
        pause = 1.0 if wanted is None else wanted
        return pause if throttled < THROTTLES and self._is_affordable(pause) else None

    def _pause_failed(self, exchange: Exchange, failed: int) -> float | None:
        """Seconds until a call that failed is worth another try; None where its outcome is to be taken as it is."""
        tries = 1 if self._silent and exchange.response is None else TRIES
        if not is_transient(exchange) or failed >= tries - 1:
            return None
        pause = (
            retry_after(exchange.response) or 0.0
            if exchange.response is not None and exchange.status == 503
            else 0.0
        )
        return pause if self._is_affordable(pause) else None

    def _is_affordable(self, pause: float) -> bool:
        return pause <= LONGEST_WAIT and self.waited + pause <= WAITING_BUDGET

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self.waited += seconds
            self.transport.wait(seconds)

    def _once(
        self, call: Call, sending: Sending, number: int, gate: Callable[[], object] | None = None
    ) -> Exchange:
        scheme = self._scheme(sending, number)
        if sending.patient:
            self._keep_pace()
        request, shown = self._request(call, sending, scheme, exchange_id(self.item, number))
        if gate is not None:
            gate()
        started = self.now()
        response, failure = (None, request) if isinstance(request, str) else self._exchange(request)
        elapsed = self.now() - started
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
            in_contract=sending.in_contract,
            judge_arguments=sending.judge_arguments,
        )

    def _scheme(self, sending: Sending, number: int) -> str | None:
        """The scheme asked for; otherwise the credential's schemes take turns, so that traffic shows what only one of them breaks."""
        if sending.credential is None or sending.scheme is not None:
            return sending.scheme
        schemes = sending.credential.schemes
        return schemes[number % len(schemes)]

    def _request(
        self, call: Call, sending: Sending, scheme: str | None, id: str
    ) -> tuple[httpx.Request | str, Request]:
        """The request to send, or why there can be none; and the same request as it may be written down: with `$VARIABLES` for secrets."""
        method, url = self._line(call, sending)
        stated = {name for name, _ in sending.headers}
        headers = [(name, value) for name, value in HEADERS if name not in stated] + list(
            sending.headers
        )
        if call.body is not None and call.content_type is not None:
            headers.append(("content-type", call.content_type))
        secret: tuple[tuple[str, str], ...] = ()
        public: tuple[tuple[str, str], ...] = ()
        if sending.credential is not None and scheme is not None:
            value, variable = sending.credential.secret(scheme), sending.credential.variable(scheme)
            if sending.credential.token(scheme) is not None:
                self.redactor.add(value, variable)
            secret, public = (authorization(scheme, value),), (authorization(scheme, variable),)
        content: bytes | Iterator[bytes] | None = call.body
        if sending.stream and call.body is not None:
            content, public = iter([call.body]), (*public, ("transfer-encoding", "chunked"))
        # Secrets and probes may hold any octet of a header's value; as text, httpx would take ASCII alone.
        raw = [
            (name.encode(), value.encode("latin-1", "replace"))
            for name, value in (*headers, *secret)
        ]
        shown = Request(
            method, self.redactor.text(url), (*self.redactor.headers(headers), *public), call.body
        )
        try:
            return httpx.Request(
                method,
                _parsed(url),
                headers=raw,
                content=content,
                extensions={"timeout": TIMEOUT, "exchange": id},
            ), shown
        except (
            httpx.InvalidURL,
            UnicodeError,
        ) as problem:  # a cursor of a hostile target may be of any length
            return self._told(problem), shown

    def _line(self, call: Call, sending: Sending) -> tuple[str, str]:
        """The method and the URL of a call."""
        if sending.url is not None:
            return sending.method or "GET", sending.url
        operation = self.contract.operations[call.operation]
        url = self.base_url + fill(operation.path, call.path)
        query = urlencode(
            call.query, errors="replace"
        )  # a target may hand out a cursor that no encoding can carry
        return sending.method or operation.method, f"{url}?{query}" if call.query else url

    def _exchange(self, request: httpx.Request) -> tuple[Response | None, str | None]:
        try:
            answer = self.transport.handle_request(request)
            try:
                body = content_coding.read(answer)
            finally:
                answer.close()
        except (
            httpx.TransportError,
            httpx.DecodingError,
            httpx.StreamError,
            UnicodeError,
        ) as problem:  # the last for a host's name
            return None, self._told(problem)
        headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in answer.headers.raw
        )
        return Response(answer.status_code, headers, body), None

    def _told(self, problem: Exception) -> str:
        return self.redactor.text(f"{type(problem).__name__}: {problem}")[:LONGEST_FAILURE]

    def _keep_pace(self) -> None:
        if self.pace is None:
            return
        with self._lock:
            now = self.now()
            slot = max(now, self._next_slot)
            self._next_slot = slot + 1 / self.pace
        if slot > now:
            self.transport.wait(slot - now)


@lru_cache(maxsize=1024)
def _parsed(url: str) -> httpx.URL:
    # Taking a URL apart takes as long as all the rest of a request, and most are asked for again and again.
    return httpx.URL(url)


def fill(path: str, values: Mapping[str, str]) -> str:
    """A path template with its parameters, each percent-encoded as one segment."""
    return path.format_map(
        {name: quote(value, safe="", errors="replace") for name, value in values.items()}
    )


def authorization(scheme: str, secret: str) -> tuple[str, str]:
    """The header that carries a credential (Authentication)."""
    return ("x-api-key", secret) if scheme == "api-key" else ("authorization", f"Bearer {secret}")
