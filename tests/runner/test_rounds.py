"""Rounds that follow the checks: as many as time, requests and log allow, or were recorded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import orjson
import pytest
from altered_target import stage

from conformance.assurance.certificate import recomputation
from conformance.assurance.certificate.evidence import Evidence
from conformance.contract.verdict import Inconclusive
from conformance.http.budget import Budget
from conformance.http.exchange import Exchange
from conformance.report import exchange_log
from conformance.report.console import conclusion
from conformance.report.document_types import Report
from conformance.runner import examination, pytest_run
from conformance.runner.context import Context
from conformance.runner.depth import DEPTHS
from conformance.runner.rounds import Allowance, Check, Round, Rounds
from conformance.runner.session import Session
from conformance.runner.stash import ENGINE, RECORDED

CHECK = Check("arguments/accepted", "review_list")


class Clock:
    """A clock that moves by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return self.seconds


class Records(list[str]):
    """A run that takes records."""

    def add(self, record: str) -> None:
        """Take a record."""
        self.append(record)


@contextmanager
def timed(**budget: float) -> Iterator[tuple[Session, Clock]]:
    """A session whose budget has a clock that moves by hand."""
    clock = Clock()
    with stage() as performed:
        session = performed.session.session
        session.limit(Budget(now=clock, **budget))  # type: ignore[arg-type]
        yield session, clock


def endless(perform: Callable[[Context], None], most: int = 10) -> Iterator[Round]:
    """Rounds without an end."""
    return (Round(f"r-{number}", CHECK, most, perform) for number in count(1))


def lasting(clock: Clock, seconds: float) -> Callable[[Context], None]:
    """A round that takes so long."""

    def perform(_: Context) -> None:
        clock.seconds += seconds

    return perform


def performed(session: Session, rounds: Iterator[Round], recorded: int | None = None) -> Records:
    """The records of the rounds that a session has performed."""
    records = Records()
    seconds = session.budget.seconds or 0.0
    made = Rounds(records, session, Allowance(session, seconds), recorded)  # type: ignore[arg-type]
    made.perform(rounds)
    return records


@pytest.mark.parametrize(("each", "rounds"), [(10, 9), (20, 4), (44, 2), (46, 1), (91, 1)])
def test_rounds_leave_a_tenth_of_the_time(each: float, rounds: int) -> None:
    """The next one is expected to take as long as the longest before it."""
    with timed(seconds=100.0) as (session, clock):
        assert len(performed(session, endless(lasting(clock, each)))) == rounds


def test_the_first_round_takes_as_long_as_its_requests_have_taken_so_far() -> None:
    """A slow target leaves no time for it."""
    for most, rounds in ((10, 1), (30, 0)):
        with timed(seconds=100.0) as (session, clock):
            session.logged, clock.seconds = 20, 40.0  # two seconds for each request
            assert len(performed(session, endless(lasting(clock, 60), most))) == rounds


def test_rounds_leave_the_requests_that_a_round_may_take() -> None:
    """A round that is cut would end the run."""
    with timed(seconds=100.0, requests=25) as (session, _):

        def perform(_context: Context) -> None:
            for _number in range(10):
                session.budget.spend()

        assert len(performed(session, endless(perform))) == 2


def test_rounds_end_with_the_log(tmp_path: Path) -> None:
    """What is not recorded is no evidence."""
    with timed(seconds=100.0) as (session, clock):
        session.open_log(tmp_path / "exchanges-main.jsonl", 1)
        assert session.log is not None
        session.log.has_cut = True
        assert performed(session, endless(lasting(clock, 1))) == []


def test_a_replay_has_the_recorded_number_of_rounds() -> None:
    """Whatever time it takes."""
    with timed(seconds=10.0) as (session, clock):
        assert len(performed(session, endless(lasting(clock, 3)), recorded=3)) == 3


def test_the_end_of_a_run_is_no_finding_of_a_round() -> None:
    """What was checked before has its verdict, and a resumed run performs the round once more."""
    with timed(seconds=50.0) as (session, clock):

        def cut(_: Context) -> None:
            clock.seconds = 51
            session.budget.spend()

        (record,) = performed(session, endless(cut))
    found = orjson.loads(record)
    assert (found["findings"], found["is_finished"]) == ([], False)


def test_what_ends_a_round_is_a_finding_of_the_check_that_it_goes_on_with() -> None:
    """A missing prerequisite, and an internal error as well."""
    with timed(seconds=50.0) as (session, clock):

        def ended(_: Context) -> None:
            clock.seconds += 40
            raise Inconclusive("nobody is there")

        (record,) = performed(session, endless(ended))
    (finding,) = orjson.loads(record)["findings"]
    shown = [finding[name] for name in ("requirement", "operation", "verdict", "message")]
    assert shown == [*CHECK, "inconclusive", "nobody is there"]
    assert orjson.loads(record)["item"] == "fact::round[r-1]"


class Held:
    """A plugin that counts the exchanges that checks still hold when a run ends."""

    exchanges = -1

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Count them."""
        engine, found = session.config.stash[ENGINE], session.config.stash[RECORDED]
        contexts = [engine.outcome(name).context for name in found.items]
        facts = {id(fact.context) for context in contexts for fact in context.facts()}
        facts_hold = {id(each) for each in self._of_facts(contexts)}
        assert len(facts_hold) > len(facts)
        held = [each for context in contexts for each in context.all_exchanges()]
        self.exchanges = len([each for each in held if id(each) not in facts_hold])

    @staticmethod
    def _of_facts(contexts: list[Context]) -> list[Exchange]:
        facts = [fact for context in contexts for fact in context.facts()]
        return [exchange for fact in facts for exchange in fact.context.all_exchanges()]


@pytest.fixture(scope="module")
def held() -> Held:
    """What counts the exchanges."""
    return Held()


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory, held: Held) -> Iterator[tuple[Path, Report]]:
    """The folder and report of a run with three small rounds, beside the checks of one class."""
    folder = tmp_path_factory.mktemp("deep")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DEPTHS, "standard", replace(DEPTHS["standard"], round=4))
        options = [*pytest_run.options(folder, "standard", 1, ["read"]), "--report=badge"]
        made = examination.Substitute(
            lambda: examination.in_process(__import__("conformance.reference").reference), rounds=3
        )
        assert pytest_run.execute(options, [made, held]) in (0, 5)
        yield folder, orjson.loads((folder / "report.json").read_bytes())


def test_a_report_has_the_number_of_rounds(deep: tuple[Path, Report]) -> None:
    """Its exchanges count, and the terminal says how many followed."""
    folder, report = deep
    lines = list(exchange_log.read(folder))
    rounds = {line["item"] for line in lines if line["item"].startswith("fact::round[")}
    assert report["suite"]["rounds"] == len(rounds) == 3
    assert report["exchanges"]["count"] == len(lines)
    assert conclusion.settings(report["suite"]) == "depth standard, seed 1, 3 further rounds"


@pytest.mark.usefixtures("deep")
def test_what_a_check_has_sent_is_not_kept(held: Held) -> None:
    """Its result has the evidence: the memory of a run does not grow with its checks."""
    assert held.exchanges == 0


def test_a_recording_with_rounds_replays(deep: tuple[Path, Report]) -> None:
    """A replay has as many rounds as were recorded, and confirms every statement of the report."""
    folder, _ = deep
    names = ("report.json", "run.json", "target.json", "exchanges.jsonl")
    evidence = Evidence({name: (folder / name).read_bytes() for name in names})
    again = recomputation.replay(evidence)
    assert list(recomputation.differences(evidence, again)) == []
