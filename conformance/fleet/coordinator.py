"""Works on the queue of a campaign until nothing is left of it.

Several coordinators may do so at the same time. All of them write to the memory; jobs do not, but
for the guard of approvals.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError

from conformance.contract.exit_codes import INTERRUPTED
from conformance.fleet.engines.engine import Engine, EngineProblem
from conformance.fleet.job import task
from conformance.fleet.job.task import Permission
from conformance.fleet.memory import database, queue
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.queue import LEASE, Claimant, Claimed, Stored
from conformance.fleet.memory.recording import Unstorable
from conformance.fleet.targets import FleetTarget

TICK = 1.0
"""Seconds after which the queue is looked at again: others may have changed it."""
RENEW = LEASE / 6
PATIENCE = 120.0
"""Seconds that a database or an engine may be away."""

T = TypeVar("T")


class MemoryLost(RuntimeError):
    """The database is away for too long; str() is one line."""


class Watch(Protocol):
    """Shows what happens."""

    def started(self, claimed: Claimed) -> None:
        """A run was claimed."""

    def ended(self, stored: Stored) -> None:
        """A run has ended, or was lost."""

    def note(self, text: str) -> None:
        """Something else is worth knowing."""


@dataclass(frozen=True)
class Errand:
    """What a coordinator works on: the number of a campaign, and its targets by name."""

    campaign: int
    targets: Mapping[str, FleetTarget]
    coordinator: str


@dataclass(frozen=True)
class Ending:
    """The end of a run that was claimed: its result, or what the engine raised."""

    future: "Future[bytes]"
    claim: str


class Coordinator:
    """Claims runs, has them performed, and stores how they ended."""

    def __init__(self, memory: Memory, engine: Engine, errand: Errand, watch: Watch) -> None:
        self._memory, self._engine, self._errand, self._watch = memory, engine, errand, watch
        self._pending: dict[Future[bytes], Claimed] = {}
        self._needs: dict[str, int] = {}
        self._events: SimpleQueue[Future[bytes] | None] = SimpleQueue()
        self._stop = threading.Event()
        self._renewed = float("-inf")
        self._served = time.monotonic()

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has stopped it."""
        return self._stop.is_set()

    def stop(self) -> None:
        """End in order; a signal handler may call it."""
        self._stop.set()
        self._events.put(None)

    def work(self) -> None:
        """Work until nothing is left, or until it is stopped. Raises MemoryLost, EngineProblem.

        The place of a run that has ended is given to the next one before its results are stored.
        """
        ended: list[Ending] = []
        while not self._stop.is_set():
            self._tend()
            self._fill()
            if ended:
                self._settle(ended)
                ended = []
            elif not self._pending and not self._are_left():
                self._patiently(lambda here: queue.close(here, self._errand.campaign))
                return
            else:
                ended = self._await(TICK)
        self._settle(ended)
        self._wind_down()

    def _tend(self) -> None:
        """Say that it is alive, and give up runs of coordinators that are not."""
        since = time.monotonic() - self._renewed
        if since < RENEW:
            return
        number, own = self._errand.campaign, self._errand.coordinator
        self._patiently(lambda here: queue.renew(here, number, own))
        if since < LEASE:  # otherwise the database was away, for the others too
            for stored in self._patiently(lambda here: queue.expire(here, number)):
                self._watch.ended(stored)
        self._renewed = time.monotonic()

    def _fill(self) -> None:
        """Submit as many runs as the engine has places for."""
        names = self._errand.targets.keys()
        queued = self._patiently(lambda here: queue.waiting(here, self._errand.campaign, names))
        places = {needs: self._engine.capacity(needs) for needs in queued}
        self._notice(places)
        for needs, most in places.items():
            while self._under_way(needs) < most and self._submit(needs):
                pass

    def _notice(self, places: Mapping[str, int]) -> None:
        """Say it once where nobody offers what runs need, and give up an engine that is gone."""
        for needs, most in places.items():
            if not most and needs not in self._needs:
                self._watch.note(f"no worker offers {needs or 'a place'} at the moment")
            self._needs[needs] = most
        if self._pending or any(places.values()) or not places:
            self._served = time.monotonic()
        elif time.monotonic() - self._served > PATIENCE:
            raise EngineProblem(f"the engine had no place for a run in {PATIENCE:.0f} s")

    def _under_way(self, needs: str) -> int:
        targets = (self._errand.targets[claimed.target] for claimed in self._pending.values())
        return sum(",".join(target.needs) == needs for target in targets)

    def _submit(self, needs: str) -> bool:
        """Claim and submit one run; False where there is none."""
        errand = self._errand
        names, claimant = errand.targets.keys(), Claimant(errand.coordinator)
        try:
            claimed = self._patiently(
                lambda here: queue.claim(here, errand.campaign, names, needs, claimant)
            )
        except IntegrityError:  # another coordinator has claimed what must not overlap with it
            return False
        if claimed is None:
            return False
        permission = Permission(self._memory.url, claimed.id, claimed.claim)
        packed = task.of(errand.targets[claimed.target], permission).packed()
        future = self._engine.submit(packed, needs)
        self._pending[future] = claimed
        self._watch.started(claimed)
        future.add_done_callback(self._events.put)
        return True

    def _await(self, seconds: float) -> list[Ending]:
        """Wait for the end of a run; all that have ended meanwhile, and have left their places."""
        ended: list[Ending] = []
        try:
            event = self._events.get(timeout=seconds)
            while True:
                if event is not None:
                    ended.append(Ending(event, self._pending.pop(event).claim))
                event = self._events.get_nowait()
        except Empty:
            return ended

    def _settle(self, ended: Sequence[Ending]) -> None:
        """Store how runs ended; those that were stopped with the coordinator are put back."""
        for each in ended:
            try:
                stored = self._patiently(partial(self._stored, each))
            except Unstorable as problem:  # the same again would be as little use
                lose = partial(queue.lose, claim=each.claim, reason=str(problem), is_final=True)
                stored = self._patiently(lose)
            if stored is not None:
                self._watch.ended(stored)

    def _stored(self, run: Ending, here: Connection) -> Stored | None:
        """What became of a run; None where it was put back, or was given up before."""
        claim = run.claim
        try:
            ended = task.unpacked_end(run.future.result())
        except CancelledError:
            if not self._stop.is_set():
                return queue.lose(here, claim, "its engine has lost it")
            may_have_spent = True
        except Exception as problem:  # noqa: BLE001 - whatever an engine raises, the run is lost
            return queue.lose(here, claim, f"its worker was lost: {type(problem).__name__}")
        else:
            if not self._stop.is_set() or ended.exit_code != INTERRUPTED:
                return queue.finish(here, claim, ended)
            may_have_spent = ended.may_have_spent
        queue.release(here, claim, may_have_spent=may_have_spent)
        return None

    def _wind_down(self) -> None:
        """Stop the runs under way, and put them back."""
        self._engine.stop()
        while self._pending:
            self._settle(self._await(TICK))
            self._tend()

    def _are_left(self) -> bool:
        names = self._errand.targets.keys()
        return self._patiently(lambda here: queue.are_left(here, self._errand.campaign, names))

    def _patiently(self, operation: Callable[[Connection], T]) -> T:
        """One transaction, which is repeated while the database is away."""
        latest = time.monotonic() + PATIENCE
        while True:
            try:
                with self._memory.writing() as connection:
                    return operation(connection)
            except (OperationalError, InterfaceError) as problem:
                if time.monotonic() > latest:
                    raise MemoryLost(database.first_line(problem)) from None
                # Nothing tells when a database is back.
                threading.Event().wait(TICK)
