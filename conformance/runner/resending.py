"""Recorded requests sent again, with the credentials of a profile and no more than it allows."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from conformance.contract import api, openapi
from conformance.http import serialization, trace
from conformance.http.client import Client
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import Call, Exchange
from conformance.http.redaction import Redactor
from conformance.http.replay import content
from conformance.http.sending import Sending
from conformance.http.transport import Transport
from conformance.report.document_types import ExchangeEntry
from conformance.target.target import Target

CREDENTIALS = frozenset({"x-api-key", "authorization"})
REMADE = CREDENTIALS | trace.HEADERS | {"transfer-encoding", "content-length", "host"}
"""Headers that are made anew."""


@dataclass(frozen=True)
class Recorded:
    """What a run left behind: its base URL, and the reviews that it approved, in lower case."""

    base_url: str
    approved: Collection[str]


class Resender:
    """Sends recorded requests to a target."""

    def __init__(self, target: Target, transport: Transport, recorded: Recorded) -> None:
        self._target = target
        self._recorded = recorded
        self._redactor = Redactor(_variables(target))
        self._dispatcher = Dispatcher(
            target.base_url,
            openapi.load(),
            transport,
            self._redactor,
            target.limits.requests_per_second,
            target.limits.connections,
        )
        self.begin("replay")

    def begin(self, item: str) -> None:
        """The following requests belong to one finding."""
        self._client = Client(self._dispatcher, item, _unrecorded)

    def close(self) -> None:
        """End the threads that send."""
        self._dispatcher.close()

    def obstacle(self, exchange: ExchangeEntry) -> str | None:
        """Why a request must not, or cannot, be sent again; None where it may."""
        request, name = exchange["request"], exchange["credential"]
        if name is not None and name not in self._target.credentials:
            return f"the profile has no credential {name}"
        if "length" in (request["body"] or {}):
            return "its body was too long to be recorded"
        review = approved_review(exchange)
        if review is None:
            return None
        if not self._target.consent.approve_reviews:
            return "it is an approval, and consent.approve-reviews is not set"
        if review.lower() in self._recorded.approved:
            return "it is an approval of a review that the run has approved"
        listed = {id.lower() for id in self._target.fixtures.approvable_reviews}
        if review.lower() not in listed:
            return "it is an approval of a review that fixtures.approvable-reviews does not list"
        return None

    def send(self, exchange: ExchangeEntry) -> ExchangeEntry:
        """Send a recorded request again; the new exchange. Raises Inconclusive without a target."""
        url = self._url(exchange["request"]["url"])
        sent = self._client.send(call_of(exchange), sending_of(exchange, self._target, url))
        return cast(ExchangeEntry, serialization.document(sent, self._redactor))

    def _url(self, url: str) -> str:
        """The URL at the base URL of the target, or at its tool interface."""
        if url.startswith(self._recorded.base_url):
            return self._target.base_url + url.removeprefix(self._recorded.base_url)
        return url


def call_of(exchange: ExchangeEntry) -> Call:
    """The call of a recorded request; its URL is that of `sending_of`."""
    body = exchange["request"]["body"]
    return Call(
        exchange["operation"],
        query=tuple(parse_qsl(urlsplit(exchange["request"]["url"]).query, keep_blank_values=True)),
        body=None if body is None else content(body),
        content_type=None,
    )


def sending_of(exchange: ExchangeEntry, target: Target, url: str) -> Sending:
    """How a recorded request is sent again, with the credential of the profile."""
    request, name = exchange["request"], exchange["credential"]
    headers = [(name, value) for name, value in request["headers"] if name not in REMADE]
    return Sending(
        target.credentials[name] if name else None,
        exchange["scheme"],
        exchange["purpose"],
        tuple(headers),
        in_contract=False,
        stream=["transfer-encoding", "chunked"] in request["headers"],
        method=request["method"],
        url=url,
    )


def approved_review(exchange: ExchangeEntry) -> str | None:
    """The review that a request would approve, by either interface; "" where it names none."""
    request = exchange["request"]
    if request["method"] == "GET":
        return None
    path = request["url"].partition("?")[0]
    approval = api.load().approval.id
    parameters = _parameters(exchange)
    if parameters is not None:
        is_approval = isinstance(parameters, dict) and parameters.get("name") == approval
        return str(parameters.get("arguments", {}).get("reviewId", "")) if is_approval else None
    if path.rstrip("/").endswith("/approve"):
        return path.rstrip("/").split("/")[-2]
    return None if exchange["operation"] != approval else ""


def is_tool_call(exchange: ExchangeEntry) -> bool:
    """Whether a request is a message to the tool interface."""
    return _parameters(exchange) is not None


def _parameters(exchange: ExchangeEntry) -> Any:
    """The parameters of a message to the tool interface; None where it is none."""
    try:
        message = json.loads((exchange["request"]["body"] or {}).get("text", ""))
        return message["params"] if "jsonrpc" in message else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _unrecorded(_exchange: Exchange, /) -> None:
    """A replay writes no file."""


def _variables(target: Target) -> dict[str, str]:
    return {
        credential.secret(scheme): credential.variable(scheme)
        for credential in target.credentials.values()
        for scheme in credential.schemes
    }
