"""The process of one run: it ends with whoever started it, and keeps to its share of memory.

`python -m conformance.fleet.job.child MEGABYTES COMMAND…`, with a pipe as standard input.
"""

import os
import runpy
import signal
import sys
import threading

if sys.platform != "win32":
    import resource


def _limit(megabytes: int) -> None:
    """Limit the memory of this process; 0 is no limit."""
    if megabytes and sys.platform != "win32":
        size = megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _follow() -> None:
    """Stop the run once the pipe is closed: its parent has stopped, or was killed."""
    # Not by `sys.stdin`: its lock would be held in processes that the run forks.
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    _limit(int(sys.argv[1]))
    threading.Thread(target=_follow, daemon=True).start()
    sys.argv = ["conformance", *sys.argv[2:]]
    runpy.run_module("conformance", run_name="__main__", alter_sys=True)
