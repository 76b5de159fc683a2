"""Fleets: runs an hour, what the fleet adds to a shell loop, its memory, and the site of a year."""

import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measured, runs, served, years
from benchmarks.measured import Row
from conformance.contract import revisions
from conformance.fleet.memory import database, recording
from conformance.fleet.memory.recording import Ended
from conformance.fleet.site import build
from conformance.reference import target
from conformance.report.artefacts import WRITTEN

SERVERS = 4
"""Processes that serve the targets: many profiles name the same server."""

RUN = ("--depth", "quick", "--class", "description", "--report", "badge")
"""A short run, of which the fleet's own share is the largest."""

LOOP = """\
for profile in "$@"; do
  "$PYTHON" -m conformance run --target "$profile" --report-dir "$profile.report" $OPTIONS || exit
done
"""
HOUR = 3600


@dataclass(frozen=True)
class Sizes:
    """How many targets a campaign has, how many workers perform it, and the nights of the year."""

    targets: int
    workers: Sequence[int]
    nights: int
    targets_a_night: int


def rows(sizes: Sizes) -> Iterator[Row]:
    """Campaigns on this machine and on Dask's workers, and the site of many nights."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        profiles = list(_profiles(folder, sizes.targets, stack))
        alone = _loop(profiles)
        yield _row("a shell loop", alone, alone, sizes)
        for workers in sizes.workers:
            seconds = _campaign(folder, "-j", str(workers))
            yield _row(f"{_counted(workers, 'process')} at once", seconds, alone, sizes)
        yield Row("memory of each", {"bytes": _size(folder / "fleet.db") // sizes.targets})
        for workers in sizes.workers:
            with _dask(workers) as address:
                seconds = _campaign(folder, "--engine", address)
            yield _row(f"Dask, {_counted(workers, 'worker')}", seconds, alone, sizes)
        runs.of(folder, "quick")
        report = folder / "report"
        yield _whole(folder, report)
        yield from _site(folder, report, sizes)


def _counted(number: int, noun: str) -> str:
    plural = {"process": "processes", "worker": "workers"}[noun]
    return f"{number} {noun if number == 1 else plural}"


def _row(name: str, seconds: float, alone: float, sizes: Sizes) -> Row:
    """`overhead %` is the time of a run beyond that in the loop, where one follows another."""
    is_one = name in ("1 process at once", "Dask, 1 worker")
    return Row(
        name,
        {
            "runs": sizes.targets,
            "seconds": round(seconds, 1),
            "runs an hour": round(sizes.targets / seconds * HOUR),
            "overhead %": round((seconds / alone - 1) * 100, 1) if is_one else None,
        },
    )


def _profiles(folder: Path, number: int, stack: ExitStack) -> Iterator[Path]:
    """The profiles of targets that only a few processes serve, and the file of their fleet."""
    stated = []
    for server in range(min(SERVERS, number)):
        own = folder / f"server-{server}"
        own.mkdir()
        profile = stack.enter_context(served.reference(own)).profile
        stated.append(tomllib.loads(profile.read_text(encoding="utf-8")) | {"consent": {}})
    entries = ['[defaults]\ndepth = "quick"\nclasses = ["description"]\n']
    for place in range(number):
        path = folder / f"target-{place:03}.toml"
        path.write_text(target.toml(stated[place % len(stated)]), encoding="utf-8")
        entries.append(f'[[target]]\nname = "{path.stem}"\nprofile = "{path.name}"\n')
        yield path
    (folder / "fleet.toml").write_text("\n".join(entries), encoding="utf-8")


def _loop(profiles: Sequence[Path]) -> float:
    """Seconds of the runs, one after another, by a shell."""
    began = time.monotonic()
    subprocess.run(
        ["sh", "-c", LOOP, "sh", *map(str, profiles)],
        env=measured.environment(PYTHON=sys.executable, OPTIONS=" ".join(RUN)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.monotonic() - began


def _campaign(folder: Path, *options: str) -> float:
    """Seconds of a campaign over the fleet, with an empty memory."""
    for file in folder.glob("fleet.db*"):
        file.unlink()
    words = ("fleet", "run", "fleet.toml", *options)
    cost = measured.process([sys.executable, "-m", "conformance", *words], folder)
    if cost.code != 0:
        raise RuntimeError(f"a campaign over the reference ended with exit code {cost.code}")
    return cost.seconds


@contextmanager
def _dask(workers: int) -> Iterator[str]:
    """The address of a scheduler with some workers, each a process with one thread."""
    # The other parts of the benchmarks do without the extra that has Dask.
    from distributed import LocalCluster  # noqa: PLC0415

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address.replace("tcp://", "dask://")


def _size(file: Path) -> int:
    """The bytes of a memory, with what SQLite has not merged into it yet."""
    return sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))


def _whole(folder: Path, report: Path) -> Row:
    """What a run of all classes takes up, with its exchanges."""
    file = folder / "one.db"
    database.open_memory(str(file)).close()
    before = _size(file)
    memory = database.open_memory(str(file))
    files = {each.name: each.read_bytes() for each in report.iterdir() if each.name in WRITTEN}
    with memory.writing() as connection:
        recording.add(connection, "eu", Ended(0, files, revisions.latest().name))
    memory.close()
    return Row("memory of a whole run, quick", {"bytes": _size(file) - before})


def _site(folder: Path, report: Path, sizes: Sizes) -> Iterator[Row]:
    """The site of many nights, written for the first time, and again after one more night."""
    memory = database.open_memory(str(folder / "year.db"))
    years.fill(memory, report, sizes.nights - 1, sizes.targets_a_night)
    name = f"{sizes.nights} nights of {sizes.targets_a_night} targets"
    out = folder / "site"
    yield _written(memory, out, f"site, {name}")
    years.fill(memory, report, 1, sizes.targets_a_night, first=sizes.nights - 1)
    yield _written(memory, out, "site, one night later")
    memory.close()
    yield Row(f"memory, {name}", {"MiB": round(_size(folder / "year.db") / 2**20, 1)})
    shutil.rmtree(out)


def _written(memory: database.Memory, out: Path, name: str) -> Row:
    began = time.monotonic()
    with memory.reading() as connection:
        build.build(connection, out)
    seconds = time.monotonic() - began
    files = [each for each in out.rglob("*") if each.is_file()]
    size = sum(each.stat().st_size for each in files)
    figures = {"seconds": round(seconds, 1), "files": len(files), "MiB": round(size / 2**20, 1)}
    return Row(name, figures)
