"""An engine that performs nothing: each job ends as a script says."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future

from conformance.fleet.job import task
from conformance.fleet.job.task import Task
from conformance.fleet.memory.recording import Ended

Step = Ended | BaseException | Callable[[Task], Ended] | None
"""How a job ends: with an end or an exception, computed, or (None) not before it is stopped."""


class ScriptedEngine:
    """Ends the jobs of each target in turn as its steps say; the last one is repeated."""

    def __init__(self, script: Mapping[str, Sequence[Step]], places: int = 2) -> None:
        self._script = {name: _endless(steps) for name, steps in script.items()}
        self._places = places
        self._open: list[Future[bytes]] = []
        self.tasks: list[Task] = []
        self.is_busy = threading.Event()
        self.is_closed = False

    def capacity(self, _needs: str) -> int:
        """The number of places."""
        return self._places

    def submit(self, packed: bytes, _needs: str) -> "Future[bytes]":
        """End the job as the next step says."""
        job = task.unpacked(packed)
        self.tasks.append(job)
        future: Future[bytes] = Future()
        step = next(self._script[job.target])
        if step is None:
            self._open.append(future)
            self.is_busy.set()
        elif isinstance(step, BaseException):
            future.set_exception(step)
        else:
            future.set_result(task.packed_end(step if isinstance(step, Ended) else step(job)))
        return future

    def stop(self) -> None:
        """Cancel what is open, as Dask does."""
        for future in self._open:
            future.cancel()
            future.set_running_or_notify_cancel()

    def close(self) -> None:
        """Nothing is left."""
        self.is_closed = True


def _endless(steps: Sequence[Step]) -> Iterator[Step]:
    yield from steps
    while True:
        yield steps[-1]
