"""Generated requests: their content, their dependence on the seed, and their sending."""

import dataclasses
import os
import pwd
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import configuration

from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive, Verdict, Violation
from conformance.http.exchange import Call
from conformance.http.in_process import InProcess
from conformance.http.patience import TRIES
from conformance.reference import ManualClock, Reference
from conformance.runner.context import Context
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.suite import wiring
from conformance.suite.fuzzing import cases, fuzz, generate, isolation
from conformance.suite.fuzzing.fuzz import MAX_SMALLER, Fuzz
from conformance.suite.fuzzing.generate import Enough, Mode, Source
from conformance.suite.lists.live import Live
from conformance.suite.test_fuzz import (
    test_generated_invalid_arguments_cause_no_failure as beyond,
)
from conformance.target import profile
from conformance.target.target import Consent, Target

OPERATIONS = openapi.load().operations
BOTH = tuple(Mode)
SEVERAL = [
    Source(operation, mode, 7, 12)
    for operation in ("project_list", "review_get", "review_approve")
    for mode in BOTH
]

# Runs in another directory, with another hash seed and constants in a module of the user.
ANOTHER_PROCESS = """
import hashlib, sys
sys.path.insert(0, ".")
import lent
from conformance.suite.fuzzing import cases, generate
from conformance.suite.fuzzing.generate import Mode, Source
keys = []
for operation in ("project_list", "review_get", "review_approve"):
    for mode in Mode:
        keys += map(cases.key, generate.coverage(operation, mode))
        keys += map(cases.key, generate.examples(Source(operation, mode, int(sys.argv[1]), 6)))
print(hashlib.sha256(repr(keys).encode()).hexdigest())
"""


def _elsewhere(folder: Path, *, seed: int, hash_seed: str) -> str:
    folder.mkdir()
    (folder / "lent.py").write_text(
        f"WORDS = ['a word of folder {folder.name}', 4711, 0.125, b'bytes']\n"
    )
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-W", "error", "-c", ANOTHER_PROCESS, str(seed)]
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=True
    ).stdout


def _generated() -> Iterator[Call]:
    for operation in OPERATIONS:
        for mode in BOTH:
            yield from generate.coverage(operation, mode)
    for source in SEVERAL:
        yield from generate.examples(source)


def test_the_same_seed_means_the_same_requests_in_every_process(tmp_path: Path) -> None:
    """Neither the hash seed nor the modules of the user change the requests."""
    one = _elsewhere(tmp_path / "one", seed=3, hash_seed="1")
    other = _elsewhere(tmp_path / "other", seed=3, hash_seed="2")
    assert one == other
    assert sorted(
        path.name for path in (tmp_path / "other").iterdir() if path.name != "__pycache__"
    ) == ["lent.py"]


def test_another_seed_means_other_requests(tmp_path: Path) -> None:
    """The requests depend on the seed."""
    assert _elsewhere(tmp_path / "one", seed=3, hash_seed="1") != _elsewhere(
        tmp_path / "other", seed=4, hash_seed="1"
    )


def test_the_requests_of_a_source_are_generated_once() -> None:
    """Runs in one process share them."""
    assert generate.examples(SEVERAL[0]) is generate.examples(
        Source("project_list", Mode.POSITIVE, 7, 12)
    )


def test_every_bound_of_limit_is_tried_from_both_sides() -> None:
    """The systematic requests of each list have 1, 100, 0 and 101."""
    for operation in (operation for operation in OPERATIONS.values() if operation.is_list):
        inside, outside = (
            {dict(call.query).get("limit") for call in generate.coverage(operation.id, mode)}
            for mode in (Mode.POSITIVE, Mode.NEGATIVE)
        )
        assert {"1", "2", "99", "100"} <= inside
        assert {"0", "101"} <= outside


def test_a_systematic_request_has_one_invalid_argument() -> None:
    """The other arguments are valid."""
    for call in generate.coverage("activity_list", Mode.NEGATIVE):
        path = call.path["projectId"] == "b7e0c5d4-92a1-4e36-8c0f-1f5d7a2e9b63"
        query = [
            name
            for name, value in call.query
            if value not in {"25", "63d0f8e1-b57a-4c29-a4e6-1d8c92b70f35"}
        ]
        assert (not path) + len(query) == 1


def test_an_operation_without_arguments_has_one_request() -> None:
    """No part of the request can be invalid."""
    assert generate.coverage("account_get", Mode.POSITIVE) == (Call("account_get"),)
    assert generate.coverage("account_get", Mode.NEGATIVE) == ()
    assert generate.examples(Source("account_get", Mode.NEGATIVE, 1, 5)) == ()


def test_without_a_budget_there_are_no_examples() -> None:
    """A quick run has only the systematic requests."""
    assert generate.examples(Source("project_list", Mode.NEGATIVE, 1, 0)) == ()


def test_only_parameters_of_the_contract_are_sent_once() -> None:
    """Unknown and repeated ones are left out."""
    for call in _generated():
        operation = OPERATIONS[call.operation]
        names = [name for name, _ in call.query]
        assert set(call.path) == {
            parameter.name for parameter in operation.parameters if parameter.location == "path"
        }
        assert set(names) <= {
            parameter.name for parameter in operation.parameters if parameter.location == "query"
        }
        assert len(names) == len(set(names))


def test_requests_have_nothing_that_a_proxy_may_change() -> None:
    """No control characters, no separators in segments, no long URLs."""
    for call in _generated():
        for value in call.path.values():
            assert value not in {"", ".", ".."}
            assert not set("/\\%;") & set(value)
        for value in (*call.path.values(), *(value for _, value in call.query)):
            assert not [
                character
                for character in value
                if ord(character) < 32 or 127 <= ord(character) < 160
            ]
            assert value.encode().decode() == value
        assert (
            len("".join(call.path.values()))
            + sum(len(name) + len(value) for name, value in call.query)
            <= cases.MAX_LENGTH
        )


def test_only_the_approval_has_bodies() -> None:
    """Objects of every form, other JSON, and no body."""
    bodies = {call.operation for call in _generated() if call.body is not None}
    assert bodies == {"review_approve"}
    assert b"[null, null]" in [
        call.body for call in generate.coverage("review_approve", Mode.NEGATIVE)
    ]
    assert {call.content_type for call in _generated()} == {"application/json"}


ID = "3d2f9a60-1c77-4b8e-9f24-7a5b0c3e6d18"


@pytest.mark.parametrize(
    ("operation", "parts", "sent"),
    [
        (
            "project_list",
            {"query": {"limit": ["7"], "cursor": None}},
            Call("project_list", query=(("limit", "7"), ("cursor", "null"))),
        ),
        ("project_list", {"query": {"limit": [7, 7]}}, None),
        (
            "project_list",
            {"query": {"cursor": "x" * 1484}},
            Call("project_list", query=(("cursor", "x" * 1484),)),
        ),
        ("project_list", {"query": {"cursor": "x" * 1485}}, None),
        ("project_list", {"headers": {"x-more": "1"}}, None),
        (
            "review_approve",
            {"body": {"a": 1}},
            Call("review_approve", {"reviewId": ID}, body=b'{"a": 1}'),
        ),
        (
            "review_approve",
            {"body": b"<a/>"},
            Call("review_approve", {"reviewId": ID}, body=b"<a/>"),
        ),
        ("review_approve", {"body": "<a/>", "media_type": "application/xml"}, None),
        ("review_approve", {"body": {"a": float("inf")}}, None),
        ("review_approve", {"body": {"a": "\ud800"}}, None),
        ("review_approve", {"path_parameters": {"reviewId": "%2e"}}, None),
    ],
)
def test_a_case_that_no_request_can_express_is_left_out(
    operation: str, parts: dict[str, Any], sent: Call | None
) -> None:
    """An array of one value is that value."""
    wanted: dict[str, Any] = {"method": OPERATIONS[operation].method, "path_parameters": {}}
    if operation == "review_approve":
        wanted |= {"path_parameters": {"reviewId": ID}, "media_type": "application/json"}
    assert (
        cases.call_of(generate._generator()[operation].Case(**{**wanted, **parts}), operation)
        == sent
    )


def test_without_a_home_directory_nothing_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system has no name for the id of the user."""

    def unknown_user(_: int) -> None:
        raise KeyError

    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown_user)
    with isolation.undisturbed():
        assert vars(configuration)["__hypothesis_home_directory"].is_relative_to(os.devnull)


def test_text_beyond_ascii_is_sent() -> None:
    """The query and bodies have such text."""
    queries = "".join(value for call in generate.examples(SEVERAL[1]) for _, value in call.query)
    bodies = b"".join(call.body or b"" for call in generate.examples(SEVERAL[4]))
    assert not queries.isascii()
    assert not bodies.isascii()


def test_shrinking_returns_the_smallest_request_with_the_symptom() -> None:
    """Shrinking continues while the request has the symptom."""
    source = Source("review_list", Mode.POSITIVE, 1, 40)

    def shows(call: Call) -> bool:
        return int(dict(call.query).get("limit", "0")) >= 40

    smallest = generate.smallest(source, shows)
    assert smallest is not None
    assert dict(smallest.query)["limit"] == "40"


def test_a_search_without_a_match_returns_none() -> None:
    """No example has the symptom."""
    assert (
        generate.smallest(
            Source("review_get", Mode.POSITIVE, 1, 5), lambda call: call.operation == "account_get"
        )
        is None
    )


@pytest.mark.parametrize("most", [0, 1, 9])
def test_a_search_ends_with_its_budget(most: int) -> None:
    """The search returns the smallest request so far."""
    tried: list[Call] = []

    def shows(call: Call) -> bool:
        if len(tried) >= most:
            raise Enough
        tried.append(call)
        return bool(call.query)

    smallest = generate.smallest(Source("project_list", Mode.NEGATIVE, 1, 20), shows)
    assert len(tried) == most
    assert smallest is None or smallest in tried
    assert (smallest is not None) == any(call.query for call in tried)


Opened = Callable[..., tuple[Context, "Watched"]]


class Watched(InProcess):
    """The reference with a list of its requests; `fault` names a status for a request."""

    def __init__(
        self, reference: Reference, clock: ManualClock, fault: Callable[[httpx.Request], int | None]
    ) -> None:
        super().__init__(reference.app, clock.advance)
        self.sent: list[tuple[str, str, bytes]] = []
        self.by_exchange: dict[str, tuple[str, str, bytes]] = {}
        self._fault = fault
        self.wrong = b'{"code": "wrong", "requestId": "1"}'

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Respond as the reference does, or with the fault."""
        self.sent.append((request.method, str(request.url), request.read()))
        self.by_exchange[request.extensions["exchange"]] = self.sent[-1]
        status = self._fault(request)
        if status is None:
            return super().handle_request(request)
        return httpx.Response(
            status,
            headers={"content-type": "application/json"},
            stream=httpx.ByteStream(self.wrong),
        )


def _never(_request: httpx.Request) -> None:
    """No fault."""


def _on_arrays(request: httpx.Request) -> int | None:
    return 500 if request.content.startswith(b"[") else None


def _on_limits(status: int) -> Callable[[httpx.Request], int | None]:
    """A fault for limits from 30 to 98, which no systematic request has."""
    return lambda request: status if 30 <= int(request.url.params.get("limit", "0")) < 99 else None


def _target(reference: Reference, **changes: object) -> Target:
    stated = profile.parse(reference.profile("http://reference.invalid/v1"), environ={})
    return dataclasses.replace(stated, **changes)  # type: ignore[arg-type]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens sessions with references of their own, and closes them."""
    sessions = []

    def session(
        fault: Callable[[httpx.Request], int | None] = _never, **changes: object
    ) -> tuple[Context, Watched]:
        clock = ManualClock()
        reference = Reference(clock=clock)
        transport = Watched(reference, clock, fault)
        sessions.append(
            Session(_target(reference, **changes), transport, seed=1, depth=DEPTHS["standard"])
        )
        wiring.prepare(sessions[-1])
        return sessions[-1].context("an item"), transport

    yield session
    for each in sessions:
        each.close()


def test_the_reference_gets_the_same_requests_in_every_run(opened: Opened) -> None:
    """The requests depend only on the seed and the data."""
    sent = []
    for _ in range(2):
        session, transport = opened()
        for operation in ("comment_list", "review_approve"):
            beyond(OPERATIONS[operation], Live(session), generate.make)
        sent.append(transport.sent)
    assert sent[0] == sent[1]


def test_fuzzing_approves_no_approvable_review(opened: Opened) -> None:
    """Only absent and unapprovable reviews are in its paths."""
    session, transport = opened()
    beyond(OPERATIONS["review_approve"], Live(session), generate.make)
    sent = [url for method, url, _ in transport.sent if method == "POST"]
    fixtures = session.target.fixtures
    assert len(sent) > 30
    assert not [
        url for url in sent for id in fixtures.approvable_reviews if id.lower() in url.lower()
    ]
    assert [url for url in sent for id in fixtures.unapprovable_reviews if id in url]
    assert not [url for url in sent if "a5c7e216-83fb-4d09-b1e4-6f2d90c8375a" in url]


def test_nothing_is_written_without_consent(opened: Opened) -> None:
    """The item is inconclusive and names the profile key."""
    session, transport = opened(consent=Consent(approve_reviews=True))
    with pytest.raises(Inconclusive) as caught:
        beyond(OPERATIONS["review_approve"], Live(session), generate.make)
    assert caught.value.needs == ("consent.fuzz-writes",)
    assert transport.sent == []


def test_a_failure_of_a_systematic_request_is_a_violation(opened: Opened) -> None:
    """The request is reported unchanged."""
    session, transport = opened(_on_arrays)
    with pytest.raises(Violation) as caught:
        beyond(OPERATIONS["review_approve"], Live(session), generate.make)
    assert "500 wrong" in caught.value.message
    assert [body for _, _, body in _requests_of(caught.value.exchanges, transport)] == [
        b"[null, null]"
    ]


def test_a_failure_of_an_example_is_shrunk(opened: Opened) -> None:
    """The number of requests is bounded."""
    plain, _ = opened()
    Fuzz(OPERATIONS["review_list"], Mode.POSITIVE, Live(plain), generate.make).run()
    usual = plain.finish().exchanges

    session, transport = opened(_on_limits(500))
    with pytest.raises(Violation) as caught:
        Fuzz(OPERATIONS["review_list"], Mode.POSITIVE, Live(session), generate.make).run()
    assert [
        url.partition("?")[2] for _, url, _ in _requests_of(caught.value.exchanges, transport)
    ] == ["limit=30"]
    assert session.finish().exchanges - usual <= MAX_SMALLER + TRIES * session.depth.examples


def test_a_finding_of_a_rule_is_shrunk(opened: Opened) -> None:
    """The finding is reported under the requirement of the rule."""
    session, transport = opened(_on_limits(422))
    Fuzz(OPERATIONS["review_list"], Mode.POSITIVE, Live(session), generate.make).run()
    (finding,) = [
        finding for finding in session.finish().findings if finding.verdict is Verdict.FAIL
    ]
    assert finding.requirement == "arguments/accepted"
    assert finding.message.startswith('limit "30" ')
    assert [url.partition("?")[2] for _, url, _ in _requests_of(finding.exchanges, transport)] == [
        "limit=30"
    ]


def test_a_lost_connection_is_a_violation_if_the_baseline_is_served(opened: Opened) -> None:
    """The request gets no response twice."""
    session, _ = opened(lambda request: 502 if request.url.params.get("limit") == "101" else None)
    with pytest.raises(Violation) as caught:
        Fuzz(OPERATIONS["project_list"], Mode.NEGATIVE, Live(session), generate.make).run()
    assert "502 wrong" in caught.value.message


def test_an_endless_search_is_ended(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest request so far is reported."""
    monkeypatch.setattr(fuzz, "MAX_SMALLER", 2)
    session, transport = opened(_on_limits(500))
    with pytest.raises(Violation) as caught:
        Fuzz(OPERATIONS["review_list"], Mode.POSITIVE, Live(session), generate.make).run()
    ((_, url, _),) = _requests_of(caught.value.exchanges, transport)
    assert 30 <= int(httpx.URL(url).params["limit"]) < 99


def test_one_small_request_may_have_several_symptoms(opened: Opened) -> None:
    """The request is sent once."""
    session, transport = opened(_on_limits(500))
    transport.wrong = b"{}"
    one = Fuzz(OPERATIONS["review_list"], Mode.POSITIVE, Live(session), generate.make)
    with pytest.raises(Violation):
        one.run()
    kinds = one.symptoms(list(one._responses.values()))
    smallest = [
        exchange
        for exchange in session._exchanges.values()
        if exchange.purpose == "the smallest of its kind"
    ]
    assert (len(kinds) > 1, len(smallest)) == (True, 1)


def test_a_throttled_repetition_is_inconclusive(opened: Opened) -> None:
    """The request gets no response, and then 429."""
    met: list[int] = []

    def fault(request: httpx.Request) -> int | None:
        if request.url.params.get("limit") != "101":
            return None
        met.append(502 if len(met) < TRIES else 429)
        return met[-1]

    session, _ = opened(fault)
    with pytest.raises(Inconclusive) as caught:
        Fuzz(OPERATIONS["project_list"], Mode.NEGATIVE, Live(session), generate.make).run()
    assert caught.value.needs == ("limits.requests-per-second",)


def _requests_of(ids: tuple[str, ...], transport: Watched) -> list[tuple[str, str, bytes]]:
    return [transport.by_exchange[id] for id in ids]
