"""Runs of the checker: by latency and connections, until their first request, and their memory."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measured, served
from benchmarks.measured import Cost, Row
from benchmarks.served import Setting
from conformance.contract import exit_codes

PADDED = 100
"""One response in so many is a very long one, where memory is measured."""


@dataclass(frozen=True)
class Run:
    """One finished run: its cost, its exchanges, and the sum of their durations in seconds."""

    cost: Cost
    exchanges: int
    waited: float


def of(folder: Path, depth: str, *options: str | Path) -> Run:
    """Perform a run of the checker; its report goes into a folder."""
    report = folder / "report"
    cost = measured.python(
        "-m", "conformance", "run", "--depth", depth, "--report-dir", report, *options
    )
    # With one connection and slow responses, a run ends at its time limit: incomplete.
    if cost.code not in (exit_codes.CONFORMANT, exit_codes.INCOMPLETE):
        raise RuntimeError(f"a run of the reference ended with exit code {cost.code}")
    with (report / "exchanges.jsonl").open("rb") as lines:
        elapsed = [json.loads(line)["elapsed"] for line in lines]
    return Run(cost, len(elapsed), sum(elapsed))


def by_latency(depth: str, latencies: Sequence[float], connections: Sequence[int]) -> Iterator[Row]:
    """Runs over loopback, by latency in seconds and by the connections that the profile allows.

    `to ideal` is the duration, divided by what the same exchanges would take with all connections
    busy all the time.
    """
    for latency in latencies:
        for allowed in connections:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                with served.reference(folder, Setting(latency, allowed)) as target:
                    run = of(folder, depth, "--target", target.profile)
            ideal = run.exchanges * latency / allowed
            yield Row(
                f"{latency * 1000:.0f} ms, {allowed} {'connection' if allowed == 1 else 'at once'}",
                {
                    "exchanges": run.exchanges,
                    "seconds": round(run.cost.seconds, 1),
                    "CPU s": round(run.cost.cpu, 1),
                    "in flight": round(run.waited / run.cost.seconds, 1),
                    "to ideal": round(run.cost.seconds / ideal, 2) if ideal else None,
                },
            )


def by_size(depth: str, projects: Sequence[int]) -> Iterator[Row]:
    """Runs over loopback, by the projects of the target; `CPU s` is without that of the target."""
    for number in projects:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with served.reference(folder, Setting(projects=number)) as target:
                run = of(folder, depth, "--target", target.profile)
            report = json.loads((folder / "report" / "report.json").read_bytes())
        musts = [each for each in report["requirements"] if each["level"] == "must"]
        yield Row(
            f"{number:,} projects",
            {
                "exchanges": run.exchanges,
                "CPU s": round(run.cost.cpu, 1),
                "MiB": round(run.cost.peak),
                "musts passed": sum(each["verdict"] == "pass" for each in musts),
                "musts": len(musts),
            },
        )


def start(depth: str) -> Iterator[Row]:
    """Seconds from the start of the command to its first request."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served.reference(folder) as target:
            run = of(folder, depth, "--target", target.profile)
            seconds = target.first - run.cost.began
    yield Row("conformance run, to the first request", {"seconds": round(seconds, 2)})
    usage = measured.python("-m", "conformance", "--help")
    yield Row("conformance --help", {"seconds": round(usage.seconds, 2)})


def memory(depths: Sequence[str]) -> Iterator[Row]:
    """The largest resident set of a run, with the reference in its process and in another one."""
    for depth in depths:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            here = of(folder, depth)
            with served.reference(folder) as target:
                there = of(folder, depth, "--target", target.profile)
        yield Row(
            f"--depth {depth}",
            {
                "exchanges": here.exchanges,
                "MiB, in-process": round(here.cost.peak),
                "MiB, over loopback": round(there.cost.peak),
            },
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served.reference(folder, Setting(padded=PADDED)) as target:
            padded = of(folder, depths[0], "--target", target.profile)
    yield Row(
        f"--depth {depths[0]}, one response in {PADDED} with 30 MB more",
        {"exchanges": padded.exchanges, "MiB, over loopback": round(padded.cost.peak)},
    )
