"""The duration of a run by latency: `python benchmarks/latency.py [SECONDS …]`.

The default latencies are 0.02 and 0.05 seconds. Compare the last column: the sum of the durations
of the exchanges, divided by that of the run. It is the average number of concurrent requests, and
hardly depends on the load of the machine.
"""

import asyncio
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from conformance.reference import Reference, serve, target

LATENCIES = (0.02, 0.05)
WORKERS = (1, 4)


def main() -> None:
    """Measure, and print a table."""
    row = "{:>8}{:>9}{:>11}{:>9}{:>11}\n".format
    sys.stdout.write(row("latency", "workers", "exchanges", "seconds", "in flight"))
    for latency in map(float, sys.argv[1:] or LATENCIES):
        for workers in WORKERS:
            count, seconds, waited = _run(latency, workers)
            sys.stdout.write(
                row(
                    f"{latency * 1000:.0f} ms",
                    workers,
                    count,
                    f"{seconds:.1f}",
                    f"{waited / seconds:.2f}",
                )
            )


def _run(latency: float, workers: int) -> tuple[int, float, float]:
    """The number of exchanges, the seconds of the run, and the sum of those of its exchanges."""
    with (
        tempfile.TemporaryDirectory() as name,
        _delayed(latency, Path(name) / "target.toml") as profile,
    ):
        command = [
            sys.executable,
            "-m",
            "conformance",
            "run",
            "--target",
            str(profile),
            "--report-dir",
            f"{name}/report",
        ]
        started = time.perf_counter()
        subprocess.run(
            [*command, *(("-n", str(workers)) if workers > 1 else ())],
            check=True,
            capture_output=True,
        )
        seconds = time.perf_counter() - started
        with (Path(name) / "report" / "exchanges.jsonl").open("rb") as lines:
            elapsed = [json.loads(line)["elapsed"] for line in lines]
    return len(elapsed), seconds, sum(elapsed)


@contextmanager
def _delayed(latency: float, profile: Path) -> Iterator[Path]:
    """The profile of a reference in another process that delays every response."""
    ready, announced = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=_serve, args=(latency, profile, announced), daemon=True)
    server.start()
    ready.recv()
    try:
        yield profile
    finally:
        server.terminate()
        server.join()


def _serve(latency: float, profile: Path, announced: Connection) -> None:
    reference, listener = Reference(), serve.listen("127.0.0.1", 0)
    profile.write_text(target.toml(reference.profile(serve.address(listener))), encoding="utf-8")
    application = reference.app

    async def delayed(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(latency)
        await application(scope, receive, send)

    serve.server(delayed, lambda: announced.send(None)).run(sockets=[listener])


if __name__ == "__main__":
    main()
