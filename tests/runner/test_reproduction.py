"""The requests of failures are sent once more before they are shown."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, cast

import httpx
import orjson
import pytest
from altered_target import Send, edited, stage

from conformance.contract.verdict import Kind, Part
from conformance.http import serialization
from conformance.http.exchange import Call, Exchange
from conformance.http.network import Network
from conformance.http.sending import Sending
from conformance.report.document_types import FindingEntry, ReproductionEntry
from conformance.report.reproduction import described
from conformance.runner.depth import DEPTHS
from conformance.runner.reproduction import ITEM, MOST_REQUESTS, Repeater
from conformance.runner.session import Session
from conformance.target.profile import parse

ACCOUNT = Call("account_get")
TYPE = "/data/accountType"


def _finding(session: Session, *exchanges: Exchange, **changed: Any) -> FindingEntry:
    """A failure of `account/type` in the last of these exchanges."""
    shown = [serialization.document(each, session.redactor) for each in exchanges]
    defect = {
        "kind": Kind.VALUE,
        "text": "",
        "values": {},
        "actual": "partner",
        "where": [{"part": Part.BODY, "name": TYPE, "exchange": ""}],
        "keyword": "",
        "fields": [],
    }
    found = {"exchanges": shown, "operation": "account_get", "message": "wrong", "defect": defect}
    return cast(FindingEntry, {**found, **changed})


def _repeated(session: Session, found: FindingEntry) -> ReproductionEntry:
    return Repeater(session, session.context(ITEM)).reproduction("account/type", found)


class Wrong:
    """Responds to `account_get` with a wrong type and a new name, in these requests only."""

    def __init__(self, *wrong: int) -> None:
        self.wrong = wrong
        self.number = 0

    def __call__(self, request: httpx.Request, send: Send) -> httpx.Response:
        """The response to a request."""
        self.number += 1
        response = send(request)
        if self.number not in self.wrong:
            return response
        change = {"accountType": "partner", "displayName": f"name {self.number}"}
        return edited(response, lambda document: document["data"].update(change))


@pytest.mark.parametrize(
    ("wrong", "label"),
    [
        ((1, 2, 3), "reproduced on a fresh connection"),
        ((1, 3), "seen 2 of 3 times"),
        ((1,), "seen 1 of 3 times"),
    ],
)
def test_a_failure_is_labelled_by_what_its_repeated_requests_show(
    wrong: tuple[int, ...], label: str
) -> None:
    """The place that was wrong is compared, whatever else differs."""
    with stage(spoil=Wrong(*wrong)) as performed:
        session = performed.session.session
        shown = performed.session.client.send(
            ACCOUNT, Sending(session.target.credentials["primary"])
        )

        found = _repeated(session, _finding(session, shown))

    assert described(found) == label
    assert found["exchanges"][0] == f"{ITEM}#1"


def test_no_request_is_repeated_that_could_change_something() -> None:
    """An approval, a request of the throttled caller, and one with a credential of its own."""
    with stage() as performed:
        session = performed.session.session
        primary = session.target.credentials["primary"]
        review = session.target.fixtures.approvable_reviews[0]
        approval = Call("review_approve", {"reviewId": review}).carrying({})
        sent = [
            performed.session.client.send(approval, Sending(primary)),
            performed.session.client.send(
                ACCOUNT, Sending(session.target.credentials["throttled"])
            ),
        ]
        forged = serialization.document(sent[1], session.redactor) | {"credential": "forged"}
        before = len(performed.transport.sent)

        labels = [_repeated(session, _finding(session, each)) for each in sent]
        labels.append(_repeated(session, _finding(session, exchanges=[forged])))

        assert len(performed.transport.sent) == before
    assert list(map(described, labels)) == [
        "not repeated: it would approve a review",
        "not repeated: it would use up the rate limit",
        "not repeated: its credential was made for one request",
    ]


def test_a_request_without_an_accept_is_sent_again_without_one() -> None:
    """A target may respond with something else where no Accept states what is wanted."""

    def by_none(request: httpx.Request, send: Send) -> httpx.Response:
        is_wrong = "accept" not in request.headers
        return Wrong(*[1] * is_wrong)(request, send)

    with stage(spoil=by_none) as performed:
        session = performed.session.session
        primary = session.target.credentials["primary"]
        sending = Sending(primary, left_out=frozenset({"accept"}))
        shown = performed.session.client.send(ACCOUNT, sending)

        found = _repeated(session, _finding(session, shown))

    assert described(found) == "reproduced on a fresh connection"


def test_a_second_credential_is_sent_again() -> None:
    """One that the profile does not have is not, as a single one."""

    def by_both(request: httpx.Request, send: Send) -> httpx.Response:
        is_wrong = {"x-api-key", "authorization"} <= {*request.headers}
        return Wrong(*[1] * is_wrong)(request, send)

    with stage(spoil=by_both) as performed:
        session = performed.session.session
        primary, other = (session.target.credentials[name] for name in ("primary", "outsider"))
        secrets = (other.secret("bearer"), "made-up")
        sent = [
            performed.session.client.send(
                ACCOUNT,
                Sending(primary, "api-key", headers=(("authorization", f"Bearer {secret}"),)),
            )
            for secret in secrets
        ]
        labels = [_repeated(session, _finding(session, each)) for each in sent]
    assert list(map(described, labels)) == [
        "reproduced on a fresh connection",
        "not repeated: its credential was made for one request",
    ]


def test_a_run_repeats_a_bounded_number_of_requests() -> None:
    """Whatever a target does, and however many failures it has."""
    with stage(spoil=Wrong(1)) as performed:
        session = performed.session.session
        shown = performed.session.client.send(
            ACCOUNT, Sending(session.target.credentials["primary"])
        )
        repeater = Repeater(session, session.context(ITEM))
        before = len(performed.transport.sent)

        labels = [
            described(repeater.reproduction("account/type", _finding(session, shown)))
            for _ in range(MOST_REQUESTS)
        ]

        assert len(performed.transport.sent) - before <= MOST_REQUESTS
    assert labels[-1] == f"not repeated: a run repeats {MOST_REQUESTS} requests at most"


def test_a_response_of_another_status_is_not_compared() -> None:
    """Such as that to a cursor that can be used once."""
    with stage() as performed:
        session = performed.session.session
        shown = performed.session.client.send(
            ACCOUNT, Sending(session.target.credentials["primary"])
        )
        earlier = serialization.document(shown, session.redactor)
        earlier["response"] = {**earlier["response"], "status": 404}

        found = _repeated(session, _finding(session, exchanges=[earlier]))

    assert described(found) == (
        "repeated, and not compared: a response with 404 is one with 200 now"
    )


def test_a_failure_of_a_kept_connection_is_shown_with_both_requests() -> None:
    """A server that authenticates a connection once lets everybody in on it."""
    base_url, found = _let_in(_OncePerConnection)

    assert described(found) == "needs a kept connection: not seen on a fresh one"
    assert found["again"] == (
        f"curl -sS -i -g {base_url}/account -H 'x-api-key: $PRIMARY_API_KEY'"
        f" --next -sS -i -g {base_url}/account"
    ).replace("'", '"')


def test_a_failure_of_a_cache_is_shown_with_the_request_that_filled_it() -> None:
    """A cache that ignores who asks needs no connection: separate commands show it."""
    base_url, found = _let_in(_OneCacheForAll)

    assert described(found) == "after the request of primary: not seen without it"
    assert found["again"] == (
        f"curl -sS -i -g {base_url}/account -H 'x-api-key: $PRIMARY_API_KEY'"
        f"; curl -sS -i -g {base_url}/account"
    ).replace("'", '"')


def _let_in(handler: type[BaseHTTPRequestHandler]) -> tuple[str, ReproductionEntry]:
    """What becomes of the request of nobody that a server has let in after one of primary."""
    with _served(handler) as base_url:
        target = parse(
            {"base-url": base_url, "credentials": {"primary": {"api-key": "secret-of-primary"}}},
            environ={},
        )
        with closing(Session(target, Network(), seed=1, depth=DEPTHS["quick"])) as session:
            context = session.context("item")
            context.client.send(ACCOUNT, Sending(target.credentials["primary"]))
            shown = context.client.send(ACCOUNT, Sending(None))
            status = {"part": Part.STATUS, "name": "", "exchange": ""}
            defect = {
                "kind": Kind.STATUS,
                "values": {"allowed": [401]},
                "where": [status],
                "fields": [],
            }

            found = _repeated(session, _finding(session, shown, defect=defect))

    assert shown.status == 200
    return base_url, found


class _Server(BaseHTTPRequestHandler):
    """Responds with the account to whoever is let in."""

    protocol_version = "HTTP/1.1"

    @property
    def is_primary(self) -> bool:
        """Whether the request has the key of primary."""
        return bool(self.headers["x-api-key"] == "secret-of-primary")

    def lets_in(self) -> bool:
        """Whether the request is served."""
        return self.is_primary

    def do_GET(self) -> None:
        """Respond with the account."""
        body = orjson.dumps({"data": {}, "requestId": ""})
        self.send_response(200 if self.lets_in() else 401)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


class _OncePerConnection(_Server):
    """Checks the key of the first request on a connection only."""

    is_known = False

    def lets_in(self) -> bool:
        """Whether a request on the connection had the key."""
        self.is_known = self.is_known or self.is_primary
        return self.is_known


class _OneCacheForAll(_Server):
    """Keeps a success for the next request to the same address, whoever sends it."""

    kept: ClassVar[set[str]] = set()

    def lets_in(self) -> bool:
        """Whether the request has the key, or the response is still kept."""
        is_kept = self.path in self.kept
        self.kept.discard(self.path)
        if self.is_primary:
            self.kept.add(self.path)
        return self.is_primary or is_kept


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The base URL of a server with this handler."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()
