"""Processes of this machine: each job is a thread that waits for the process of its run."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor

from conformance.fleet.job.performing import perform


class LocalEngine:
    """Performs some jobs at once; what a target needs of a worker counts as given."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._stopped = threading.Event()
        self._executor = ThreadPoolExecutor(places, "run")

    def capacity(self, _needs: str) -> int:
        """The number of processes."""
        return self._places

    def submit(self, task: bytes, _needs: str) -> "Future[bytes]":
        """Begin a job as soon as there is a place for it."""
        return self._executor.submit(perform, task, self._stopped.is_set)

    def stop(self) -> None:
        """Ask every job to end: its run writes its report."""
        self._stopped.set()

    def close(self) -> None:
        """Wait for the threads, whose runs have ended or were told to."""
        self._stopped.set()
        self._executor.shutdown(cancel_futures=True)
