"""Rounds of generated requests: which operation is next, what is sent, and what becomes of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import httpx
import orjson
import pytest
from altered_target import Send, Spoil, having, json_response, stage

from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive, Violation
from conformance.http.exchange import FACT
from conformance.runner.rounds import Check
from conformance.runner.session import Session
from conformance.suite.fuzzing import cases, generate
from conformance.suite.fuzzing.fuzz import MAX_SMALLER
from conformance.suite.fuzzing.rounds import ACCEPTED, BESIDE, NO_FAILURE, rounds

OPERATIONS = openapi.load().operations
EVERYTHING = {Check(name, id) for name in (ACCEPTED, NO_FAILURE) for id in OPERATIONS}
SIZE = 8
LISTED = {Check(ACCEPTED, "review_list")}
READS = {check for check in EVERYTHING if not OPERATIONS[str(check.operation)].writes}


class Performed:
    """What a number of rounds has sent: the names, the addresses, and how each has ended."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.sent: list[tuple[str, str]] = []
        self.ends: list[Exception | None] = []


@contextmanager
def opened(
    spoil: Spoil | None = None, *, consent: bool = True
) -> Iterator[tuple[Session, Performed]]:
    """A session of a deep run with a small round, and what will be performed in it."""
    seen = Performed()

    def passed(request: httpx.Request, send: Send) -> httpx.Response:
        seen.sent.append((request.extensions["exchange"], str(request.url)))
        return send(request) if spoil is None else spoil(request, send)

    with stage(having("consent/fuzz-writes", consent), passed) as performed:
        session = performed.session.session
        session.depth = replace(session.depth, round=SIZE)
        yield session, seen


def perform(
    session: Session, seen: Performed, number: int, checks: set[Check], finished: set[str]
) -> None:
    """Perform so many rounds."""
    for each in islice(rounds(session, generate.make, checks, finished), number):
        seen.names.append(each.name)
        end: Exception | None = None
        try:
            each.perform(session.context(f"{FACT}round[{each.name}]"))
        except (Violation, Inconclusive) as problem:
            end = problem
        seen.ends.append(end)


def performed(
    number: int,
    checks: set[Check] = READS,
    spoil: Spoil | None = None,
    finished: set[str] = frozenset(),  # type: ignore[assignment]
) -> Performed:
    """What the first rounds of a new run do."""
    with opened(spoil) as (session, seen):
        perform(session, seen, number, checks, finished)
    return seen


def test_more_rounds_begin_with_the_same_requests() -> None:
    """Only their number depends on the time of a run: a longer one sends the same, and more."""
    shorter, longer = performed(2), performed(3)
    assert longer.names[:2] == shorter.names
    assert longer.sent[: len(shorter.sent)] == shorter.sent
    assert len(longer.sent) > len(shorter.sent) > 2


def test_the_next_round_is_where_the_fewest_requests_were_sent() -> None:
    """Operations with few systematic requests come first, in and beyond the contract."""
    seen = performed(10)
    first = list(dict.fromkeys(name.rpartition("-")[0] for name in seen.names))
    counts = {
        f"{id}-{mode}": len(generate.coverage(id, mode))
        for id, operation in OPERATIONS.items()
        for mode in generate.Mode
        if operation.parameters and not operation.writes
    }
    assert first == sorted(counts, key=counts.__getitem__)[: len(first)]


def test_no_request_is_sent_twice_by_rounds() -> None:
    """Beside two baselines, by which each sees whether its records are still served."""
    seen = performed(4, LISTED)
    own = [(id.partition("#"), url) for id, url in seen.sent if id.startswith(f"{FACT}round[")]
    generated = [url for (_, _, number), url in own if int(number) > 2]
    assert len(generated) == len(set(generated)) > 10


def test_a_round_goes_on_with_checks_of_the_run_only() -> None:
    """A run of other classes has none; a resumed run leaves out those that were finished."""
    assert performed(3, {Check("arguments/limit", "review_list")}).names == []
    assert performed(2, LISTED).names == ["review_list-positive-1", "review_list-positive-2"]
    again = performed(1, LISTED, finished={"review_list-positive-1"})
    assert again.names == ["review_list-positive-2"]


def test_rounds_approve_no_review() -> None:
    """With consent they send approvals of made-up and unapprovable reviews; else none."""
    writes = {Check(NO_FAILURE, "review_approve")}
    with opened() as (session, seen):
        perform(session, seen, 3, writes, set())
        fixtures = session.target.fixtures
        assert session.approved == set()
    urls = [url for _, url in seen.sent if url.endswith("/approve")]
    assert len(urls) > 5
    assert not [url for url in urls for id in fixtures.approvable_reviews if id in url]
    with opened(consent=False) as (session, seen):
        assert list(rounds(session, generate.make, writes, ())) == []


def failing(request: httpx.Request, send: Send) -> httpx.Response:
    """500 to limits that no systematic request has."""
    wrong = 30 <= int(request.url.params.get("limit", "0")) < 99
    return json_response(500) if wrong else send(request)


def test_what_a_round_finds_is_made_small() -> None:
    """Once: the next round shows the same failure without making it small again."""
    seen = performed(6, LISTED, failing)
    found = [each for each in seen.ends if isinstance(each, Violation)]
    shown = [dict(seen.sent)[each.exchanges[0]].partition("?")[2] for each in found]
    assert shown[0] == "limit=30"
    assert len(found) > 1
    first = [id for id, _ in seen.sent if "-1]#" in id]
    assert len(first) <= MAX_SMALLER + SIZE * 3 + BESIDE
    assert all(len([id for id, _ in seen.sent if f"-{n}]#" in id]) < 40 for n in range(2, 7))


def gone(request: httpx.Request, _: Send) -> httpx.Response:
    """404 to everything but the lists of projects, whose records are read first."""
    return json_response(404, {"code": "absent", "requestId": "r"})


def vanishing(after: int, then: Callable[[httpx.Request, Send], httpx.Response]) -> Spoil:
    """The responses of the reference to the first requests, and others from then on."""
    count = 0

    def spoil(request: httpx.Request, send: Send) -> httpx.Response:
        nonlocal count
        count += 1
        return send(request) if count <= after else then(request, send)

    return spoil


def test_a_record_that_was_deleted_meanwhile_ends_its_rounds_in_silence() -> None:
    """A target may lose records in an hour; what the checks have found stays."""
    checks = {Check(NO_FAILURE, "video_get")}
    before = len(performed(1, checks).sent)
    seen = performed(9, checks, vanishing(before, gone))
    assert seen.ends == [None, None]
    assert len(seen.sent) == before + 1


def test_a_target_that_does_not_respond_any_more_is_reported() -> None:
    """A request may have ended it."""
    checks = {Check(NO_FAILURE, "video_get")}
    before = len(performed(1, checks).sent)

    def dead(_: httpx.Request, __: Send) -> httpx.Response:
        raise httpx.ConnectError("refused")

    seen = performed(9, checks, vanishing(before, dead))
    assert seen.ends[0] is None
    assert isinstance(seen.ends[1], Inconclusive)
    assert len(seen.ends) == 2


def test_the_cursor_of_a_round_is_a_new_one() -> None:
    """One that was issued long ago may have expired."""
    issued: list[str] = []

    def counted(request: httpx.Request, send: Send) -> httpx.Response:
        if "cursor" in request.url.params:
            return send(request)
        response = send(request)
        if request.url.path.endswith("/reviews") and response.status_code == 200:
            document = orjson.loads(response.read())
            if document["data"]["nextCursor"]:
                issued.append(document["data"]["nextCursor"])
            return json_response(200, document)
        return response

    seen = performed(8, LISTED, counted)
    cursors = {httpx.URL(url).params.get("cursor") for _, url in seen.sent} - {None}
    assert cursors & set(issued)


@pytest.mark.parametrize("number", [1, 2])
def test_a_round_has_requests_of_its_own(number: int) -> None:
    """Round 0 is what every run sends."""
    source = generate.Source("review_list", generate.Mode.NEGATIVE, 1, 12)
    usual = set(map(cases.key, generate.drawn(source)))
    own = set(map(cases.key, generate.drawn(replace(source, round=number))))
    assert len(own - usual) > 4
