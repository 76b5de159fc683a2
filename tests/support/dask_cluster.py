"""A scheduler and workers of Dask, each in a process of its own that can be killed."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client
from process import surroundings

PLAIN = ("--no-dashboard",)


class DaskCluster:
    """A scheduler at a fixed port; `address` is what `--engine` takes."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start_scheduler()

    @property
    def address(self) -> str:
        """What `--engine` takes."""
        return f"dask://127.0.0.1:{self._port}"

    def add_worker(self, resources: str = "eu=1") -> None:
        """Start a worker with one thread."""
        options = ("--nthreads", "1", "--no-nanny", "--resources", resources, *PLAIN)
        self.workers.append(_python("dask_worker", f"tcp://127.0.0.1:{self._port}", *options))

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers are there."""
        with Client(f"tcp://127.0.0.1:{self._port}", timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)

    def kill_worker(self) -> None:
        """Kill the oldest worker."""
        worker = self.workers.pop(0)
        worker.kill()
        worker.wait()

    def kill_scheduler(self) -> None:
        """Kill the scheduler, and start another one at its address."""
        self.scheduler.kill()
        self.scheduler.wait()
        self.scheduler = self._start_scheduler()

    def close(self) -> None:
        """End all processes; a worker that is at a job does not heed a gentler signal."""
        for process in (*self.workers, self.scheduler):
            process.kill()
        for process in (*self.workers, self.scheduler):
            process.wait()

    def _start_scheduler(self) -> "subprocess.Popen[bytes]":
        place = ("--host", "127.0.0.1", "--port", str(self._port))
        return _python("dask_scheduler", *place, "--no-show", *PLAIN)


def _python(program: str, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", f"distributed.cli.{program}", *options]
    silence = subprocess.DEVNULL
    return subprocess.Popen(command, env=surroundings(), stdout=silence, stderr=silence)


@contextmanager
def running(workers: int) -> Iterator[DaskCluster]:
    """A scheduler with some workers until the end of the context."""
    cluster = DaskCluster()
    try:
        for _ in range(workers):
            cluster.add_worker()
        cluster.wait_for(workers)
        yield cluster
    finally:
        cluster.close()
