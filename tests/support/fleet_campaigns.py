"""Campaigns over a served fleet: an undisturbed one, and one in which everything is killed once."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import dask_cluster
import served_fleet
from dask_cluster import DaskCluster
from postgres_cluster import Cluster
from process import COMMAND, surroundings
from served_fleet import ServedFleet

from conformance.fleet.memory import database, reading
from conformance.fleet.memory.reading import Run

LONGEST = 1800.0

Matrix = dict[str, tuple[str | None, frozenset[tuple[str, str, str]]]]
"""The outcome of each target, and its verdicts by requirement and operation."""


def check(folder: Path, cluster: Cluster, number: int) -> None:
    """A disturbed campaign against an undisturbed one, over the same kinds of targets."""
    for name in ("calm", "storm"):
        (folder / name).mkdir()
    calm_url, storm_url = cluster.database(), cluster.database()
    with served_fleet.served(folder / "calm", number) as fleet:
        code, printed = finish(begin(fleet, calm_url))
        names = served_fleet.names(fleet)
        calm_approved = sum(fleet.approved.values())
    calm = matrix(calm_url)
    with (
        served_fleet.served(folder / "storm", number) as fleet,
        dask_cluster.running(2) as dask,
    ):
        attempts = disturbed(fleet, storm_url, dask, cluster)
        storm_approved = sum(fleet.approved.values())
    write_failures(folder, attempts)
    storm = matrix(storm_url)

    assert code == 1, printed
    assert set(calm) == set(storm) == set(names)
    assert {outcome for outcome, _ in calm.values()} == {
        *("conformant", "non-conformant", "unreachable")
    }
    assert any(run.state == "lost" for run in attempts)
    assert not any(run.state in ("queued", "running") for run in attempts)
    # A run that may have approved reviews is never repeated by itself, and is known to be lost.
    assert storm["spender-01"] in (calm["spender-01"], ("lost", frozenset()))
    assert calm_approved > 0
    assert storm_approved <= calm_approved
    rest = set(names) - {"spender-01"}
    assert {name: storm[name] for name in rest} == {name: calm[name] for name in rest}


def begin(fleet: ServedFleet, url: str, *options: str) -> "subprocess.Popen[bytes]":
    """The process of a campaign."""
    command = [*COMMAND, "fleet", "run", fleet.file, "--db", url, "--json", *options]
    return subprocess.Popen(
        [str(each) for each in command],
        cwd=fleet.file.parent,
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def finish(process: "subprocess.Popen[bytes]") -> tuple[int, dict[str, object]]:
    """The exit code of a campaign, and what it printed."""
    output, _ = process.communicate(timeout=LONGEST)
    printed: dict[str, object] = json.loads(output)
    return process.returncode, printed


def attempts(url: str) -> list[Run]:
    """Every attempt of the first campaign in a memory."""
    memory = database.open_memory(url)
    with memory.reading() as connection:
        campaigns = reading.campaigns(connection)
        found = list(reading.runs(connection, campaigns[0].id)) if campaigns else []
        assert len(campaigns) <= 1
    memory.close()
    return found


def matrix(url: str) -> Matrix:
    """What is known of each target in the end."""
    memory = database.open_memory(url)
    with memory.reading() as connection:
        last = reading.latest(reading.runs(connection, reading.campaigns(connection)[0].id))
        found: Matrix = {
            run.target: (
                run.outcome,
                frozenset(
                    (each.requirement, each.operation, each.verdict)
                    for each in reading.verdicts(connection, run.id)
                ),
            )
            for run in last
        }
    memory.close()
    return found


def disturbed(fleet: ServedFleet, url: str, dask: DaskCluster, postgres: Cluster) -> list[Run]:
    """A campaign in which a worker, the scheduler, the coordinator and PostgreSQL are killed.

    Each is killed while runs are under way, and is replaced; the coordinator by the same command.
    """
    process = begin(fleet, url, "--engine", dask.address)
    try:
        for kill in (dask.kill_worker, lambda: _replace_scheduler(dask)):
            _until_running(url, process)
            kill()
            dask.add_worker()
        _until_running(url, process)
        process.kill()
        process.communicate()
        process = begin(fleet, url, "--engine", dask.address)
        _until_running(url, process)
        postgres.kill()
        postgres.start()
        finish(process)
    finally:
        process.kill()
        process.wait()
    return attempts(url)


def _replace_scheduler(dask: DaskCluster) -> None:
    """Workers that have lost their scheduler end, and are replaced too."""
    dask.kill_scheduler()
    for worker in dask.workers:
        worker.wait(60)
    dask.workers.clear()
    dask.add_worker()


def _until_running(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a run has begun since the last look, or until nothing is left."""
    before = {run.id for run in attempts(url) if run.state == "running"}

    def has_begun() -> bool:
        now = attempts(url)
        fresh = {run.id for run in now if run.state == "running"} - before
        return bool(fresh) or process.poll() is not None

    _wait(has_begun)


def _wait(is_due: Callable[[], bool]) -> None:
    latest = time.monotonic() + LONGEST
    while not is_due():
        assert time.monotonic() < latest
        time.sleep(0.1)  # another process writes what is waited for


def write_failures(folder: Path, runs: list[Run]) -> None:
    """Keep what happened, for whoever reads a failed test."""
    lines = [f"{run.target} {run.attempt} {run.state} {run.outcome} {run.reason}" for run in runs]
    (folder / "attempts.txt").write_text("\n".join(lines))
