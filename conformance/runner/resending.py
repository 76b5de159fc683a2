"""Recorded requests sent again, with the credentials of a profile and no more than it allows."""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, cast

from conformance import __version__
from conformance.contract import openapi
from conformance.http import proxy, secrecy, serialization
from conformance.http.budget import Budget
from conformance.http.client import Client
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import Call, Exchange
from conformance.http.outgoing import authorization
from conformance.http.redaction import Redactor
from conformance.http.sending import Sending
from conformance.http.transport import Transport
from conformance.report.document_types import ExchangeEntry
from conformance.runner.recorded_headers import SESSION, VERSION, Header, NotSent
from conformance.runner.recorded_request import (
    THROTTLED,
    Interface,
    Repetition,
    normal,
    repetition,
    with_made_up,
)
from conformance.target.target import Target

MOST_REQUESTS, LONGEST = 1_000, 600.0
"""The requests and the seconds for all that is sent again: a report of a long run has much."""

LARGE = 64 * 1024
"""Bytes of a body that is sent only where the target may get oversized ones."""

CLIENT = {"name": "localization-api-conformance", "version": __version__}


@dataclass(frozen=True)
class Recorded:
    """What a run left behind: its base URL, its seed, and the reviews that it approved."""

    base_url: str
    seed: int
    approved: Collection[str]


class Resender:
    """Sends recorded requests to a target, as far as its profile allows them."""

    def __init__(self, target: Target, transport: Transport, recorded: Recorded) -> None:
        self._target = with_made_up(target, recorded.seed)
        self._base_url = recorded.base_url
        self._approved = set(map(normal, recorded.approved))
        self._redactor = Redactor({**target.variables, **proxy.secrets()})
        secrecy.protect(target.variables)
        self._dispatcher = Dispatcher(
            target.base_url,
            openapi.load(),
            transport,
            self._redactor,
            target.limits.requests_per_second,
            target.limits.connections,
            budget=Budget(requests=MOST_REQUESTS, seconds=LONGEST),
            gateway=target.gateway,
        )
        self.begin("replay")

    def begin(self, item: str) -> None:
        """The following requests belong to one finding, and to new sessions of the tools."""
        self._client = Client(self._dispatcher, item, _unrecorded)
        self._sessions: dict[object, str | None] = {}

    def close(self) -> None:
        """End the threads that send."""
        self._dispatcher.close()

    def obstacle(self, exchange: ExchangeEntry) -> str | None:
        """Why a request must not, or cannot, be sent again; None where it may."""
        try:
            self._allowed(exchange)
        except NotSent as reason:
            return str(reason)
        return None

    def send(self, exchange: ExchangeEntry) -> Exchange:
        """Send a recorded request again; the new exchange, which the rules can judge.

        Raises NotSent where it must not be sent, and Inconclusive without a target.
        """
        request = self._allowed(exchange)
        session = self._session(request) if request.needs_session else ()
        sent = self._send(request, exchange["purpose"], session)
        return replace(sent, call=request.call, in_contract=request.interface is Interface.API)

    def _allowed(self, exchange: ExchangeEntry) -> Repetition:
        """The request to send. Raises NotSent where the target is not to get it."""
        request = repetition(exchange, self._base_url, self._target)
        reason = self._without_consent(request)
        if reason is not None:
            raise NotSent(reason)
        return request

    def _without_consent(self, request: Repetition) -> str | None:
        consent = self._target.consent
        if len(request.body or b"") > LARGE and not consent.oversized_bodies:
            return "it has a large body, and consent.oversized-bodies is not set"
        callers = {credential.name for _, credential in request.secrets}
        if THROTTLED in callers and not consent.exhaust_rate_limit:
            return "it uses up a rate limit, and consent.exhaust-rate-limit is not set"
        if request.review is None:
            return None
        review = normal(request.review)
        is_other = review not in map(normal, self._target.fixtures.approvable_reviews)
        if not (consent.approve_reviews or (consent.fuzz_writes and is_other)):
            return "it is an approval, and consent.approve-reviews is not set"
        if review in self._approved:
            return "it is an approval of a review that the run has approved"
        return None

    def _session(self, request: Repetition) -> tuple[Header, ...]:
        """The header of a session of the caller, which is begun once; () where there is none."""
        if request.secrets not in self._sessions:
            self._sessions[request.secrets] = self._begun(request)
        session = self._sessions[request.secrets]
        return () if session is None else ((SESSION, session),)

    def _begun(self, request: Repetition) -> str | None:
        """A new session, by a handshake in the version of a request; None without one."""
        version = dict(request.headers).get(VERSION, "")
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
        shake: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": params,
        }
        message = replace(request, body=json.dumps(shake).encode())
        response = self._send(message, "shake hands").response
        session = response.header(SESSION) if response else None
        if session is not None:
            done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            message = replace(request, body=json.dumps(done).encode())
            self._send(message, "complete the handshake", ((SESSION, session),))
        return session

    def _send(
        self, request: Repetition, purpose: str, session: tuple[Header, ...] = ()
    ) -> Exchange:
        """Send a request with the secrets of the profile."""
        (scheme, caller), *others = request.secrets or ((None, None),)
        beside = (authorization(each, other.secret(each)) for each, other in others)
        headers = (*request.headers, *beside, *session)
        sending = Sending(
            caller,
            scheme,
            purpose,
            headers,
            frozenset({"accept"} - {name for name, _ in headers}),
            in_contract=False,
            stream=request.is_streamed,
            method=request.method,
            url=request.url(self._target),
        )
        call = Call(request.operation, body=request.body, content_type=None)
        return self._client.send(call, sending)

    def document(self, exchange: Exchange) -> ExchangeEntry:
        """A new exchange as a report shows it."""
        return cast(ExchangeEntry, serialization.document(exchange, self._redactor))


def _unrecorded(_exchange: Exchange, /) -> None:
    """A replay writes no file."""
