"""The coordinator: what becomes of each run, whatever happens to engines and databases."""

import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError

import pytest
from postgres_cluster import Cluster
from scripted_engine import ScriptedEngine, Step
from sqlalchemy import select, update

from conformance.fleet import coordinator as coordinating
from conformance.fleet.coordinator import Coordinator, Errand, MemoryLost
from conformance.fleet.engines.engine import EngineProblem
from conformance.fleet.job.task import Task
from conformance.fleet.memory import database, guard, queue, reading, tables
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.queue import Claimant, Claimed, Stored
from conformance.fleet.memory.reading import Run
from conformance.fleet.memory.recording import Ended
from conformance.fleet.targets import FleetProfile, FleetTarget, Schedule

CONFORMS = Ended(0)
SPENDER = FleetTarget("spender", FleetProfile("", "spender.toml", "/", spends=True), retries=3)


class Watched:
    """Remembers what was shown."""

    def __init__(self) -> None:
        self.ends: list[tuple[str, str, bool]] = []
        self.notes: list[str] = []

    def started(self, claimed: Claimed) -> None:
        """Nothing to remember."""

    def ended(self, stored: Stored) -> None:
        """Remember the end."""
        self.ends.append((stored.target, stored.outcome, stored.is_repeated))

    def note(self, text: str) -> None:
        """Remember the note."""
        self.notes.append(text)


def _named(*names: str, retries: int = 1) -> list[FleetTarget]:
    return [FleetTarget(name, None, retries=retries) for name in names]


def _planned(memory: Memory, targets: Sequence[FleetTarget], name: str = "night") -> Errand:
    with memory.writing() as connection:
        number = queue.begin(connection, name, name, "fleet")
        queue.plan(connection, number, targets)
    return Errand(number, {each.name: each for each in targets}, "here")


def _worked(memory: Memory, errand: Errand, engine: ScriptedEngine) -> Watched:
    watched = Watched()
    Coordinator(memory, engine, errand, watched).work()
    return watched


def _runs(memory: Memory, errand: Errand) -> list[Run]:
    with memory.reading() as connection:
        return list(reading.runs(connection, errand.campaign))


def _states(memory: Memory, errand: Errand) -> list[tuple[str, int, str, str | None]]:
    runs = _runs(memory, errand)
    return [(each.target, each.attempt, each.state, each.outcome) for each in runs]


def test_every_target_gets_its_verdict_once(memory: Memory) -> None:
    """A violation is a verdict, and is not asked for again; the campaign has ended."""
    errand = _planned(memory, _named("a", "b", "c", retries=3))
    script = {"a": [CONFORMS], "b": [Ended(1)], "c": [Ended(5)]}

    watched = _worked(memory, errand, ScriptedEngine(script))

    assert _states(memory, errand) == [
        ("a", 1, "done", "conformant"),
        ("b", 1, "done", "non-conformant"),
        ("c", 1, "done", "incomplete"),
    ]
    assert len(watched.ends) == 3
    with memory.reading() as connection:
        night = reading.campaign(connection, "night")
        assert night is not None
        assert night.ended is not None
        assert reading.campaigns(connection) == (night,)
        assert queue.unfinished(connection, "night") is None


@pytest.mark.parametrize(
    ("first", "state", "outcome"),
    [
        (Ended(4, reason="nothing responds"), "done", "unreachable"),
        (Ended(3), "done", "error"),
        (Ended(-9), "done", "error"),
        (CancelledError(), "lost", "lost"),
        (RuntimeError("KilledWorker"), "lost", "lost"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_what_has_no_verdict_is_repeated(
    memory: Memory, first: Step, state: str, outcome: str
) -> None:
    """Both attempts are remembered, and the last one counts."""
    errand = _planned(memory, _named("a"))

    watched = _worked(memory, errand, ScriptedEngine({"a": [first, CONFORMS]}))

    assert _states(memory, errand) == [("a", 1, state, outcome), ("a", 2, "done", "conformant")]
    assert watched.ends == [("a", outcome, True), ("a", "conformant", False)]
    (latest,) = reading.latest(_runs(memory, errand))
    assert latest.attempt == 2


def test_a_result_that_cannot_be_stored_is_lost_and_no_other(memory: Memory) -> None:
    """It is not asked for again, and whoever reads the campaign learns why."""
    errand = _planned(memory, _named("hostile", "honest"))
    unusable = Ended(1, {"report.json": b'{"started": "never"}'})

    watched = _worked(memory, errand, ScriptedEngine({"hostile": [unusable], "honest": [CONFORMS]}))

    assert sorted(_states(memory, errand)) == [
        ("honest", 1, "done", "conformant"),
        ("hostile", 1, "lost", "lost"),
    ]
    assert sorted(watched.ends) == [("honest", "conformant", False), ("hostile", "lost", False)]
    (lost,) = (each for each in _runs(memory, errand) if each.state == "lost")
    assert lost.reason is not None
    assert lost.reason.startswith("its result cannot be stored: ")


def test_a_target_that_is_never_there_ends_the_campaign(memory: Memory) -> None:
    """After its retries it is unreachable; the others are not kept waiting."""
    errand = _planned(memory, _named("a", "b", retries=2))

    _worked(memory, errand, ScriptedEngine({"a": [Ended(4)], "b": [CONFORMS]}))

    assert [each[0] for each in _states(memory, errand)] == ["a", "a", "a", "b"]


def test_a_run_that_may_have_spent_a_review_is_not_repeated(memory: Memory) -> None:
    """It is lost once its job had the permission, and its last word says why."""

    def spend(job: Task) -> Ended:
        assert job.permission is not None
        permission = job.permission
        assert guard.rejection(permission.database, permission.run, permission.claim) is None
        raise AssertionError

    class Dying(ScriptedEngine):
        def submit(self, packed: bytes, needs: str):  # type: ignore[no-untyped-def]
            try:
                return super().submit(packed, needs)
            except AssertionError:
                engine = ScriptedEngine({"spender": [RuntimeError("the worker died")]})
                return engine.submit(packed, needs)

    errand = _planned(memory, [SPENDER])

    _worked(memory, errand, Dying({"spender": [spend, CONFORMS]}))

    assert _states(memory, errand) == [("spender", 1, "lost", "lost")]
    assert "may have approved reviews" in (_runs(memory, errand)[0].reason or "")


def test_a_lost_run_that_had_not_begun_is_repeated(memory: Memory) -> None:
    """Without the permission it has approved nothing."""
    errand = _planned(memory, [SPENDER])

    _worked(memory, errand, ScriptedEngine({"spender": [RuntimeError(), CONFORMS]}))

    assert _states(memory, errand)[-1] == ("spender", 2, "done", "conformant")


def test_an_internal_error_after_an_approval_is_not_repeated(memory: Memory) -> None:
    """Its log shows an approval; without one it would be repeated."""
    errand = _planned(memory, [SPENDER])

    spent = Ended(3, may_have_spent=True)
    _worked(memory, errand, ScriptedEngine({"spender": [spent, CONFORMS]}))

    assert _states(memory, errand) == [("spender", 1, "done", "error")]


def test_the_guard_lets_one_job_of_a_claim_approve(memory: Memory) -> None:
    """An engine that performs a job again gets a rejection, and so does a job of a lost run."""
    errand = _planned(memory, [SPENDER])
    with memory.writing() as connection:
        claimed = queue.claim(connection, errand.campaign, ["spender"], "", Claimant("here"))
        assert claimed is not None

    assert guard.rejection(memory.url, claimed.id, claimed.claim) is None
    second = guard.rejection(memory.url, claimed.id, claimed.claim)
    other = guard.rejection(memory.url, claimed.id, "another claim")
    assert second is not None
    assert second.may_have_spent
    assert other is not None


def test_a_job_that_cannot_ask_does_not_begin() -> None:
    """A worker that does not reach the memory approves nothing."""
    rejection = guard.rejection("sqlite:////no/such/fleet.db", 1, "claim")

    assert rejection is not None
    assert not rejection.may_have_spent
    assert "no such file" in rejection.reason


def test_a_stopped_campaign_is_resumed(memory: Memory) -> None:
    """What was under way is put back; what was done stays done."""
    errand = _planned(memory, [*_named("a", "b"), SPENDER])
    engine = ScriptedEngine({"a": [CONFORMS], "b": [None], "spender": [None]}, places=3)
    coordinator = Coordinator(memory, engine, errand, Watched())
    worker = threading.Thread(target=coordinator.work)
    worker.start()
    assert engine.is_busy.wait(20)
    coordinator.stop()
    worker.join(20)

    assert coordinator.is_stopped
    with memory.reading() as connection:
        assert queue.unfinished(connection, "night") == "night"
    rest = ScriptedEngine({"a": [Ended(1)], "b": [CONFORMS], "spender": [CONFORMS]})
    _worked(memory, errand, rest)
    assert {each[2:] for each in _states(memory, errand)} == {("done", "conformant")}
    assert sorted(job.target for job in rest.tasks) in (["b", "spender"], ["a", "b", "spender"])


def test_a_run_that_was_stopped_after_an_approval_is_lost(memory: Memory) -> None:
    """Stopping leads to no second approval; a late result counts, since nobody repeated the run."""
    errand = _planned(memory, [SPENDER])
    with memory.writing() as connection:
        claimed = queue.claim(connection, errand.campaign, ["spender"], "", Claimant("here"))
        assert claimed is not None
    assert guard.rejection(memory.url, claimed.id, claimed.claim) is None

    with memory.writing() as connection:
        queue.release(connection, claimed.claim, may_have_spent=True)
    assert _states(memory, errand) == [("spender", 1, "lost", "lost")]
    with memory.writing() as connection:
        assert queue.finish(connection, claimed.claim, CONFORMS) is not None

    assert _states(memory, errand) == [("spender", 1, "done", "conformant")]


def test_runs_of_a_dead_coordinator_are_taken_over(memory: Memory) -> None:
    """Its lease has run out; its late result does not count any more."""
    errand = _planned(memory, _named("a"))
    with memory.writing() as connection:
        claimed = queue.claim(connection, errand.campaign, ["a"], "", Claimant("elsewhere"))
        assert claimed is not None
        connection.execute(update(tables.run).values(lease=0.0))
        queue.renew(connection, errand.campaign, "here")
        (lost,) = queue.expire(connection, errand.campaign)
        assert lost.is_repeated
        assert queue.finish(connection, claimed.claim, Ended(1)) is None

    _worked(memory, errand, ScriptedEngine({"a": [CONFORMS]}))
    assert _states(memory, errand) == [("a", 1, "lost", "lost"), ("a", 2, "done", "conformant")]


def test_a_repeated_transaction_changes_nothing(memory: Memory) -> None:
    """Whoever does not know whether a commit arrived gets the same run, and the same end."""
    errand = _planned(memory, _named("a", "b"))
    claimant = Claimant("here")
    for _ in range(2):
        with memory.writing() as connection:
            claimed = queue.claim(connection, errand.campaign, ["a", "b"], "", claimant)
    assert claimed is not None
    stored = []
    for _ in range(2):
        with memory.writing() as connection:
            stored.append(queue.finish(connection, claimed.claim, Ended(4)))

    assert stored[0] == stored[1]
    assert [each[:3] for each in _states(memory, errand)] == [
        ("a", 1, "done"),
        ("a", 2, "queued"),
        ("b", 1, "queued"),
    ]


def test_priority_then_duration_decide_the_order(memory: Memory) -> None:
    """The longest runs begin first, since they would be waited for in the end."""
    targets = [
        FleetTarget("short", None, schedule=Schedule(duration=1)),
        FleetTarget("long", None, schedule=Schedule(duration=9)),
        FleetTarget("first", None, schedule=Schedule(priority=1)),
    ]
    errand = _planned(memory, targets)
    engine = ScriptedEngine({each.name: [CONFORMS] for each in targets}, places=1)

    _worked(memory, errand, engine)

    assert [job.target for job in engine.tasks] == ["first", "long", "short"]


def test_what_must_not_overlap_does_not(memory: Memory) -> None:
    """Two targets of one deployment are checked one after the other."""
    both = [FleetTarget(name, None, schedule=Schedule(exclusive="db")) for name in "ab"]
    errand = _planned(memory, both)

    with memory.writing() as connection:
        first = queue.claim(connection, errand.campaign, ["a", "b"], "", Claimant("x"))
        second = queue.claim(connection, errand.campaign, ["a", "b"], "", Claimant("y"))

    assert first is not None
    assert second is None


def test_a_run_without_a_worker_waits_and_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody offers what it needs; after some patience the engine is given up."""
    monkeypatch.setattr(coordinating, "PATIENCE", 0.0)
    monkeypatch.setattr(coordinating, "TICK", 0.01)
    errand = _planned(memory, [FleetTarget("a", None, needs=("eu",))])
    watched = Watched()

    with pytest.raises(EngineProblem, match="no place"):
        Coordinator(memory, ScriptedEngine({}, places=0), errand, watched).work()

    assert watched.notes == ["no worker offers eu at the moment"]


def test_a_campaign_that_was_given_up_has_ended(memory: Memory) -> None:
    """What was queued in it is lost, and may be asked for again."""
    errand = _planned(memory, _named("a"))
    with memory.writing() as connection:
        queue.abandon(connection, "night")
        assert queue.unfinished(connection, "night") is None
        assert queue.last(connection, "night") == "night"
        assert queue.again(connection, errand.campaign, ["a"]) == ["a"]
        assert queue.plan(connection, errand.campaign, _named("a")) == 0
        assert not queue.close(connection, errand.campaign)

    _worked(memory, errand, ScriptedEngine({"a": [CONFORMS]}))
    assert _states(memory, errand)[-1] == ("a", 2, "done", "conformant")


def test_coordinators_share_a_queue(cluster: Cluster) -> None:
    """Three of them, each with its own connections: every target is checked by one of them."""
    url = cluster.database()
    names = [f"t{number:02}" for number in range(30)]
    memories = [database.open_memory(url) for _ in range(3)]
    errand = _planned(memories[0], _named(*names))
    engines = [ScriptedEngine({name: [CONFORMS] for name in names}) for _ in memories]
    workers = [
        threading.Thread(
            target=Coordinator(
                memory, engine, Errand(errand.campaign, errand.targets, f"c{number}"), Watched()
            ).work
        )
        for number, (memory, engine) in enumerate(zip(memories, engines, strict=True))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    done = [job.target for engine in engines for job in engine.tasks]
    assert sorted(done) == names
    with memories[0].reading() as connection:
        states = connection.scalars(select(tables.run.c.state)).all()
    assert states == ["done"] * 30
    for memory in memories:
        memory.close()


def test_a_database_that_was_killed_is_waited_for(cluster: Cluster) -> None:
    """What ended meanwhile is stored when it is back."""
    memory = database.open_memory(cluster.database())
    names = [f"t{number}" for number in range(4)]
    errand = _planned(memory, _named(*names))

    def kill(_told: Task) -> Ended:
        cluster.kill()
        threading.Timer(1.5, cluster.start).start()
        return Ended(1)

    script: dict[str, Sequence[Step]] = {name: [CONFORMS] for name in names}
    _worked(memory, errand, ScriptedEngine({**script, "t1": [kill]}))

    found = {each[0]: each[2:] for each in _states(memory, errand)}
    assert found == {
        **dict.fromkeys(names, ("done", "conformant")),
        "t1": ("done", "non-conformant"),
    }
    memory.close()


def test_a_database_that_stays_away_ends_the_work(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says why; the queue is as it was."""
    monkeypatch.setattr(coordinating, "PATIENCE", 0.0)
    memory = database.open_memory(cluster.database())
    errand = _planned(memory, _named("a"))
    cluster.kill()
    try:
        with pytest.raises(MemoryLost, match=r"refused|No such file|closed|terminat"):
            _worked(memory, errand, ScriptedEngine({"a": [CONFORMS]}))
    finally:
        cluster.start()
    assert _states(memory, errand) == [("a", 1, "queued", None)]
    memory.close()
