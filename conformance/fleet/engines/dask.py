"""The workers of Dask, here or on other hosts, by its `Client.get_executor`."""

from collections.abc import Mapping
from concurrent.futures import Executor, Future
from typing import Any

from distributed import Client, Security

from conformance.fleet.engines.engine import EngineProblem
from conformance.fleet.job.on_worker import perform_there

SCHEMES = {"dask": "tcp", "dask+tls": "tls"}
UNSET = (
    "TLS needs the settings of Dask: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE and"
    " DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT to PEM files"
)
CONNECTING = 30
"""Seconds until a scheduler has to respond."""


class DaskEngine:
    """Performs jobs on the workers of one scheduler. Raises EngineProblem where none responds.

    A job runs only where a worker offers each of its needs as a resource
    (`dask worker … --resources "eu=4"`: four at once).
    """

    def __init__(self, address: str) -> None:
        scheme, _, place = address.partition("://")
        if scheme == "dask+tls" and Security().get_connection_args("client")["ssl_context"] is None:
            raise EngineProblem(f"{address}: {UNSET}")
        try:
            self._client = Client(
                f"{SCHEMES[scheme]}://{place}", timeout=CONNECTING, set_as_default=False
            )
        except (OSError, ValueError) as problem:
            reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise EngineProblem(f"no scheduler responds at {address}: {reason}") from None
        self._executors: dict[str, Executor] = {}
        self._futures: set[Future[bytes]] = set()

    def capacity(self, needs: str) -> int:
        """The threads of the workers that offer all of these needs."""
        if self._client.status != "running":
            return 0
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        return sum(_places(worker, _resources(needs)) for worker in workers)

    def submit(self, task: bytes, needs: str) -> "Future[bytes]":
        """Begin a job as soon as a worker that offers what it needs has a free thread."""
        if needs not in self._executors:
            # A pure function would not be run twice for equal arguments.
            self._executors[needs] = self._client.get_executor(
                pure=False, retries=0, resources=_resources(needs)
            )
        future: Future[bytes] = self._executors[needs].submit(perform_there, task)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def stop(self) -> None:
        """Cancel every job: its worker sees that, and ends the run."""
        for future in list(self._futures):
            future.cancel()

    def close(self) -> None:
        """Leave the scheduler, which forgets what is left."""
        self.stop()
        self._client.close(timeout=CONNECTING)


def _resources(needs: str) -> dict[str, int]:
    return dict.fromkeys(filter(None, needs.split(",")), 1)


def _places(worker: Mapping[str, Any], resources: Mapping[str, int]) -> int:
    """How many jobs with these needs a worker performs at once."""
    offered = (int(worker["resources"].get(name, 0)) for name in resources)
    return min(worker["nthreads"], *offered) if resources else int(worker["nthreads"])
