"""The engine: when checks are performed, and that the schedule changes nothing of what they do."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from live_server import instance
from scripted_app import ScriptedApp, scripted_response

from conformance.assurance.selftest import checks
from conformance.contract import requirements
from conformance.contract.verdict import Inconclusive
from conformance.http.budget import Budget
from conformance.http.exchange import Call
from conformance.http.in_process import InProcess
from conformance.http.network import Network
from conformance.http.sending import Sending
from conformance.reference import Reference
from conformance.runner.context import Context
from conformance.runner.depth import DEPTHS
from conformance.runner.engine import Engine, Task
from conformance.runner.scheduling import Stage
from conformance.runner.session import Session
from conformance.target.profile import parse

READS, APPROVES, ALONE = Stage.READS, Stage.APPROVES, Stage.ALONE
Opened = Callable[[int], Session]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Sessions with a target that allows so many requests at once."""
    made: list[Session] = []

    def make(concurrency: int) -> Session:
        transport = InProcess(ScriptedApp([scripted_response(404)]), lambda _: None)
        transport.concurrency = concurrency
        target = parse({"base-url": "http://target.test/v1"}, environ={})
        made.append(Session(target, transport, seed=1, depth=DEPTHS["quick"]))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_what_reads_comes_before_what_approves(opened: Opened) -> None:
    """In one thread, only what comes before the outcome that is asked for is performed."""
    performed: list[str] = []
    tasks = [
        Task(name, stage, lambda context: performed.append(context.item))
        for name, stage in (("a", ALONE), ("b", APPROVES), ("c", READS), ("d", APPROVES))
    ]
    engine = Engine(opened(1), tasks)
    engine.start()
    engine.outcome("b")
    assert performed == ["c", "b"]
    engine.outcome("a")
    assert performed == ["c", "b", "d", "a"]


def test_what_reads_is_performed_side_by_side(opened: Opened) -> None:
    """What approves waits for it, and is performed alone, in the order of the run."""
    meeting, busy = threading.Barrier(3), threading.Lock()
    order: list[str] = []

    def meet(_: Context) -> None:
        meeting.wait(10)

    def alone(context: Context) -> None:
        assert meeting.n_waiting == 0
        assert busy.acquire(blocking=False)
        order.append(context.item)
        busy.release()

    tasks = [Task(f"alone {n}", APPROVES, alone) for n in range(5)]
    tasks += [Task(f"read {n}", READS, meet) for n in range(3)]
    engine = Engine(opened(3), tasks)
    engine.start()
    assert [engine.outcome(task.item).problem for task in tasks] == [None] * 8
    assert order == [f"alone {n}" for n in range(5)]


def test_what_is_urgent_is_begun_first(opened: Opened) -> None:
    """Among the checks that are performed side by side; the others stay in the order of the run."""
    begun: list[str] = []

    def note(context: Context) -> None:
        begun.append(context.item)

    tasks = [Task(f"read {n}", READS, note, (n,)) for n in (2, 1, 3)]
    tasks += [Task(f"alone {n}", APPROVES, note, (n,)) for n in (2, 1)]
    engine = Engine(opened(2), tasks)
    # With one thread of checks, they begin one after the other.
    engine._threads, engine._runner = 1, threading.Thread(target=engine._run)
    engine._runner.start()
    engine._runner.join(10)

    assert begun == ["read 1", "read 2", "read 3", "alone 2", "alone 1"]


def test_an_internal_error_is_not_hidden_by_what_came_before_it(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules are applied at the end of a check, whatever has ended it."""

    def fail(_: Context) -> None:
        raise Inconclusive("nothing to see")

    def settle(_: Context) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Context, "settle", settle)
    engine = Engine(opened(1), [Task("one", READS, fail)])
    outcome = engine.outcome("one")

    assert [type(each) for each in outcome.problems] == [Inconclusive, ZeroDivisionError]
    assert isinstance(outcome.problem, ZeroDivisionError)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_check_ends_with_what_it_raises(opened: Opened, concurrency: int) -> None:
    """Its outcome has the exception, and its context."""
    problem = Inconclusive("nothing to see", needs=("data",))

    def fail(_: Context) -> None:
        raise problem

    engine = Engine(opened(concurrency), [Task("one", READS, fail)])
    engine.start()
    outcome = engine.outcome("one")
    assert (outcome.problem, outcome.context.item) == (problem, "one")


def test_a_stopped_run_sends_nothing_more(opened: Opened) -> None:
    """Checks under way end at their next request, and no other one begins."""
    session, begun, go_on = opened(2), threading.Event(), threading.Event()
    sent: list[str] = []

    def check(context: Context) -> None:
        begun.set()
        go_on.wait(10)
        context.client.send(Call("account_get"), Sending(None))
        sent.append(context.item)

    engine = Engine(session, [Task(str(number), APPROVES, check) for number in range(3)])
    engine.start()
    assert begun.wait(10)
    stopping = threading.Thread(target=engine.stop)
    stopping.start()
    while not session.dispatcher.is_stopped.is_set():
        pass
    go_on.set()
    stopping.join(10)

    assert isinstance(engine.outcome("0").problem, Inconclusive)
    assert sent == []


@pytest.mark.parametrize("concurrency", [1, 2])
def test_what_has_not_begun_can_be_left_out(opened: Opened, concurrency: int) -> None:
    """What is under way goes on to its end."""
    begun: list[str] = []

    def check(context: Context) -> None:
        begun.append(context.item)
        engine.begin_no_more()

    engine = Engine(
        opened(concurrency), [Task(str(number), APPROVES, check) for number in range(3)]
    )
    engine.start()
    ended = {engine.next_end() for _ in range(3)}

    assert ended == {"0", "1", "2"}
    assert begun == ["0"]
    assert engine.outcome("0").problem is None
    assert [engine.is_left_out(name) for name in ("0", "1", "2")] == [False, True, True]


@pytest.mark.parametrize(("stage", "goes_on"), [(READS, False), (APPROVES, True)])
@pytest.mark.parametrize("concurrency", [1, 2])
def test_what_is_under_way_at_the_end_of_a_run(
    opened: Opened, concurrency: int, stage: Stage, *, goes_on: bool
) -> None:
    """A check that reads sends nothing more; approvals have to be known to their ends."""

    def check(context: Context) -> None:
        engine.end("--max-failures 1")
        context.client.send(Call("account_get"), Sending(None, purpose="after the end"))

    engine = Engine(opened(concurrency), [Task("0", stage, check)])
    engine.start()
    problem = engine.outcome("0").problem

    if goes_on:
        assert problem is None
    else:
        assert isinstance(problem, Inconclusive)
        assert problem.message.endswith("was ended by --max-failures 1")


def test_a_fact_is_found_once_by_all_who_ask(opened: Opened) -> None:
    """They wait for it, and what it raises is raised to each of them."""
    session, meeting = opened(4), threading.Barrier(4)
    found: list[str] = []

    def find(own: Context) -> str:
        found.append(own.item)
        raise Inconclusive("there is none", needs=("one",))

    def ask(context: Context) -> None:
        meeting.wait(10)
        context.fact("thing", find)

    tasks = [Task(str(number), READS, ask) for number in range(4)]
    engine = Engine(session, tasks)
    engine.start()
    problems = [engine.outcome(task.item).problem for task in tasks]
    assert [str(problem) for problem in problems] == ["there is none"] * 4
    assert found == ["fact::thing"]


def test_an_item_may_have_no_parts(opened: Opened) -> None:
    """A target without the means to try something, over a network."""
    engine = Engine(opened(4), [Task("item", READS, lambda context: context.find_all({}))])
    engine.start()
    assert engine.outcome("item").problem is None


def test_a_fact_that_asks_for_itself_is_an_internal_error(opened: Opened) -> None:
    """Otherwise it would wait for ever."""
    context = opened(1).context("item")

    def ask(own: Context) -> str:
        return own.fact("thing", ask)

    with pytest.raises(RuntimeError, match="fact::thing asks for itself"):
        context.fact("thing", ask)


CLASSES = ("approval", "authorization")


def _run(concurrency: int, log: Path) -> tuple[set[Any], set[Any]]:
    """The requests by the name of their exchange, and the verdicts by requirement and item."""
    catalogue = requirements.load()
    chosen = [
        check
        for check in checks.collected()
        if catalogue[check.requirement].conformance_class in CLASSES
    ]
    with instance(Reference()) as profile:
        target = parse(profile, environ={})
        network = Network()
        network.concurrency = concurrency
        unlimited = Budget(requests=None, seconds=None)
        session = Session(target, network, 1, DEPTHS["quick"], budget=unlimited)
        session.open_log(log)
        found = set(checks.performed(session, chosen).seen.items())
        session.close()
    return {_request(line, target.base_url) for line in log.read_bytes().splitlines()}, found


def _request(line: bytes, base_url: str) -> tuple[object, ...]:
    exchange = orjson.loads(line)
    request = exchange["request"]
    url = request["url"].removeprefix(base_url)
    return exchange["id"], exchange["scheme"], request["method"], url, str(request["body"])


def test_every_schedule_sends_the_same_requests_and_reaches_the_same_verdicts(
    tmp_path: Path,
) -> None:
    """In one thread and in many, names, requests and verdicts are equal."""
    sent, found = _run(1, tmp_path / "one.jsonl")
    assert _run(32, tmp_path / "many.jsonl") == (sent, found)
    assert len(sent) > 300
