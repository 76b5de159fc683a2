"""The client: requests, records, repetitions, and servers that violate HTTP."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from faulty_server import (
    OK,
    TOO_LONG,
    WITHOUT_RESPONSE,
    Behaviour,
    head,
    reset,
    responding,
    served,
)
from scripted_app import ScriptedApp, scripted_response

from conformance import __version__
from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive
from conformance.http import content_coding, dispatcher, outgoing
from conformance.http.budget import Budget
from conformance.http.client import Client
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.http.in_process import InProcess
from conformance.http.network import Network
from conformance.http.redaction import Redactor
from conformance.http.replay import Recording, Unrecorded
from conformance.http.sending import Sending
from conformance.rules import examine
from conformance.target.target import Credential

BOTH = Credential("primary", api_key="key-s3cret", bearer="token-s3cret")
KEY_ONLY = Credential("lacking", api_key="other-s3cret")
SECRETS = {
    "key-s3cret": "$PRIMARY_API_KEY",
    "token-s3cret": "$PRIMARY_BEARER",
    "other-s3cret": "$LACKING_API_KEY",
}
PLAIN = Sending(KEY_ONLY, purpose="look")
ANONYMOUS = Sending(None)
ACCOUNT = Call("account_get")
APPROVAL = Call("review_approve", {"reviewId": "00000000-0000-0000-0000-000000000000"})
APPROVE = Call("review_approve", {"reviewId": "r"}, body=b'{"a": 1}')
BROKEN = RuntimeError("no answer")
FINE, FAILING, AWAY, REJECTED, FORBIDDEN = (
    scripted_response(),
    scripted_response(500),
    scripted_response(503),
    scripted_response(401),
    scripted_response(403),
)


@dataclass
class Bench:
    """A client of a scripted application; `waits` are the seconds it waited, `now` its clock."""

    responses: list[Any]
    rate: float | None = None
    now: float = 1000.0
    waits: list[float] = field(default_factory=list)
    logged: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.script = ScriptedApp(self.responses)
        self.transport = InProcess(self.script, self.waits.append)
        url, redactor = "http://target.test/v1", Redactor(SECRETS)
        self.dispatcher = Dispatcher(
            url,
            openapi.load(),
            self.transport,
            redactor,
            self.rate,
            now=lambda: self.now,
            budget=Budget(requests=None, seconds=None),
        )
        self.begin("item")

    def begin(self, item: str) -> None:
        """The client of the next item."""
        self.client = Client(self.dispatcher, item, self.logged.append)

    @property
    def statuses(self) -> list[tuple[int | None, bool]]:
        """The status of each exchange in the log, and whether it was tried again."""
        return [(exchange.status, exchange.superseded) for exchange in self.logged]


@pytest.fixture
def bench() -> Iterator[Callable[..., Bench]]:
    """Create benches, and close their transports."""
    made: list[Bench] = []

    def make(*responses: Any, rate: float | None = None) -> Bench:
        made.append(Bench(list(responses), rate))
        return made[-1]

    yield make
    for each in made:
        each.dispatcher.close()
        each.transport.close()


@contextmanager
def networked(behave: Behaviour) -> Iterator[Client]:
    """A client of a server with this behaviour."""
    network = Network()
    with served(behave) as url:
        dispatcher = Dispatcher(url, openapi.load(), network, Redactor(SECRETS))
        yield Client(dispatcher, "item", lambda _: None)
        dispatcher.close()
        network.close()


# --- requests and their records ------------------------------------------------------------------


def test_a_call_is_sent_to_the_path_of_its_operation_with_its_arguments(
    bench: Callable[..., Bench],
) -> None:
    """Each path parameter is one segment; the query keeps the order and repeated parameters."""
    each = bench(FINE)
    call = Call(
        "comment_list", {"reviewId": "a/b ü"}, (("limit", "1"), ("x", "ö&"), ("limit", "2"))
    )
    exchange = each.client.send(call, PLAIN)
    approval = each.client.send(APPROVE, PLAIN)

    (first, _), (second, body) = each.script.requests
    assert first["raw_path"] == b"/v1/reviews/a%2Fb%20%C3%BC/comments"
    assert first["query_string"] == b"limit=1&x=%C3%B6%26&limit=2"
    assert (second["method"], second["raw_path"], second["query_string"], body) == (
        "POST",
        b"/v1/reviews/r/approve",
        b"",
        b'{"a": 1}',
    )
    assert (
        exchange.request.url
        == "http://target.test/v1/reviews/a%2Fb%20%C3%BC/comments?limit=1&x=%C3%B6%26&limit=2"
    )
    assert (exchange.request.method, exchange.request.body) == ("GET", None)
    approved = ("POST", "http://target.test/v1/reviews/r/approve", b'{"a": 1}')
    assert (approval.request.method, approval.request.url, approval.request.body) == approved


def test_a_request_has_user_agent_accept_and_content_type_headers(
    bench: Callable[..., Bench],
) -> None:
    """Content-Type is present only with a body, and only if the call has one."""
    each = bench(FINE)
    each.client.send(ACCOUNT, ANONYMOUS)
    each.client.send(APPROVE, ANONYMOUS)
    each.client.send(replace(APPROVE, content_type=None), ANONYMOUS)

    common = {
        "host": "target.test",
        "accept": "application/json",
        "accept-encoding": "gzip, deflate",
    }
    common["user-agent"] = f"localization-api-conformance/{__version__}"
    length = {"content-length": "8"}
    assert each.script.headers == [
        common,
        {**common, **length, "content-type": "application/json"},
        {**common, **length},
    ]
    stated = {name: common[name] for name in ("accept", "accept-encoding", "user-agent")}
    recorded = [dict(exchange.request.headers) for exchange in each.logged]
    assert recorded == [stated, {**stated, "content-type": "application/json"}, stated]


def test_a_credential_is_sent_by_its_scheme_and_recorded_by_the_name_of_its_variable(
    bench: Callable[..., Bench],
) -> None:
    """The header follows the specification; the exchange contains nothing of the secret."""
    each = bench(FINE)
    by_key = each.client.send(ACCOUNT, Sending(BOTH, "api-key"))
    by_bearer = each.client.send(ACCOUNT, Sending(BOTH, "bearer"))

    assert [(sent.get("x-api-key"), sent.get("authorization")) for sent in each.script.headers] == [
        ("key-s3cret", None),
        (None, "Bearer token-s3cret"),
    ]
    assert (by_key.credential, by_key.scheme, by_key.request.headers[-1]) == (
        "primary",
        "api-key",
        ("x-api-key", "$PRIMARY_API_KEY"),
    )
    assert (by_bearer.scheme, by_bearer.request.headers[-1]) == (
        "bearer",
        ("authorization", "Bearer $PRIMARY_BEARER"),
    )
    assert "s3cret" not in repr(each.logged)


def test_requests_without_a_scheme_alternate_between_those_of_the_credential(
    bench: Callable[..., Bench],
) -> None:
    """The number of the exchange selects the scheme, so that a repeated run sends the same."""
    each = bench(FINE)
    schemes = [each.client.send(ACCOUNT, Sending(BOTH)).scheme for _ in range(4)]

    assert schemes == ["bearer", "api-key", "bearer", "api-key"]
    assert each.client.send(ACCOUNT, ANONYMOUS).scheme is None
    assert each.client.send(ACCOUNT, ANONYMOUS).credential is None
    assert each.client.send(ACCOUNT, Sending(None, "bearer")).status == 200


def test_a_secret_may_contain_every_octet_that_a_header_allows(bench: Callable[..., Bench]) -> None:
    """Secrets are encoded as Latin-1."""
    each = bench(FINE)
    each.client.send(ACCOUNT, Sending(Credential("x", api_key="schlüssel-ÿ")))

    assert (b"x-api-key", "schlüssel-ÿ".encode("latin-1")) in each.script.requests[0][0]["headers"]


def test_a_sending_can_override_headers_method_and_url(
    bench: Callable[..., Bench],
) -> None:
    """A header replaces the one with the same name; a URL replaces that of the operation."""
    each = bench(FINE)
    exchange = each.client.send(
        ACCOUNT,
        Sending(None, headers=(("accept", "text/plain"), ("x", "key-s3cret")), method="HEAD"),
    )
    elsewhere = each.client.send(ACCOUNT, Sending(None, url="http://target.test/mcp"))
    each.client.send(ACCOUNT, Sending(None, url="http://target.test/mcp", method="POST"))

    assert each.script.headers[0]["accept"] == "text/plain"
    assert each.script.headers[0]["x"] == "key-s3cret"
    assert ("x", "$PRIMARY_API_KEY") in exchange.request.headers
    lines = [(scope["method"], scope["path"]) for scope, _ in each.script.requests]
    assert lines == [("HEAD", "/v1/account"), ("GET", "/mcp"), ("POST", "/mcp")]
    assert (elsewhere.request.method, elsewhere.request.url) == ("GET", "http://target.test/mcp")


def test_a_streamed_body_has_no_content_length(bench: Callable[..., Bench]) -> None:
    """It is chunked, and the record states it."""
    each = bench(FINE)
    exchange = each.client.send(APPROVE, replace(ANONYMOUS, stream=True))
    plain = each.client.send(ACCOUNT, replace(ANONYMOUS, stream=True))

    assert each.script.requests[0][1] == b'{"a": 1}'
    assert each.script.headers[0]["transfer-encoding"] == "chunked"
    assert "content-length" not in each.script.headers[0]
    assert ("transfer-encoding", "chunked") in exchange.request.headers
    assert "transfer-encoding" not in dict(plain.request.headers)


def test_exchanges_are_numbered_within_their_item(bench: Callable[..., Bench]) -> None:
    """Numbers start at 1 and follow the order of the calls."""
    each = bench(FINE)
    each.client.send(ACCOUNT, ANONYMOUS)
    each.client.send_all([ACCOUNT, ACCOUNT], [ANONYMOUS, ANONYMOUS])
    each.begin("next")
    last = each.client.send(
        ACCOUNT, replace(ANONYMOUS, in_contract=False, judge_arguments=False, purpose="look")
    )

    assert [exchange.id for exchange in each.logged] == ["item#1", "item#2", "item#3", "next#1"]
    assert (last.purpose, last.in_contract, last.judge_arguments, last.call) == (
        "look",
        False,
        False,
        ACCOUNT,
    )
    assert (
        each.logged[0].in_contract,
        each.logged[0].judge_arguments,
        each.logged[0].superseded,
    ) == (
        True,
        True,
        False,
    )


def test_an_exchange_has_its_start_time_and_duration(bench: Callable[..., Bench]) -> None:
    """Both are in seconds; the start counts from the creation of the client."""
    each = bench(FINE)

    class Slow(ScriptedApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            each.now += 0.25
            await super().__call__(scope, receive, send)

    each.dispatcher.transport = InProcess(Slow([FINE]), each.waits.append)
    each.now += 2.0
    exchange = each.client.send(ACCOUNT, ANONYMOUS)
    each.dispatcher.transport.close()

    assert (exchange.started, exchange.elapsed) == (2.0, 0.25)


def test_a_response_is_recorded_with_lower_case_header_names(bench: Callable[..., Bench]) -> None:
    """Octets beyond ASCII are decoded as Latin-1."""
    each = bench((404, [(b"X-One", b"1"), (b"x-two", b"\xff")], b"gone"))
    exchange = each.client.send(ACCOUNT, ANONYMOUS)

    assert exchange.response is not None
    assert (exchange.response.status, exchange.response.headers, exchange.response.body) == (
        404,
        (("x-one", "1"), ("x-two", "ÿ")),
        b"gone",
    )


# --- transient errors ----------------------------------------------------------------------------


def test_a_429_is_repeated_after_its_retry_after(bench: Callable[..., Bench]) -> None:
    """Seconds, a date by the clock of the target, or one second; each attempt is logged."""
    dated = scripted_response(
        429, retry_after="Fri, 20 Nov 2026 23:49:49 GMT", date="Fri, 20 Nov 2026 23:49:42 GMT"
    )
    each = bench(
        scripted_response(429, retry_after="3"),
        dated,
        scripted_response(429),
        scripted_response(429, retry_after="0"),
        FINE,
    )
    exchange = each.client.send(ACCOUNT, PLAIN)

    assert each.waits == [3.0, 7.0, 1.0]
    assert each.dispatcher.waiting.waited == 11.0
    assert each.statuses == [(429, True), (429, True), (429, True), (429, True), (200, False)]
    assert (exchange.number, exchange.purpose) == (5, "again after #4: look")
    assert [one.is_repeated for one in each.logged] == [False, True, True, True, True]


def test_a_persistent_429_is_the_response(bench: Callable[..., Bench]) -> None:
    """It counts after ten more attempts."""
    each = bench(scripted_response(429, retry_after="1"))
    exchange = each.client.send(ACCOUNT, PLAIN)

    assert (exchange.status, exchange.superseded, len(each.waits), len(each.logged)) == (
        429,
        False,
        10,
        11,
    )


def test_calls_that_are_throttled_together_wait_once(bench: Callable[..., Bench]) -> None:
    """They wait for the longest Retry-After; a call that is throttled again waits again."""
    each = bench(
        *(scripted_response(429, retry_after=seconds) for seconds in ("3", "2", "5")),
        FINE,
        scripted_response(429, retry_after="4"),
        FINE,
    )
    exchanges = each.client.send_all([ACCOUNT] * 3, [PLAIN] * 3)

    assert each.waits == [3.0, 4.0]
    assert [(exchange.status, exchange.number) for exchange in exchanges] == [
        (200, 4),
        (200, 6),
        (200, 7),
    ]


def test_the_other_scheme_waits_for_its_whole_retry_after(
    bench: Callable[..., Bench],
) -> None:
    """Earlier waiting for other calls does not count towards it."""
    each = bench(
        scripted_response(429, retry_after="3"),
        REJECTED,
        FINE,
        scripted_response(429, retry_after="2"),
        FINE,
    )
    exchanges = each.client.send_all([ACCOUNT] * 2, [Sending(BOTH)] * 2)

    assert each.waits == [3.0, 2.0]
    assert [exchange.status for exchange in exchanges] == [200, 200]


def test_waiting_before_a_call_does_not_shorten_its_own(
    bench: Callable[..., Bench],
) -> None:
    """This holds for a single call and for several calls."""
    each = bench(
        scripted_response(429, retry_after="3"),
        FINE,
        scripted_response(429, retry_after="3"),
        FINE,
        scripted_response(429, retry_after="3"),
        FINE,
    )
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT, PLAIN)
    each.client.send_all([ACCOUNT], [PLAIN])

    assert each.waits == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(("seconds", "waits"), [("90", [90.0]), ("91", [])])
def test_a_retry_after_above_90_seconds_is_not_waited_for(
    bench: Callable[..., Bench], seconds: str, waits: list[float]
) -> None:
    """The client waits 90 seconds, but not 91."""
    for throttled in (
        scripted_response(429, retry_after=seconds),
        scripted_response(503, retry_after=seconds),
    ):
        each = bench(throttled, FINE)
        each.client.send(ACCOUNT, PLAIN)
        assert each.waits == waits


@pytest.mark.parametrize(("waited", "waits"), [(355.0, [5.0]), (355.5, [])])
def test_a_run_has_a_total_waiting_budget(
    bench: Callable[..., Bench], waited: float, waits: list[float]
) -> None:
    """The budget is 360 seconds."""
    for throttled in (
        scripted_response(429, retry_after="5"),
        scripted_response(503, retry_after="5"),
    ):
        each = bench(throttled, FINE)
        each.dispatcher.waiting.waited = waited
        each.client.send(ACCOUNT, PLAIN)
        assert each.waits == waits


@pytest.mark.parametrize(
    "passing",
    [FAILING, scripted_response(502), AWAY, scripted_response(504), BROKEN],
    ids=["500", "502", "503", "504", "no response"],
)
def test_a_transient_error_is_attempted_three_times(
    bench: Callable[..., Bench], passing: Any
) -> None:
    """The third response counts."""
    passed, stayed = bench(passing, passing, FINE), bench(passing)
    assert passed.client.send(ACCOUNT, PLAIN).status == 200
    assert [superseded for _, superseded in passed.statuses] == [True, True, False]

    stayed.client.send(ACCOUNT, PLAIN)
    assert [superseded for _, superseded in stayed.statuses] == [True, True, False]
    assert (passed.waits, stayed.waits) == ([], [])


def test_the_retry_after_of_a_503_is_respected(
    bench: Callable[..., Bench],
) -> None:
    """Retry-After of a 500 or 502 is ignored."""
    each = bench(
        scripted_response(503, retry_after="4"), scripted_response(502, retry_after="4"), FINE
    )
    each.client.send(ACCOUNT, PLAIN)

    assert each.waits == [4.0]


def test_throttling_and_transient_errors_are_counted_separately(
    bench: Callable[..., Bench],
) -> None:
    """Two 500 among many 429 are repeated, and so are ten 429 among two 500."""
    throttled = scripted_response(429, retry_after="0")
    each = bench(throttled, throttled, throttled, FAILING, throttled, FAILING, throttled, FINE)
    assert each.client.send(ACCOUNT, PLAIN).status == 200

    each = bench(FAILING, *[throttled] * 5, FAILING, *[throttled] * 5, FAILING, FINE)
    assert each.client.send(ACCOUNT, PLAIN).status == 500

    each = bench(FAILING, *[throttled] * 5, FAILING, *[throttled] * 6, FINE)
    assert each.client.send(ACCOUNT, PLAIN).status == 429


@pytest.mark.parametrize("status", [200, 400, 403, 404, 409, 413, 422, 501, 505])
def test_other_responses_are_not_repeated(bench: Callable[..., Bench], status: int) -> None:
    """The client makes one request."""
    each = bench(scripted_response(status))
    assert (each.client.send(ACCOUNT, PLAIN).status, len(each.logged)) == (status, 1)


def test_broken_connections_do_not_hide_a_500(bench: Callable[..., Bench]) -> None:
    """A 500 between broken connections counts; one that does not return gives no response."""
    statuses = [bench(*responses).client.send(ACCOUNT, PLAIN).status for responses in (
        (FAILING, BROKEN, BROKEN, BROKEN, FAILING, FINE),
        (BROKEN, FAILING, BROKEN, FINE),
        (FAILING, *[BROKEN] * 6),
    )]  # fmt: skip
    assert statuses == [500, 200, None]


@pytest.mark.parametrize(
    "outcome",
    [scripted_response(429, retry_after="1"), FAILING, AWAY, BROKEN],
    ids=["429", "500", "503", "no response"],
)
def test_an_impatient_call_is_not_repeated(bench: Callable[..., Bench], outcome: Any) -> None:
    """It is sent once, and the client does not wait."""
    each = bench(outcome)
    each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert (len(each.logged), each.waits, each.logged[0].superseded) == (1, [], False)


# --- a target that no longer responds ------------------------------------------------------------


def test_a_target_that_is_back_gets_the_call_once_more(bench: Callable[..., Bench]) -> None:
    """Three attempts, probes at growing intervals, and three again; all of it is recorded."""
    each = bench(FINE, *[BROKEN] * 3, BROKEN, AWAY, BROKEN, REJECTED, AWAY, BROKEN, FINE)
    told: list[str] = []
    each.dispatcher.absence.say = told.append
    each.client.send(ACCOUNT, PLAIN)
    exchange = each.client.send(APPROVE, PLAIN)

    assert (exchange.status, exchange.number, exchange.is_repeated) == (200, 11, True)
    assert [wait for wait in each.waits if wait] == [0.5, 1.0, 2.0]
    operations = [line.operation for line in sorted(each.logged, key=lambda line: line.number)]
    assert operations == ["account_get", *["review_approve"] * 3, *["account_get"] * 4,
                          *["review_approve"] * 3]  # fmt: skip
    assert told == [
        "the target does not respond since 0 s after the start; waiting for up to 120 s",
        "the target responds again, after 0 s",
    ]


def test_a_call_that_alone_gets_no_response_is_made_once_more(bench: Callable[..., Bench]) -> None:
    """A target that closes the connection on some calls is not away."""
    each = bench(FINE, *[BROKEN] * 3, FINE, *[BROKEN] * 3, FINE)
    statuses = [each.client.send(ACCOUNT, PLAIN).status for _ in range(3)]

    assert (statuses, each.waits) == ([200, None, 200], [])
    assert len(each.script.requests) == 1 + 3 + 1 + 3 + 1
    assert each.dispatcher.absence.periods == []


def test_a_target_that_no_longer_responds_gets_no_more_calls(bench: Callable[..., Bench]) -> None:
    """After two minutes of probes; the run is then cut short."""
    each = bench(FINE, BROKEN)
    each.client.send(ACCOUNT, PLAIN)
    lost = each.client.send(ACCOUNT, PLAIN)

    assert (lost.response, sum(each.waits)) == (None, 120.0)
    assert each.waits[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0]
    sent = len(each.script.requests)
    for send in (
        lambda: each.client.send(ACCOUNT, PLAIN),
        lambda: each.client.send_all([ACCOUNT], [PLAIN]),
    ):
        with pytest.raises(Inconclusive) as raised:
            send()
        assert (raised.value.message, raised.value.needs) == (
            "the target no longer responds",
            ("a target that responds",),
        )
    assert each.client.send_all([], []) == []
    assert len(each.script.requests) == sent
    assert each.dispatcher.budget.cut == {"away": 2}


def test_a_target_that_never_responded_is_not_waited_for(bench: Callable[..., Bench]) -> None:
    """There is nothing to come back."""
    each = bench(BROKEN)
    assert [each.client.send(ACCOUNT, PLAIN).response for _ in range(2)] == [None, None]

    assert (len(each.script.requests), each.waits) == (2 * 3, [])


def test_what_was_never_sent_does_not_show_that_a_target_is_away(
    bench: Callable[..., Bench],
) -> None:
    """Nor does a response that cannot be decoded."""
    undecodable = scripted_response(200, b"not packed", content_encoding="gzip")
    each = bench(FINE, *[undecodable] * 3, FINE)
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT.asking(cursor="x" * 70_000), PLAIN)

    assert len(each.script.requests) == 4


def test_a_run_that_waits_for_its_target_ends_in_its_time(bench: Callable[..., Bench]) -> None:
    """The call that waits is recorded, and no wait is longer than what is left."""
    each = bench(FINE, BROKEN)
    each.dispatcher.budget = Budget(seconds=3.0, owner="run", now=lambda: each.now)
    each.client.send(ACCOUNT, PLAIN)
    pause = each.waits.append

    def passing(seconds: float) -> None:
        pause(seconds)
        each.now += seconds

    each.transport._advance = passing
    with pytest.raises(Inconclusive, match="the 3 s of the run are over"):
        each.client.send(ACCOUNT, PLAIN)

    assert each.waits == [0.5, 1.0, 1.5]
    assert each.logged[-1].number == 4
    assert each.dispatcher.absence.periods[0].seconds == 3.0


def test_calls_at_once_wait_for_a_target_together(bench: Callable[..., Bench]) -> None:
    """One of them probes; the others make sure that it is back, and go on."""
    each = bench(FINE, *[BROKEN] * 3, BROKEN, FINE)
    each.client.send(ACCOUNT, PLAIN)
    exchanges = each.client.send_all([ACCOUNT] * 3, [PLAIN] * 3)

    assert [exchange.status for exchange in exchanges] == [200, 200, 200]
    assert each.waits == []


# --- two schemes ---------------------------------------------------------------------------------


def test_a_401_with_one_scheme_is_repeated_with_the_other(bench: Callable[..., Bench]) -> None:
    """This holds for single and concurrent calls; both exchanges are recorded."""
    each = bench(REJECTED, FINE)
    exchange = each.client.send(ACCOUNT, Sending(BOTH, purpose="look"))
    assert (exchange.status, exchange.scheme, exchange.purpose) == (
        200,
        "api-key",
        "by the other scheme: look",
    )
    assert each.statuses == [(401, False), (200, False)]
    assert [exchange.number for exchange in each.logged] == [1, 2]

    each = bench(REJECTED, FINE)
    assert [exchange.status for exchange in each.client.send_all([ACCOUNT], [Sending(BOTH)])] == [
        200
    ]


def test_a_read_that_one_scheme_may_not_make_is_made_by_the_other(
    bench: Callable[..., Bench],
) -> None:
    """Only the last response counts; what writes, and what a check sends by a scheme, is left."""
    each = bench(FORBIDDEN, FINE)
    exchange = each.client.send(ACCOUNT, Sending(BOTH))
    assert (exchange.status, exchange.scheme) == (200, "api-key")
    assert each.statuses == [(403, True), (200, False)]

    for call, sending in ((APPROVAL, Sending(BOTH)), (ACCOUNT, Sending(BOTH, "bearer"))):
        each = bench(FORBIDDEN, FINE)
        assert each.client.send(call, sending).status == 403
        assert each.statuses == [(403, False)]


def test_repetitions_after_throttling_keep_the_other_scheme(
    bench: Callable[..., Bench],
) -> None:
    """The number of the exchange no longer selects the scheme."""
    each = bench(REJECTED, scripted_response(429, retry_after="1"), FINE)
    each.client.send(ACCOUNT, Sending(BOTH))

    assert [exchange.scheme for exchange in each.logged] == ["bearer", "api-key", "api-key"]


@pytest.mark.parametrize(
    "sending",
    [Sending(BOTH, "bearer"), PLAIN, ANONYMOUS],
    ids=["requested scheme", "only scheme", "no credential"],
)
def test_a_401_without_another_scheme_is_not_repeated(
    bench: Callable[..., Bench], sending: Sending
) -> None:
    """Nor is a 401 to a request for a particular scheme."""
    each = bench(REJECTED, FINE)
    assert (each.client.send(ACCOUNT, sending).status, len(each.logged)) == (401, 1)


# --- concurrent requests, and the request rate ---------------------------------------------------


def test_responses_are_in_the_order_of_the_calls(bench: Callable[..., Bench]) -> None:
    """A transport without concurrency sends them one after another."""
    each = bench(scripted_response(201), scripted_response(202), scripted_response(203))
    exchanges = each.client.send_all([ACCOUNT] * 3, [PLAIN] * 3)

    assert [(exchange.status, exchange.number) for exchange in exchanges] == [
        (201, 1),
        (202, 2),
        (203, 3),
    ]


def test_calls_and_sendings_must_be_equal_in_number(bench: Callable[..., Bench]) -> None:
    """A mismatch is an error of the check, and is raised at once."""
    with pytest.raises(ValueError, match="shorter"):
        bench(FINE).client.send_all([ACCOUNT] * 2, [PLAIN])


def test_concurrent_calls_and_sendings_must_be_equal_in_number() -> None:
    """The error is raised after the responses have arrived."""
    with (
        networked(
            responding(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")
        ) as sender,
        pytest.raises(ValueError, match="longer"),
    ):
        sender.send_all([ACCOUNT] * 2, [PLAIN] * 3)


def test_concurrent_calls_do_not_exceed_the_concurrency_of_the_transport() -> None:
    """The limit does not depend on the number of processors."""
    under_way, most, lock, meeting = [0], [0], threading.Lock(), threading.Barrier(2)

    def behave(connection: Any) -> None:
        head(connection)
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        meeting.wait(10)  # for two requests; a third one would also be here by now
        with lock:
            under_way[0] -= 1
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")

    with networked(behave) as sender:
        sender.dispatcher.transport.concurrency = 2
        sender.send_all([ACCOUNT] * 12, [PLAIN] * 12)

    assert most == [2]


def test_concurrent_calls_reach_the_concurrency_of_the_transport() -> None:
    """Three requests wait for one another; numbers and responses keep the order of the calls."""
    meeting = threading.Barrier(3)

    def behave(connection: Any) -> None:
        path = head(connection).split()[1]
        meeting.wait(5)
        body = json.dumps({"data": path.decode(), "requestId": ""}).encode()
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%b"
            % (len(body), body)
        )

    with networked(behave) as sender:
        calls = [ACCOUNT.asking(x=str(number)) for number in range(3)]
        exchanges = sender.send_all(calls, [PLAIN] * 3)

    assert [exchange.data for exchange in exchanges] == [
        f"/v1/account?x={number}" for number in range(3)
    ]
    assert [exchange.number for exchange in exchanges] == [1, 2, 3]


def test_calls_with_together_are_all_sent_concurrently(bench: Callable[..., Bench]) -> None:
    """Neither the connections of the transport nor the threads of a default pool limit them."""
    meeting = threading.Barrier(32)

    class Meeting(ScriptedApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            meeting.wait(5)
            await super().__call__(scope, receive, send)

    each = bench(FINE)
    each.dispatcher.transport = InProcess(Meeting([FINE]), each.waits.append)
    exchanges = each.client.send_all([ACCOUNT] * 32, [PLAIN] * 32, together=True)
    each.dispatcher.transport.close()

    assert [exchange.status for exchange in exchanges] == [200] * 32


def test_a_call_with_together_waits_until_all_are_ready(bench: Callable[..., Bench]) -> None:
    """The request rate makes them ready one by one; none is sent before all are ready."""
    waited: list[int] = []

    class Counting(ScriptedApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            waited.append(len(each.waits))
            await super().__call__(scope, receive, send)

    each = bench(FINE, rate=8.0)
    each.dispatcher.transport = InProcess(Counting([FINE]), each.waits.append)
    each.client.send_all([ACCOUNT] * 4, [PLAIN] * 4, together=True)
    each.dispatcher.transport.close()

    assert (sorted(each.waits), waited) == ([0.125, 0.25, 0.375], [3] * 4)


def test_a_call_with_together_does_not_wait_for_one_that_is_not_sent(
    bench: Callable[..., Bench],
) -> None:
    """The run is stopped while some of them are ready, and others are not yet."""
    each = bench(FINE, rate=8.0)

    def advance(seconds: float) -> None:
        each.waits.append(seconds)
        if len(each.waits) == 2:
            each.dispatcher.stop()

    each.dispatcher.transport = InProcess(ScriptedApp([FINE]), advance)
    with pytest.raises(Inconclusive, match="the run was stopped"):
        each.client.send_all([ACCOUNT] * 4, [PLAIN] * 4, together=True)
    each.dispatcher.transport.close()


def test_a_sequential_server_responds_to_concurrent_calls() -> None:
    """There are more calls than connections, and the server handles one at a time."""
    with networked(
        responding(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")
    ) as sender:
        exchanges = sender.send_all([ACCOUNT] * 20, [PLAIN] * 20)

    assert [exchange.status for exchange in exchanges] == [200] * 20


def test_an_invalid_call_does_not_block_concurrent_calls(
    bench: Callable[..., Bench],
) -> None:
    """The cursor of one of two concurrent calls is too long for a URL."""
    each = bench(FINE)
    exchanges = each.client.send_all(
        [ACCOUNT.asking(cursor="x" * 70_000), ACCOUNT],
        [replace(PLAIN, patient=False)] * 2,
        together=True,
    )

    assert [exchange.status for exchange in exchanges] == [None, 200]


def test_the_request_rate_spaces_patient_requests(bench: Callable[..., Bench]) -> None:
    """They are half a second apart; impatient requests are not delayed."""
    each = bench(FINE, rate=2.0)
    each.client.send(ACCOUNT, PLAIN)
    each.now += 0.125
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert (each.waits, each.dispatcher.waiting.waited) == ([0.375], 0.0)


def test_a_slow_caller_is_not_delayed(bench: Callable[..., Bench]) -> None:
    """A request after the start of the next slot is sent at once."""
    each = bench(FINE, rate=200.0)
    each.client.send(ACCOUNT, PLAIN)
    each.now += 0.02
    each.client.send(ACCOUNT, PLAIN)

    assert each.waits == []


# --- data from a hostile target ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "failure"),
    [
        (ACCOUNT.asking(cursor="x" * 70_000), "InvalidURL: a URL or a header of more than 65536 "),
        (Call("project_get", {"projectId": "x" * 70_000}), "InvalidURL: a URL or a header of"),
    ],
)
def test_an_invalid_request_is_an_exchange_without_a_response(
    bench: Callable[..., Bench], call: Call, failure: str
) -> None:
    """A cursor or an id from the target may have any length."""
    each = bench(FINE)
    exchange = each.client.send(call, PLAIN)

    assert exchange.failure is not None
    assert exchange.failure.startswith(failure)
    assert each.script.requests == []


def test_characters_that_cannot_be_encoded_become_question_marks(
    bench: Callable[..., Bench],
) -> None:
    """The JSON of a target may contain lone surrogates."""
    each = bench(FINE)
    each.client.send(ACCOUNT.asking(cursor="a\ud800"), replace(PLAIN, headers=(("x", "\u20ac"),)))
    each.client.send(Call("project_get", {"projectId": "\udfff"}), PLAIN)

    assert each.script.requests[0][0]["query_string"] == b"cursor=a%3F"
    assert each.script.headers[0]["x"] == "?"
    assert each.script.requests[1][0]["raw_path"] == b"/v1/projects/%3F"


def test_an_invalid_host_name_gives_no_response() -> None:
    """Its labels are too long to resolve, or invalid."""
    network = Network()
    for host in ("a" * 70, "a..b", "xn--a"):
        dispatcher = Dispatcher(f"http://{host}/v1", openapi.load(), network, Redactor({}))
        sender = Client(dispatcher, "item", lambda _: None)
        assert sender.send(ACCOUNT, replace(PLAIN, patient=False)).response is None
    network.close()


def test_a_body_is_decompressed_and_an_undecodable_one_is_no_response(
    bench: Callable[..., Bench],
) -> None:
    """An undecodable body is not reported as invalid JSON."""
    packed = scripted_response(200, gzip.compress(b"unpacked", mtime=0), content_encoding="gzip")
    each = bench(packed, scripted_response(200, b"not packed", content_encoding="gzip"))
    response = each.client.send(ACCOUNT, PLAIN).response
    exchange = each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert response is not None
    assert (response.body, response.header("content-encoding")) == (b"unpacked", "gzip")
    assert (exchange.response, exchange.failure) == (
        None,
        "DecodingError: Error -3 while decompressing data: incorrect header check",
    )


def test_the_body_of_a_recording_is_not_decompressed_again(bench: Callable[..., Bench]) -> None:
    """Its headers still name the content coding of the response."""
    each = bench()
    recorded = {
        "status": 200,
        "headers": [["content-encoding", "gzip"]],
        "body": {"text": "unpacked"},
    }
    each.dispatcher.transport = Recording({"item#1": {"response": recorded}})
    response = each.client.send(ACCOUNT, PLAIN).response

    assert response is not None
    assert (response.body, response.header("content-encoding")) == (b"unpacked", "gzip")


@pytest.mark.parametrize(
    ("address", "is_ours", "is_missing"),
    [
        ("http://target.test/v1/account", False, False),
        ("http://target.test/v1/projects", False, True),
        ("http://target.test/v1/$SECRET", False, False),
        ("http://target.test/v1/projects", True, False),
    ],
)
def test_another_suite_gets_no_response_to_another_address(
    address: str, is_ours: bool, is_missing: bool, bench: Callable[..., Bench]
) -> None:
    """It may number its requests otherwise; that of the same suite was altered, which shows."""
    each = bench()
    response = {"status": 200, "headers": [], "body": {"text": "{}"}}
    line = {"request": {"url": address}, "response": response}
    recording = each.dispatcher.transport = Recording({"item#1": line}, is_ours=is_ours)
    with pytest.raises(Unrecorded) if is_missing else nullcontext():
        each.client.send(ACCOUNT, PLAIN)

    assert recording.missing == (["item#1"] if is_missing else [])


def test_a_recorded_failure_is_replayed(bench: Callable[..., Bench]) -> None:
    """The message is the same, so that a replayed run equals the recorded one."""
    each = bench(FINE)
    each.dispatcher.transport = Recording({"item#1": {"failure": "ReadTimeout: timed out: twice"}})
    exchange = each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert (exchange.response, exchange.failure) == (None, "ReadTimeout: timed out: twice")


def test_the_message_of_a_failure_is_short_and_has_no_secrets(bench: Callable[..., Bench]) -> None:
    """The message of the library may quote the response."""
    echo = scripted_response(200, b"", content_encoding="key-s3cret")
    assert (bench(echo).client.send(ACCOUNT, PLAIN).failure or "").endswith(
        "unexpected content coding: $PRIMARY_API_KEY"
    )

    each = bench(FINE)
    url = "http://target.test/" + "\x00" * 10 + "x" * 1000
    exchange = each.client.send(ACCOUNT, replace(PLAIN, url=url))
    assert exchange.failure is not None
    assert len(exchange.failure) <= dispatcher.LONGEST_FAILURE


# --- servers that violate HTTP -------------------------------------------------------------------


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short timeouts, so that the tests are fast."""
    for name, seconds in (("connect", 2.0), ("read", 0.3), ("write", 0.3), ("whole", 0.6)):
        monkeypatch.setitem(outgoing.TIMEOUT, name, seconds)


@pytest.mark.parametrize("behaviour", WITHOUT_RESPONSE.values(), ids=WITHOUT_RESPONSE)
def test_a_server_that_violates_http_gives_no_response_within_the_timeout(
    short_timeouts: None, behaviour: Behaviour
) -> None:
    """The exchange has a failure and no response; no exception is raised."""
    with networked(behaviour) as sender:
        started = time.monotonic()
        exchange = sender.send(ACCOUNT, replace(PLAIN, patient=False))
        took = time.monotonic() - started

    assert exchange.response is None
    assert exchange.failure
    assert took < 3


@pytest.mark.parametrize("behaviour", TOO_LONG.values(), ids=TOO_LONG)
def test_a_body_that_is_too_long_is_cut_and_makes_checks_inconclusive(
    short_timeouts: None, behaviour: Behaviour
) -> None:
    """Status, headers and the beginning are kept; nothing is known of the rest, and rules pass."""
    with networked(behaviour) as sender:
        exchange = sender.send(ACCOUNT, replace(PLAIN, patient=False))

    response = exchange.response
    assert response is not None
    assert response.cut is not None
    assert (response.status, len(response.body)) == (200, content_coding.HEAD)
    assert (response.json, response.is_unreadable) == (MISSING, True)
    with pytest.raises(Inconclusive, match="the response") as problem:
        _ = exchange.json
    assert problem.value.needs == ("limits.max-response-bytes",)
    assert sender.dispatcher.budget.cut == {"max-response-bytes": 1}
    assert exchange.describe() == "200"
    requirements = {each.requirement for each in examine(exchange, openapi.load())}
    assert requirements <= {"response/status", "response/content-type"}


def test_responses_that_something_refers_to_take_up_the_memory_of_a_run() -> None:
    """A response past it is cut; once the earlier ones are released, there is room again."""
    body = b'["' + b"x" * 100_000 + b'"]'
    answering = responding(OK + b"connection: close\r\n\r\n" + body)
    with networked(answering) as sender:
        sender.dispatcher.budget = Budget(memory=250_000)  # compressed, but read as text
        kept = [sender.send(ACCOUNT, PLAIN) for _ in range(3)]
        cut = [each.response.cut is not None for each in kept if each.response]
        assert cut == [False, False, True]
        with pytest.raises(Inconclusive, match="take up its memory"):
            _ = kept[2].json
        kept.clear()
        again = sender.send(ACCOUNT, PLAIN)
    assert again.json == ["x" * 100_000]


def test_headers_that_something_refers_to_take_up_the_memory_of_a_run() -> None:
    """Past it, those are kept that rules read, whatever became of the body."""
    cookies = b"set-cookie: " + b"x" * 90 + b"\r\n"
    answering = responding(OK + cookies * 300 + b"connection: close\r\n\r\n{}")
    with networked(answering) as sender:
        sender.dispatcher.budget = Budget(memory=200_000)
        first, second, third = [sender.send(ACCOUNT, PLAIN).response for _ in range(3)]
    assert first is not None
    assert second is not None
    assert third is not None
    assert (len(first.headers), first.json) == (len(second.headers), {})
    assert third.headers == (("content-type", "application/json"),)
    assert third.cut is not None
    assert third.cut.reason == "the responses that this run remembers take up its memory"


def test_a_closed_port_gives_no_response() -> None:
    """The connection is refused."""
    with served(lambda _: None) as url:
        pass
    network = Network()
    dispatcher = Dispatcher(url, openapi.load(), network, Redactor({}))
    exchange = Client(dispatcher, "item", lambda _: None).send(ACCOUNT, PLAIN)
    network.close()

    assert (exchange.failure or "").startswith("ConnectError")


def test_a_body_is_cut_at_its_content_length() -> None:
    """The rest is not taken for the response to the next request."""
    response = (
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
        b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"
    )
    with networked(responding(response)) as sender:
        exchanges = [sender.send(ACCOUNT, PLAIN) for _ in range(2)]

    assert [exchange.json for exchange in exchanges] == [{}, {}]


@pytest.mark.parametrize("then", [lambda _: None, reset], ids=["closes", "resets"])
@pytest.mark.parametrize("size", [10_000, 4_000_000])
def test_an_early_error_response_is_read(then: Behaviour, size: int) -> None:
    """The server sends a 413 before it has the whole request, and closes the connection."""

    def behave(connection: Any) -> None:
        head(connection)
        connection.sendall(
            b"HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
        )
        then(connection)

    with networked(behave) as sender:
        exchange = sender.send(replace(APPROVE, body=b" " * size), PLAIN)

    assert (exchange.status, exchange.failure) == (413, None)


def test_a_redirect_is_not_followed(bench: Callable[..., Bench]) -> None:
    """Credentials are not sent to another host."""
    each = bench(scripted_response(307, location="http://elsewhere.test/"))
    assert (each.client.send(ACCOUNT, PLAIN).status, len(each.script.requests)) == (307, 1)


def test_cookies_are_not_stored(bench: Callable[..., Bench]) -> None:
    """Requests are independent."""
    each = bench(scripted_response(200, set_cookie="a=b"))
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT, PLAIN)

    assert "cookie" not in each.script.headers[1]
