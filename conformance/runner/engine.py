"""Performs the checks of a run stage by stage, those of some stages side by side."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, groupby
from queue import Empty, SimpleQueue

from conformance.contract.verdict import FOUND
from conformance.http import turn
from conformance.runner.context import Context
from conformance.runner.depth import DEPTHS
from conformance.runner.scheduling import Stage
from conformance.runner.session import Session

LONGEST_END = 0.5
"""Seconds that a run which was stopped waits for its threads: some may wait for a name server."""


class Round(IntEnum):
    """The rounds of a run, one after the other; each has all stages."""

    FAILED = 0
    """What failed in the run before."""
    SMOKE = 1
    QUICK = 2
    REST = 3


NARROW = {Round.SMOKE: DEPTHS["smoke"], Round.QUICK: DEPTHS["quick"]}
"""The depth of the reads of a round, where it is not that of the run."""


@dataclass(frozen=True)
class Task:
    """One item of a run: its name, the stage that it belongs to, and its check.

    `precedence` decides which of the checks that are performed side by side begin first.
    """

    item: str
    stage: Stage
    perform: Callable[[Context], None]
    precedence: tuple[float, ...] = ()
    round: Round = Round.REST


@dataclass(frozen=True)
class Outcome:
    """What a check has sent and found, what ended it, and the internal errors after that."""

    context: Context
    problems: tuple[Exception, ...] = ()

    @property
    def problem(self) -> Exception | None:
        """The problem to show: an internal error is never hidden by another one."""
        internal = (each for each in self.problems if not isinstance(each, FOUND))
        return next(chain(internal, self.problems), None)


class Engine:
    """Performs tasks stage by stage; within a stage, the order of the tasks is that of the run.

    The reads of the first rounds are narrow. What shows data is found anew after each of them,
    since its approvals have changed it.

    Over a network it does so in threads of its own, from `start` on; what is performed side by side
    begins in the order of precedence. In this process, where nobody waits for a response, the tasks
    are performed in the thread that asks for their outcomes.
    """

    def __init__(self, session: Session, tasks: Iterable[Task]) -> None:
        self._session = session
        self._depth = session.depth
        self._round: Round | None = None
        self._tasks = sorted(tasks, key=_turn)
        self._outcomes: dict[str, Future[Outcome]] = {task.item: Future() for task in self._tasks}
        self._ended: SimpleQueue[str] = SimpleQueue()
        self._threads = session.dispatcher.concurrency
        self._is_stopped = threading.Event()
        self._rest = iter(self._tasks)
        self._runner: threading.Thread | None = None

    def __contains__(self, item: str) -> bool:
        return item in self._outcomes

    @property
    def is_done(self) -> bool:
        """Whether every check was performed."""
        return all(outcome.done() for outcome in self._outcomes.values())

    def start(self) -> None:
        """Begin to perform the tasks, where that takes threads."""
        if self._threads > 1:
            self._runner = threading.Thread(target=self._run, name="engine", daemon=True)
            self._runner.start()

    def outcome(self, item: str) -> Outcome:
        """The outcome of an item; waits for it, or performs what comes before it."""
        while not self._outcomes[item].done():
            self.next_end()
        return self._outcomes[item].result()

    def has_outcome(self, item: str) -> bool:
        """Whether an item was performed, and nothing but its check has ended it."""
        ended = self._outcomes[item]
        return ended.done() and not ended.cancelled() and ended.exception() is None

    def is_left_out(self, item: str) -> bool:
        """Whether an item was not begun, and never will be."""
        return self._outcomes[item].cancelled()

    def next_end(self) -> str:
        """Wait until one more item has ended, or perform the next one; the item."""
        if self._runner is None:
            task = next(self._rest)
            self._enter(task.round, task.stage)
            self._begin(task)
        return self._ended.get()

    def ended(self) -> Iterator[str]:
        """The items that have ended, and that nobody was given yet."""
        with suppress(Empty):
            while True:
                yield self._ended.get_nowait()

    def begin_no_more(self) -> None:
        """Begin no further task; those under way go on to their ends."""
        self._is_stopped.set()

    def end(self, why: str) -> None:
        """Begin no further task; reads under way send no further request, approvals go on."""
        self.begin_no_more()
        if self._session.history.is_reading:
            self._session.budget.end(why)

    def stop(self) -> None:
        """Begin no further task, and send no further request; wait for the threads, not for long.

        A check that has not ended by then has no outcome, as one that was not begun.
        """
        self.begin_no_more()
        self._session.dispatcher.stop()
        if self._runner is not None:
            self._runner.join(LONGEST_END)

    def _run(self) -> None:
        for (round, stage), group in groupby(self._tasks, lambda task: (task.round, task.stage)):
            self._enter(round, stage)
            self._side_by_side(list(group), self._threads if stage.is_concurrent else 1)

    def _enter(self, round: Round, stage: Stage) -> None:
        """Begin a stage of a round, unless it is under way: only once is a review approved."""
        history = self._session.history
        history.round, history.is_reading = round, stage is Stage.READS
        is_narrow = round in NARROW and stage is Stage.READS
        self._session.depth = NARROW[round] if is_narrow else self._depth
        if round is not self._round and self._round is not None:
            self._session.forget_data()
        self._round = round

    def _side_by_side(self, tasks: Sequence[Task], threads: int) -> None:
        with ThreadPoolExecutor(threads, "check") as pool:
            for rank, task in enumerate(tasks):
                pool.submit(self._perform_in_thread, task, rank)

    def _perform_in_thread(self, task: Task, rank: int) -> None:
        try:
            with turn.ranked(rank):
                self._begin(task)
        except BaseException as problem:  # noqa: BLE001 - whoever asks for the outcome gets it
            self._outcomes[task.item].set_exception(problem)
            self._ended.put(task.item)

    def _begin(self, task: Task) -> None:
        """Perform a task, or leave it out where no more may begin."""
        if not self._is_stopped.is_set():
            self._perform(task)
            return
        self._outcomes[task.item].cancel()
        self._ended.put(task.item)

    def _perform(self, task: Task) -> None:
        context = self._session.context(task.item)
        problems: list[Exception] = []
        for step in (task.perform, Context.settle, Context.facts):
            try:
                step(context)
            except Exception as raised:  # noqa: BLE001 - any exception becomes a finding
                # What the first problem leaves unknown needs no further word; our own fault does.
                if not problems or not isinstance(raised, FOUND):
                    problems.append(raised)
        self._outcomes[task.item].set_result(Outcome(context, tuple(problems)))
        self._ended.put(task.item)


def _turn(task: Task) -> tuple[Round, Stage, tuple[float, ...]]:
    """The place of a task; of equal ones, the order is that in which they are given."""
    return task.round, task.stage, task.precedence if task.stage.is_concurrent else ()
