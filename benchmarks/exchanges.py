"""The cost of an exchange, and of a run: `python benchmarks/exchanges.py [--deep]`.

All measurements are made in one go on one machine, so compare the ratios; the unit is a direct call
of the application.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.http.transport import InProcess, Network, Transport
from conformance.reference import ManualClock, Reference
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.target.profile import load, parse
from conformance.target.target import Target

CALLS = 1_000
ROUNDS = 5
BASE_URL = "http://reference.invalid/v1"
LIST = Call("project_list").asking(limit="25")


def main() -> None:
    """Measure, and print two tables."""
    with tempfile.TemporaryDirectory() as folder:
        _print(_costs(Path(folder)), ("a list of 25 projects", "µs", "ratio"))
        _print(_runs(Path(folder)), ("conformance run", "seconds", "exchanges", "exchanges/s"))


def _costs(folder: Path) -> Iterator[tuple[str, ...]]:
    clock = ManualClock()
    reference = Reference(clock=clock)
    target = parse(reference.profile(BASE_URL), environ={})
    key = target.credentials["primary"].secret("api-key")
    application = InProcess(reference.app, clock.advance)
    here = httpx.Client(transport=application, base_url=BASE_URL, headers={"x-api-key": key})
    with served(folder) as there:
        network = httpx.Client(
            transport=Network(), base_url=there.base_url, headers={"x-api-key": key}
        )
        ways: dict[str, Callable[[], object]] = {
            "direct call of the application": _direct(reference.app, key, clock),
            "httpx on the in-process transport": _plain(here, clock),
            "in-process: sent, checked and recorded": _checked(
                target, application, folder / "here.jsonl", clock
            ),
            "httpx over loopback": lambda: network.get("/projects?limit=25"),
            "over loopback: sent, checked and recorded": _checked(
                there, Network(), folder / "there.jsonl", clock
            ),
        }
        times = {name: _best(way) for name, way in ways.items()}
    unit = times["direct call of the application"]
    for name, seconds in times.items():
        yield name, f"{seconds * 1e6:.0f}", f"{seconds / unit:.1f}"


def _runs(folder: Path) -> Iterator[tuple[str, ...]]:
    for depth in DEPTHS:
        if depth == "deep" and "--deep" not in sys.argv:
            continue
        started = time.perf_counter()
        command = [
            sys.executable,
            "-m",
            "conformance",
            "run",
            "--depth",
            depth,
            "--report-dir",
            str(folder / depth),
        ]
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - started
        count = json.loads((folder / depth / "report.json").read_bytes())["exchanges"]["count"]
        yield (
            f"--depth {depth}, from the command to the report",
            f"{seconds:.1f}",
            str(count),
            f"{count / seconds:.0f}",
        )


@contextmanager
def served(folder: Path) -> Iterator[Target]:
    """The profile of a reference in another process."""
    path = folder / "target.toml"
    command = [sys.executable, "-m", "conformance", "serve", "--target-out", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield load(path)
        finally:
            server.terminate()


def _direct(application: Any, key: str, clock: ManualClock) -> Callable[[], object]:
    loop = asyncio.new_event_loop()
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
        "method": "GET", "scheme": "http", "path": "/v1/projects", "raw_path": b"/v1/projects",
        "query_string": b"limit=25", "root_path": "", "headers": [(b"x-api-key", key.encode())],
        "server": ("reference.invalid", 80), "client": ("127.0.0.1", 50000),
    }  # fmt: skip

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_message: MutableMapping[str, Any]) -> None:
        pass

    def call() -> None:
        clock.advance(1)  # otherwise the rate limit rejects the call
        loop.run_until_complete(application(dict(scope), receive, send))

    return call


def _plain(client: httpx.Client, clock: ManualClock) -> Callable[[], object]:
    def call() -> httpx.Response:
        clock.advance(1)
        return client.get("/projects?limit=25")

    return call


def _checked(
    target: Target, transport: Transport, log: Path, clock: ManualClock
) -> Callable[[], object]:
    session = Session(target, transport, seed=1, depth=DEPTHS["quick"], rate=None)
    session.open_log(log)
    client = session.context("benchmark").client
    sending = Sending(target.credentials["primary"], "api-key")

    def call() -> object:
        clock.advance(1)
        return client.send(LIST, sending)

    return call


def _best(way: Callable[[], object]) -> float:
    """Seconds a call in the fastest round: disturbances only make a round slower."""
    way()
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(CALLS // ROUNDS):
            way()
        rounds.append((time.perf_counter() - started) / (CALLS // ROUNDS))
    return min(rounds)


def _print(rows: Iterator[tuple[str, ...]], head: tuple[str, ...]) -> None:
    table = [head, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        sys.stdout.write("  ".join([row[0].ljust(widths[0]), *cells]) + "\n")
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
