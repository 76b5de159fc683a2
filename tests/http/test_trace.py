"""Headers by which a request is found in the logs of the target."""

import re

import httpx
from reference_client import URL

from conformance.contract import openapi
from conformance.http import serialization
from conformance.http.client import Client
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import Call, Exchange
from conformance.http.redaction import Redactor
from conformance.http.sending import Sending
from conformance.http.trace import Trace


class Answering:
    """A transport that responds 204 and keeps the requests."""

    concurrency = 1

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Keep a request."""
        self.requests.append(request)
        return httpx.Response(204)

    def wait(self, _seconds: float, _since: float | None = None, /) -> None:
        """Wait for nothing."""

    def abort(self) -> None:
        """Nobody waits."""

    def close(self) -> None:
        """Close nothing."""


def sent(trace: Trace | None) -> tuple[Exchange, httpx.Request]:
    """An exchange as it is recorded, and the request that was sent."""
    exchanges: list[Exchange] = []
    transport = Answering()
    dispatcher = Dispatcher(URL, openapi.load(), transport, Redactor({}), trace=trace)
    client = Client(dispatcher, "read::test_it[account_get]", exchanges.append)
    client.send(Call("account_get"), Sending(None, None, "a read"))
    return exchanges[0], transport.requests[0]


def test_a_request_names_its_trace_and_its_exchange() -> None:
    """The headers are recorded as they were sent; the command leaves them out."""
    exchange, request = sent(Trace(1))
    headers = dict(exchange.request.headers)

    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", headers["traceparent"])
    assert headers["x-conformance-exchange"] == exchange.id == "read::test_it[account_get]#1"
    assert {name: request.headers[name] for name in headers} == headers
    assert "trace" not in serialization.curl(
        serialization.document(exchange, Redactor({}))["request"]
    )


def test_without_a_trace_there_are_no_such_headers() -> None:
    """Neither sent nor recorded."""
    exchange, request = sent(None)
    assert not {"traceparent", "x-conformance-exchange"} & set(request.headers)
    assert not {"traceparent", "x-conformance-exchange"} & set(dict(exchange.request.headers))


def test_a_trace_depends_on_the_seed_and_the_exchange_alone() -> None:
    """All exchanges of a run share the trace; each has its own span."""
    spans = [dict(Trace(1).headers(id))["traceparent"].split("-") for id in ("a#1", "a#2")]

    assert Trace(1).headers("a#1") == Trace(1).headers("a#1") != Trace(2).headers("a#1")
    assert spans[0][1] == spans[1][1]
    assert spans[0][2] != spans[1][2]
