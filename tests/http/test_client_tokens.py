"""The client: renewal of expired tokens, and the limit of connections."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from scripted_app import ScriptedApp, scripted_response

from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive
from conformance.http.client import Client
from conformance.http.dispatcher import Dispatcher
from conformance.http.exchange import Call, Exchange
from conformance.http.in_process import InProcess
from conformance.http.redaction import Redactor
from conformance.http.sending import Sending
from conformance.target.target import Credential
from conformance.target.token import Token, TokenError

ACCOUNT = Call("account_get")


class Issuer:
    """Prints token-1, token-2 and so on; fails from number `fails` on."""

    def __init__(self, fails: int = 1_000) -> None:
        self.count = 0
        self.fails = fails

    def __call__(self) -> str:
        self.count += 1
        if self.count >= self.fails:
            raise TokenError("failed with exit code 1")
        return f"token-{self.count}"


class Strict:
    """An application that accepts tokens by number, and rejects others with 401."""

    def __init__(self, *accepted: int) -> None:
        self.accepted = set(accepted)
        self.seen: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        header = dict(scope["headers"])[b"authorization"].decode()
        self.seen.append(header.removeprefix("Bearer "))
        number = int(header.rpartition("-")[2])
        await ScriptedApp([scripted_response(200 if number in self.accepted else 401)])(
            scope, receive, send
        )


@dataclass
class Bench:
    """A client of an application, as a caller whose bearer token comes from an issuer."""

    application: Any
    issuer: Issuer = field(default_factory=Issuer)
    connections: int | None = None
    logged: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.transport = InProcess(self.application, lambda _: None)
        self.caller = Credential("primary", bearer=Token(self.issuer))
        self.redactor = Redactor({})
        self.dispatcher = Dispatcher(
            "http://target.test/v1",
            openapi.load(),
            self.transport,
            self.redactor,
            connections=self.connections,
        )
        self.client = Client(self.dispatcher, "item", self.logged.append)

    def send(self, **how: Any) -> Exchange:
        """One call as the caller."""
        return self.client.send(ACCOUNT, Sending(self.caller, **how))

    @property
    def statuses(self) -> list[tuple[int | None, bool]]:
        """The status of each exchange in the log, and whether it was repeated."""
        return [(exchange.status, exchange.superseded) for exchange in self.logged]


@pytest.fixture
def bench() -> Iterator[Callable[..., Bench]]:
    """Create benches, and close their transports."""
    made: list[Bench] = []

    def make(*arguments: Any, **options: Any) -> Bench:
        made.append(Bench(*arguments, **options))
        return made[-1]

    yield make
    for each in made:
        each.dispatcher.close()
        each.transport.close()


def test_a_401_to_a_token_that_was_accepted_is_repeated_with_a_new_one(
    bench: Callable[..., Bench],
) -> None:
    """The first 401 is recorded as superseded, and the response to the repetition counts."""
    strict = Strict(1)
    each = bench(strict)
    before = each.send()
    strict.accepted = {2}
    after = each.send(purpose="look")

    assert (before.status, after.status) == (200, 200)
    assert strict.seen == ["token-1", "token-1", "token-2"]
    assert each.statuses == [(200, False), (401, True), (200, False)]
    assert after.purpose == "again after #2, with a new token: look"


def test_a_persistent_401_is_the_response(bench: Callable[..., Bench]) -> None:
    """The command runs only once more, and not for the next request."""
    strict = Strict(1)
    each = bench(strict)
    each.send()
    strict.accepted = set()

    assert [each.send().status, each.send().status] == [401, 401]
    assert (each.issuer.count, len(each.logged)) == (2, 4)


def test_a_401_to_a_token_that_was_never_accepted_is_not_repeated(
    bench: Callable[..., Bench],
) -> None:
    """The credential is invalid, and so is a new token of the same caller."""
    each = bench(Strict())
    assert (each.send().status, each.issuer.count) == (401, 1)


def test_impatient_requests_are_repeated_with_a_new_token_too(
    bench: Callable[..., Bench],
) -> None:
    """They are not repeated after a 429, but after an expired token."""
    strict = Strict(1)
    each = bench(strict)
    each.send()
    strict.accepted = {2}
    assert each.send(patient=False).status == 200


def test_concurrent_requests_share_a_new_token(
    bench: Callable[..., Bench],
) -> None:
    """Each is repeated, and the command runs once."""
    strict = Strict(1)
    each = bench(strict)
    each.send()
    strict.accepted = {2}
    exchanges = each.client.send_all([ACCOUNT] * 3, [Sending(each.caller)] * 3)

    assert [exchange.status for exchange in exchanges] == [200] * 3
    assert each.issuer.count == 2


def test_a_command_that_fails_after_a_401_makes_the_check_inconclusive(
    bench: Callable[..., Bench],
) -> None:
    """The target is not blamed, and every request is recorded."""
    strict = Strict(1)
    each = bench(strict, issuer=Issuer(fails=2))
    each.send()
    strict.accepted = set()
    with pytest.raises(Inconclusive) as problem:
        each.client.send_all([ACCOUNT] * 3, [Sending(each.caller)] * 3)

    assert problem.value.needs == ("credentials.primary.bearer",)
    assert [status for status, _ in each.statuses] == [200, 401, 401, 401]


def test_every_secret_that_a_command_printed_is_redacted(bench: Callable[..., Bench]) -> None:
    """Old secrets are included, since the target may still repeat them."""
    strict = Strict(1)
    each = bench(strict)
    each.send()
    strict.accepted = {2}
    each.send()

    text = each.redactor.text("token-1, token-2, token-3")
    assert text == "$PRIMARY_BEARER, $PRIMARY_BEARER, token-3"
    assert {header for exchange in each.logged for header in exchange.request.headers} >= {
        ("authorization", "Bearer $PRIMARY_BEARER")
    }


class Crowded(ScriptedApp):
    """Counts concurrent requests; each waits a moment for others."""

    def __init__(self, expected: int) -> None:
        super().__init__([scripted_response()])
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._full = threading.Semaphore(0)
        self._expected = expected

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            if self._now >= self._expected:
                self._full.release(self._expected)
        self._full.acquire(timeout=5)
        await super().__call__(scope, receive, send)
        with self._lock:
            self._now -= 1


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("connections", [1, 2, 4])
def test_concurrent_requests_do_not_exceed_the_limit(
    bench: Callable[..., Bench], connections: int, together: bool
) -> None:
    """With `together` and without it."""
    crowded = Crowded(connections)
    each = bench(crowded, connections=connections)
    each.transport.concurrency = 16
    sending = Sending(each.caller)
    exchanges = each.client.send_all([ACCOUNT] * 8, [sending] * 8, together=together)

    assert [exchange.number for exchange in exchanges] == list(range(1, 9))
    assert [exchange.status for exchange in exchanges] == [200] * 8
    assert crowded.most == connections


def test_a_401_is_not_final_while_the_command_of_the_token_runs(
    bench: Callable[..., Bench],
) -> None:
    """Another request that was made with the old token waits for the new one as well."""
    application, due = Strict(1), []

    class Asking(Issuer):
        """Asks, while it runs for the second time, what is to become of the other request."""

        def __call__(self) -> str:
            if self.count == 1:
                due.append(shared.renewal.is_due(other.exchange, sending, other.made))
            return super().__call__()

    used = bench(application, Asking())
    shared, sending = used.dispatcher, Sending(used.caller, None, "a read")
    used.client.send(ACCOUNT, sending)
    application.accepted = {2}
    first, other = (shared.send(used.client.request(ACCOUNT, sending)) for _ in range(2))

    assert used.client.settled(first, sending).status == 200
    assert due == [True]
    assert used.client.settled(other, sending).status == 200
    assert application.seen == ["token-1", "token-1", "token-1", "token-2", "token-2"]
