"""The client: requests, records, repetitions, and servers that break HTTP."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from faulty_server import WITHOUT_RESPONSE, Behaviour, head, reset, responding, served
from scripted_app import ScriptedApp, scripted_response

from conformance import __version__
from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive
from conformance.http import client, outgoing
from conformance.http.client import Client
from conformance.http.exchange import Call, Exchange
from conformance.http.redaction import Redactor
from conformance.http.replay import Recording
from conformance.http.sending import Sending
from conformance.http.transport import InProcess, Network
from conformance.target.target import Credential

BOTH = Credential("primary", api_key="key-s3cret", bearer="token-s3cret")
KEY_ONLY = Credential("lacking", api_key="other-s3cret")
SECRETS = {
    "key-s3cret": "$PRIMARY_API_KEY",
    "token-s3cret": "$PRIMARY_BEARER",
    "other-s3cret": "$LACKING_API_KEY",
}
PLAIN = Sending(KEY_ONLY, purpose="look")
NOBODY = Sending(None)
ACCOUNT = Call("account_get")
APPROVE = Call("review_approve", {"reviewId": "r"}, body=b'{"a": 1}')
BROKEN = RuntimeError("no answer")
FINE, FAILING, AWAY, REJECTED = (
    scripted_response(),
    scripted_response(500),
    scripted_response(503),
    scripted_response(401),
)


@dataclass
class Bench:
    """A client of a scripted application; `waits` are the seconds it waited, `now` its clock."""

    answers: list[Any]
    rate: float | None = None
    now: float = 1000.0
    waits: list[float] = field(default_factory=list)
    logged: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.script = ScriptedApp(self.answers)
        self.transport = InProcess(self.script, self.waits.append)
        url, redactor = "http://target.test/v1", Redactor(SECRETS)
        self.client = Client(
            url,
            openapi.load(),
            self.transport,
            redactor,
            self.logged.append,
            self.rate,
            now=lambda: self.now,
        )
        self.client.begin("item")

    @property
    def statuses(self) -> list[tuple[int | None, bool]]:
        """The status of each exchange in the log, and whether it was tried again."""
        return [(exchange.status, exchange.superseded) for exchange in self.logged]


@pytest.fixture
def bench() -> Iterator[Callable[..., Bench]]:
    """Makes benches, and gives their loops back."""
    made: list[Bench] = []

    def make(*answers: Any, rate: float | None = None) -> Bench:
        made.append(Bench(list(answers), rate))
        return made[-1]

    yield make
    for each in made:
        each.transport.close()


@contextmanager
def networked(behave: Behaviour) -> Iterator[Client]:
    """A client of a server that does as it likes."""
    network = Network()
    with served(behave) as url:
        yield Client(url, openapi.load(), network, Redactor(SECRETS), lambda _: None, item="item")
        network.close()


# --- what is sent, and what is recorded of it ----------------------------------------------------


def test_a_call_is_sent_to_the_path_of_its_operation_with_its_arguments(
    bench: Callable[..., Bench],
) -> None:
    """Each path parameter is one segment; the query keeps order and repetition."""
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


def test_headers_say_who_calls_and_what_is_understood(bench: Callable[..., Bench]) -> None:
    """A content type only with a body, and only where the call has one."""
    each = bench(FINE)
    each.client.send(ACCOUNT, NOBODY)
    each.client.send(APPROVE, NOBODY)
    each.client.send(replace(APPROVE, content_type=None), NOBODY)

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
    """The header as specified; nothing of the secret in the exchange."""
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


def test_without_a_scheme_those_of_a_credential_take_turns(bench: Callable[..., Bench]) -> None:
    """By the number of the exchange, so that a repeated run does the same."""
    each = bench(FINE)
    schemes = [each.client.send(ACCOUNT, Sending(BOTH)).scheme for _ in range(4)]

    assert schemes == ["bearer", "api-key", "bearer", "api-key"]
    assert each.client.send(ACCOUNT, NOBODY).scheme is None
    assert each.client.send(ACCOUNT, NOBODY).credential is None
    assert each.client.send(ACCOUNT, Sending(None, "bearer")).status == 200


def test_a_secret_may_hold_every_octet_of_a_header(bench: Callable[..., Bench]) -> None:
    """Latin-1, as HTTP knows it."""
    each = bench(FINE)
    each.client.send(ACCOUNT, Sending(Credential("x", api_key="schlüssel-ÿ")))

    assert (b"x-api-key", "schlüssel-ÿ".encode("latin-1")) in each.script.requests[0][0]["headers"]


def test_a_sending_may_name_headers_a_method_and_a_url_of_its_own(
    bench: Callable[..., Bench],
) -> None:
    """A header replaces that of the same name; a URL stands for that of the operation."""
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


def test_a_streamed_body_goes_without_its_length(bench: Callable[..., Bench]) -> None:
    """In chunks, and the record says so."""
    each = bench(FINE)
    exchange = each.client.send(APPROVE, replace(NOBODY, stream=True))
    plain = each.client.send(ACCOUNT, replace(NOBODY, stream=True))

    assert each.script.requests[0][1] == b'{"a": 1}'
    assert each.script.headers[0]["transfer-encoding"] == "chunked"
    assert "content-length" not in each.script.headers[0]
    assert ("transfer-encoding", "chunked") in exchange.request.headers
    assert "transfer-encoding" not in dict(plain.request.headers)


def test_exchanges_are_numbered_within_their_item(bench: Callable[..., Bench]) -> None:
    """From 1, in the order in which they were asked for."""
    each = bench(FINE)
    each.client.send(ACCOUNT, NOBODY)
    each.client.send_all([ACCOUNT, ACCOUNT], [NOBODY, NOBODY])
    each.client.begin("next")
    last = each.client.send(
        ACCOUNT, replace(NOBODY, in_contract=False, judge_arguments=False, purpose="look")
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


def test_an_exchange_knows_when_it_began_and_how_long_it_took(bench: Callable[..., Bench]) -> None:
    """In seconds since the client was made."""
    each = bench(FINE)

    class Slow(ScriptedApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            each.now += 0.25
            await super().__call__(scope, receive, send)

    each.client.transport = InProcess(Slow([FINE]), each.waits.append)
    each.now += 2.0
    exchange = each.client.send(ACCOUNT, NOBODY)
    each.client.transport.close()

    assert (exchange.started, exchange.elapsed) == (2.0, 0.25)


def test_an_answer_is_recorded_with_its_headers_in_lower_case(bench: Callable[..., Bench]) -> None:
    """Octets beyond ASCII as Latin-1."""
    each = bench((404, [(b"X-One", b"1"), (b"x-two", b"\xff")], b"gone"))
    exchange = each.client.send(ACCOUNT, NOBODY)

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
    assert each.client.waiting.waited == 11.0
    assert each.statuses == [(429, True), (429, True), (429, True), (429, True), (200, False)]
    assert (exchange.number, exchange.purpose) == (5, "again after #4: look")
    assert [one.is_repeated for one in each.logged] == [False, True, True, True, True]


def test_a_429_that_stays_counts(bench: Callable[..., Bench]) -> None:
    """After ten more tries."""
    each = bench(scripted_response(429, retry_after="1"))
    exchange = each.client.send(ACCOUNT, PLAIN)

    assert (exchange.status, exchange.superseded, len(each.waits), len(each.logged)) == (
        429,
        False,
        10,
        11,
    )


def test_calls_that_are_throttled_at_once_wait_once(bench: Callable[..., Bench]) -> None:
    """The longest of their pauses; who is throttled once more begins anew."""
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


def test_the_other_scheme_is_given_all_the_time_that_it_asks_for(
    bench: Callable[..., Bench],
) -> None:
    """What was waited for others before it was tried is none of its own."""
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


def test_what_was_waited_for_before_a_call_does_not_count_for_it(
    bench: Callable[..., Bench],
) -> None:
    """Neither for one call, nor for many."""
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
def test_a_pause_has_a_longest_length(
    bench: Callable[..., Bench], seconds: str, waits: list[float]
) -> None:
    """90 seconds are waited, 91 are not."""
    for refused in (
        scripted_response(429, retry_after=seconds),
        scripted_response(503, retry_after=seconds),
    ):
        each = bench(refused, FINE)
        each.client.send(ACCOUNT, PLAIN)
        assert each.waits == waits


@pytest.mark.parametrize(("waited", "waits"), [(355.0, [5.0]), (355.5, [])])
def test_a_run_has_a_budget_for_waiting(
    bench: Callable[..., Bench], waited: float, waits: list[float]
) -> None:
    """360 seconds in all."""
    for refused in (
        scripted_response(429, retry_after="5"),
        scripted_response(503, retry_after="5"),
    ):
        each = bench(refused, FINE)
        each.client.waiting.waited = waited
        each.client.send(ACCOUNT, PLAIN)
        assert each.waits == waits


@pytest.mark.parametrize(
    "passing",
    [FAILING, scripted_response(502), AWAY, scripted_response(504), BROKEN],
    ids=["500", "502", "503", "504", "none"],
)
def test_a_transient_error_is_tried_three_times(bench: Callable[..., Bench], passing: Any) -> None:
    """The third response counts."""
    passed, stayed = bench(passing, passing, FINE), bench(passing)
    assert passed.client.send(ACCOUNT, PLAIN).status == 200
    assert [superseded for _, superseded in passed.statuses] == [True, True, False]

    stayed.client.send(ACCOUNT, PLAIN)
    assert [superseded for _, superseded in stayed.statuses] == [True, True, False]
    assert (passed.waits, stayed.waits) == ([], [])


def test_a_service_that_is_away_is_given_the_time_that_it_names(
    bench: Callable[..., Bench],
) -> None:
    """Retry-After of a 503; that of a 500 or 502 means nothing."""
    each = bench(
        scripted_response(503, retry_after="4"), scripted_response(502, retry_after="4"), FINE
    )
    each.client.send(ACCOUNT, PLAIN)

    assert each.waits == [4.0]


def test_being_throttled_uses_up_no_tries(bench: Callable[..., Bench]) -> None:
    """Two 500 among many 429 are tried again, and ten 429 among two 500."""
    throttled = scripted_response(429, retry_after="0")
    each = bench(throttled, throttled, throttled, FAILING, throttled, FAILING, throttled, FINE)
    assert each.client.send(ACCOUNT, PLAIN).status == 200

    each = bench(FAILING, *[throttled] * 5, FAILING, *[throttled] * 5, FAILING, FINE)
    assert each.client.send(ACCOUNT, PLAIN).status == 500

    each = bench(FAILING, *[throttled] * 5, FAILING, *[throttled] * 6, FINE)
    assert each.client.send(ACCOUNT, PLAIN).status == 429


@pytest.mark.parametrize("status", [200, 400, 403, 404, 409, 413, 422, 501, 505])
def test_other_responses_are_not_repeated(bench: Callable[..., Bench], status: int) -> None:
    """One request."""
    each = bench(scripted_response(status))
    assert (each.client.send(ACCOUNT, PLAIN).status, len(each.logged)) == (status, 1)


def test_what_a_crash_hangs_up_on_hides_no_crash(bench: Callable[..., Bench]) -> None:
    """A 500 between broken connections counts; where it does not return, there is no response."""
    statuses = [bench(*answers).client.send(ACCOUNT, PLAIN).status for answers in (
        (FAILING, BROKEN, BROKEN, BROKEN, FAILING, FINE),
        (BROKEN, FAILING, BROKEN, FINE),
        (FAILING, *[BROKEN] * 6),
    )]  # fmt: skip
    assert statuses == [500, 200, None]


@pytest.mark.parametrize(
    "outcome",
    [scripted_response(429, retry_after="1"), FAILING, AWAY, BROKEN],
    ids=["429", "500", "503", "none"],
)
def test_an_impatient_call_is_not_repeated(bench: Callable[..., Bench], outcome: Any) -> None:
    """It is sent once, and waits for nothing."""
    each = bench(outcome)
    each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert (len(each.logged), each.waits, each.logged[0].superseded) == (1, [], False)


# --- a target that is gone -----------------------------------------------------------------------


def test_a_target_that_no_longer_responds_gets_no_more_calls(bench: Callable[..., Bench]) -> None:
    """Three tries, then one each for two more calls, then none."""
    each = bench(BROKEN)
    failures = [each.client.send(ACCOUNT, PLAIN).failure for _ in range(3)]
    assert failures == ["RemoteProtocolError: the application raised RuntimeError"] * 3
    assert len(each.script.requests) == 5

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
    assert len(each.script.requests) == 5


def test_a_liveness_probe_notices_that_a_target_responds_again(
    bench: Callable[..., Bench],
) -> None:
    """What hangs up on some calls is not gone."""
    each = bench(*[BROKEN] * 5, FINE, FINE)
    silent = [each.client.send(ACCOUNT, PLAIN).response for _ in range(3)]
    found = [
        each.client.send(ACCOUNT, sending).status
        for sending in (replace(PLAIN, probes_liveness=True), PLAIN)
    ]

    assert (silent, found) == ([None] * 3, [200, 200])


def test_five_items_try_a_silent_target_once_more(bench: Callable[..., Bench]) -> None:
    """Five items do; after them nobody does."""
    each = bench(BROKEN)
    asked = []
    for number in range(8):
        each.client.begin(f"item {number}")
        before = len(each.script.requests)
        for _ in range(4):
            try:
                each.client.send(ACCOUNT, PLAIN)
            except Inconclusive:
                break
        asked.append(len(each.script.requests) - before)

    assert asked == [5, 1, 1, 1, 1, 1, 0, 0]


def test_a_response_ends_the_silence(bench: Callable[..., Bench]) -> None:
    """Two silences in a run are two, not one."""
    each = bench(*[BROKEN] * 6, FINE, *[BROKEN] * 12, FINE)
    for _ in range(3):
        each.client.send(ACCOUNT, PLAIN)
    each.client.begin("second")
    each.client.send(ACCOUNT, PLAIN)
    each.client.begin("third")
    assert each.client.send(ACCOUNT, PLAIN).status == 200

    assert [each.client.send(ACCOUNT, PLAIN).status for _ in range(3)] == [None, None, None]
    for number in range(5):
        each.client.begin(f"chance {number}")
        each.client.send(ACCOUNT, PLAIN)
    with pytest.raises(Inconclusive):
        each.client.send(ACCOUNT, PLAIN)
    each.client.begin("none left")
    with pytest.raises(Inconclusive):
        each.client.send(ACCOUNT, PLAIN)


def test_two_silent_calls_are_not_enough(bench: Callable[..., Bench]) -> None:
    """A third one is still made, and a 500 is an answer."""
    each = bench(*[BROKEN] * 4, FAILING)
    statuses = [each.client.send(ACCOUNT, PLAIN).status for _ in range(4)]

    assert statuses == [None, None, 500, 500]
    assert len(each.script.requests) == 4 + 3 + 3


# --- two schemes ---------------------------------------------------------------------------------


def test_a_401_by_one_scheme_is_repeated_by_the_other(bench: Callable[..., Bench]) -> None:
    """Alone and among many; both exchanges are recorded."""
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


def test_repetitions_after_throttling_keep_the_other_scheme(
    bench: Callable[..., Bench],
) -> None:
    """Whose turn it is by the number of the exchange makes no difference then."""
    each = bench(REJECTED, scripted_response(429, retry_after="1"), FINE)
    each.client.send(ACCOUNT, Sending(BOTH))

    assert [exchange.scheme for exchange in each.logged] == ["bearer", "api-key", "api-key"]


@pytest.mark.parametrize(
    "sending",
    [Sending(BOTH, "bearer"), PLAIN, NOBODY],
    ids=["by a scheme", "by the only one", "as nobody"],
)
def test_a_401_without_another_scheme_stays(bench: Callable[..., Bench], sending: Sending) -> None:
    """And so does who asked for this one."""
    each = bench(REJECTED, FINE)
    assert (each.client.send(ACCOUNT, sending).status, len(each.logged)) == (401, 1)


def test_only_a_401_makes_the_other_scheme_worth_a_try(bench: Callable[..., Bench]) -> None:
    """A 403 is about something else."""
    each = bench(scripted_response(403), FINE)
    assert each.client.send(ACCOUNT, Sending(BOTH)).status == 403


# --- many at once, and the request rate ----------------------------------------------------------


def test_many_calls_are_answered_in_their_order(bench: Callable[..., Bench]) -> None:
    """One after the other where the transport likes that."""
    each = bench(scripted_response(201), scripted_response(202), scripted_response(203))
    exchanges = each.client.send_all([ACCOUNT] * 3, [PLAIN] * 3)

    assert [(exchange.status, exchange.number) for exchange in exchanges] == [
        (201, 1),
        (202, 2),
        (203, 3),
    ]


def test_calls_and_sendings_are_as_many(bench: Callable[..., Bench]) -> None:
    """An error of a check, raised at once."""
    with pytest.raises(ValueError, match="shorter"):
        bench(FINE).client.send_all([ACCOUNT] * 2, [PLAIN])


def test_calls_and_sendings_are_as_many_where_they_travel_at_once() -> None:
    """The answers are there by then."""
    with (
        networked(
            responding(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")
        ) as sender,
        pytest.raises(ValueError, match="longer"),
    ):
        sender.send_all([ACCOUNT] * 2, [PLAIN] * 3)


def test_no_more_calls_travel_at_once_than_the_transport_likes() -> None:
    """However many the machine could take."""
    under_way, most, lock, meeting = [0], [0], threading.Lock(), threading.Barrier(2)

    def behave(connection: Any) -> None:
        head(connection)
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        meeting.wait(10)  # two of them are there, and a third one would have been, too
        with lock:
            under_way[0] -= 1
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")

    with networked(behave) as sender:
        sender.transport.concurrency = 2
        sender.send_all([ACCOUNT] * 12, [PLAIN] * 12)

    assert most == [2]


def test_many_calls_travel_as_many_at_once_as_the_transport_likes() -> None:
    """Three that wait for one another over a network; numbers and answers keep their order."""
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


def test_together_means_in_the_same_moment(bench: Callable[..., Bench]) -> None:
    """Also with a transport of one connection, and more calls than a default pool has threads."""
    meeting = threading.Barrier(40)

    class Meeting(ScriptedApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            meeting.wait(5)
            await super().__call__(scope, receive, send)

    each = bench(FINE)
    each.client.transport = InProcess(Meeting([FINE]), each.waits.append)
    exchanges = each.client.send_all([ACCOUNT] * 40, [PLAIN] * 40, together=True)
    each.client.transport.close()

    assert [exchange.status for exchange in exchanges] == [200] * 40


def test_who_is_ready_first_waits_for_the_others(bench: Callable[..., Bench]) -> None:
    """The request rate makes them ready one by one; none is sent before all are ready."""
    waited: list[int] = []

    class Counting(ScriptedApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            waited.append(len(each.waits))
            await super().__call__(scope, receive, send)

    each = bench(FINE, rate=8.0)
    each.client.transport = InProcess(Counting([FINE]), each.waits.append)
    each.client.send_all([ACCOUNT] * 4, [PLAIN] * 4, together=True)
    each.client.transport.close()

    assert (sorted(each.waits), waited) == ([0.125, 0.25, 0.375], [3] * 4)


def test_many_need_not_wait_for_one_another() -> None:
    """More calls than the transport likes at once, and a server that takes one after the other."""
    with networked(
        responding(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}")
    ) as sender:
        exchanges = sender.send_all([ACCOUNT] * 20, [PLAIN] * 20)

    assert [exchange.status for exchange in exchanges] == [200] * 20


def test_a_call_that_cannot_be_made_does_not_hold_up_those_beside_it(
    bench: Callable[..., Bench],
) -> None:
    """Two together, one of them with a cursor that fits into no URL."""
    each = bench(FINE)
    exchanges = each.client.send_all(
        [ACCOUNT.asking(cursor="x" * 70_000), ACCOUNT],
        [replace(PLAIN, patient=False)] * 2,
        together=True,
    )

    assert [exchange.status for exchange in exchanges] == [None, 200]


def test_the_request_rate_spaces_patient_requests(bench: Callable[..., Bench]) -> None:
    """Half a second between two of them; who drives a caller into its limit is not slowed down."""
    each = bench(FINE, rate=2.0)
    each.client.send(ACCOUNT, PLAIN)
    each.now += 0.125
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert (each.waits, each.client.waiting.waited) == ([0.375], 0.0)


def test_a_slow_caller_is_not_held_back(bench: Callable[..., Bench]) -> None:
    """Whoever comes after the next slot has begun goes at once."""
    each = bench(FINE, rate=200.0)
    each.client.send(ACCOUNT, PLAIN)
    each.now += 0.02
    each.client.send(ACCOUNT, PLAIN)

    assert each.waits == []


# --- what a hostile target hands out -------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "failure"),
    [
        (ACCOUNT.asking(cursor="x" * 70_000), "InvalidURL: URL too long"),
        (Call("project_get", {"projectId": "x" * 70_000}), "InvalidURL"),
    ],
)
def test_a_request_that_cannot_be_made_is_an_exchange_without_an_answer(
    bench: Callable[..., Bench], call: Call, failure: str
) -> None:
    """A cursor or an id from the target may be of any length."""
    each = bench(FINE)
    exchange = each.client.send(call, PLAIN)

    assert exchange.failure is not None
    assert exchange.failure.startswith(failure)
    assert each.script.requests == []


def test_what_no_encoding_can_carry_is_sent_all_the_same(bench: Callable[..., Bench]) -> None:
    """A lone surrogate of a target's JSON goes out as a question mark."""
    each = bench(FINE)
    each.client.send(ACCOUNT.asking(cursor="a\ud800"), replace(PLAIN, headers=(("x", "\u20ac"),)))
    each.client.send(Call("project_get", {"projectId": "\udfff"}), PLAIN)

    assert each.script.requests[0][0]["query_string"] == b"cursor=a%3F"
    assert each.script.headers[0]["x"] == "?"
    assert each.script.requests[1][0]["raw_path"] == b"/v1/projects/%3F"


def test_a_host_whose_name_is_none_gives_no_answer() -> None:
    """Its labels are too long to be looked up, or no labels at all."""
    network = Network()
    for host in ("a" * 70, "a..b", "xn--a"):
        sender = Client(f"http://{host}/v1", openapi.load(), network, Redactor({}), lambda _: None)
        assert sender.send(ACCOUNT, replace(PLAIN, patient=False)).response is None
    network.close()


def test_a_body_is_unpacked_and_one_that_cannot_be_is_no_answer(
    bench: Callable[..., Bench],
) -> None:
    """And no ground to say that it is no JSON."""
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


def test_what_a_recording_has_unpacked_is_not_unpacked_again(bench: Callable[..., Bench]) -> None:
    """Its headers still name the coding in which it came."""
    each = bench()
    recorded = {
        "status": 200,
        "headers": [["content-encoding", "gzip"]],
        "body": {"text": "unpacked"},
    }
    each.client.transport = Recording([{"id": "item#1", "response": recorded}])
    response = each.client.send(ACCOUNT, PLAIN).response

    assert response is not None
    assert (response.body, response.header("content-encoding")) == (b"unpacked", "gzip")


def test_a_recorded_failure_fails_as_it_did(bench: Callable[..., Bench]) -> None:
    """With the same words, so that a run can be repeated against its recording."""
    each = bench(FINE)
    each.client.transport = Recording(
        [{"id": "item#1", "failure": "ReadTimeout: timed out: twice"}]
    )
    exchange = each.client.send(ACCOUNT, replace(PLAIN, patient=False))

    assert (exchange.response, exchange.failure) == (None, "ReadTimeout: timed out: twice")


def test_a_failure_is_told_shortly_and_without_secrets(bench: Callable[..., Bench]) -> None:
    """Whatever a target made the library say."""
    echo = scripted_response(200, b"", content_encoding="key-s3cret")
    assert (bench(echo).client.send(ACCOUNT, PLAIN).failure or "").endswith(
        "unexpected content coding: $PRIMARY_API_KEY"
    )

    each = bench(FINE)
    url = "http://target.test/" + "\x00" * 10 + "x" * 1000
    exchange = each.client.send(ACCOUNT, replace(PLAIN, url=url))
    assert exchange.failure is not None
    assert len(exchange.failure) <= client.LONGEST_FAILURE


# --- servers that break HTTP ---------------------------------------------------------------------


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short times, so that nobody has to wait for what never comes."""
    for name, seconds in (("connect", 2.0), ("read", 0.3), ("write", 0.3), ("whole", 0.6)):
        monkeypatch.setitem(outgoing.TIMEOUT, name, seconds)


@pytest.mark.parametrize("behaviour", WITHOUT_RESPONSE.values(), ids=WITHOUT_RESPONSE)
def test_a_server_that_breaks_http_gives_no_answer_and_costs_no_more_than_its_time(
    hurry: None, behaviour: Behaviour
) -> None:
    """The exchange has a failure and no response; nothing hangs, and nothing is raised."""
    with networked(behaviour) as sender:
        started = time.monotonic()
        exchange = sender.send(ACCOUNT, replace(PLAIN, patient=False))
        took = time.monotonic() - started

    assert exchange.response is None
    assert exchange.failure
    assert took < 3


def test_a_port_that_nobody_listens_on_gives_no_answer() -> None:
    """Connection refused."""
    with served(lambda _: None) as url:
        pass
    network = Network()
    exchange = Client(url, openapi.load(), network, Redactor({}), lambda _: None).send(
        ACCOUNT, PLAIN
    )
    network.close()

    assert (exchange.failure or "").startswith("ConnectError")


def test_a_body_that_is_longer_than_announced_is_cut_there() -> None:
    """What is too much is not taken for the answer to the next request."""
    response = (
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
        b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"
    )
    with networked(responding(response)) as sender:
        exchanges = [sender.send(ACCOUNT, PLAIN) for _ in range(2)]

    assert [exchange.json for exchange in exchanges] == [{}, {}]


@pytest.mark.parametrize("then", [lambda _: None, reset], ids=["closes", "resets"])
@pytest.mark.parametrize("size", [10_000, 4_000_000])
def test_a_refusal_before_the_end_of_a_body_is_an_answer(then: Behaviour, size: int) -> None:
    """413 while the body is still on its way, and then nobody is there any more."""

    def behave(connection: Any) -> None:
        head(connection)
        connection.sendall(
            b"HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
        )
        then(connection)

    with networked(behave) as sender:
        exchange = sender.send(replace(APPROVE, body=b" " * size), PLAIN)

    assert (exchange.status, exchange.failure) == (413, None)


def test_a_redirect_is_an_answer_and_is_not_followed(bench: Callable[..., Bench]) -> None:
    """No credential goes anywhere else."""
    each = bench(scripted_response(307, location="http://elsewhere.test/"))
    assert (each.client.send(ACCOUNT, PLAIN).status, len(each.script.requests)) == (307, 1)


def test_cookies_are_not_kept(bench: Callable[..., Bench]) -> None:
    """Each request stands for itself."""
    each = bench(scripted_response(200, set_cookie="a=b"))
    each.client.send(ACCOUNT, PLAIN)
    each.client.send(ACCOUNT, PLAIN)

    assert "cookie" not in each.script.headers[1]
