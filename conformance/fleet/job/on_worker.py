"""A job on a worker of Dask; it ends when nobody waits for it any more."""

from distributed import get_worker

from conformance.fleet.job.performing import perform

ALIVE = frozenset({"running", "paused"})
"""The states of a worker that is connected to its scheduler."""


def perform_there(content: bytes) -> bytes:
    """Perform a packed task; its packed end.

    Dask cannot end the thread of a job. It forgets the job instead, when it is cancelled, or when
    the coordinator is gone.
    """
    worker = get_worker()
    key = worker.get_current_task()

    def is_stopped() -> bool:
        known = worker.state.tasks.get(key)
        return known is None or known.state != "executing" or worker.status.name not in ALIVE

    return perform(content, is_stopped)
