"""The jobs of a CI system for a fleet: one for each target, or for each shard of each target."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from conformance.fleet.targets import FleetTarget

MOST = {"github": 256, "gitlab": 200}
"""The jobs that one matrix of each system may have."""


class MatrixError(ValueError):
    """There is no such matrix; str() says why, and what to do."""


@dataclass(frozen=True)
class Job:
    """One job; `shard` is "" for a whole target."""

    target: str
    shard: str
    command: str


def whole(fleet: Path, targets: Sequence[FleetTarget], further: Sequence[str] = ()) -> list[Job]:
    """A job for each target, which runs it as a part of its fleet, with further options."""
    command = ["conformance", "fleet", "run", str(fleet)]
    return [
        Job(each.name, "", shlex.join([*command, "--only", each.name, *further]))
        for each in targets
    ]


def divided(targets: Sequence[FleetTarget], shards: int, further: Sequence[str] = ()) -> list[Job]:
    """A job for each shard of each target. Raises MatrixError for a target without a file."""
    return [
        Job(each.name, f"{number}/{shards}", shlex.join([*_shard(each, number, shards), *further]))
        for each in targets
        for number in range(1, shards + 1)
    ]


def _shard(target: FleetTarget, number: int, shards: int) -> Iterator[str]:
    settings = target.settings
    yield from ("conformance", "run", *_subject(target))
    yield from ("--depth", settings.depth, "--seed", str(settings.seed))
    for name in settings.classes:
        yield from ("--class", name)
    limits = {"--max-time": settings.max_time, "--max-requests": settings.max_requests}
    for option, value in limits.items():
        if value is not None:
            yield from (option, str(value))
    folder = f"shards/{target.name}/{number}"
    yield from ("--shard", f"{number}/{shards}", "--report-dir", folder)


def _subject(target: FleetTarget) -> Iterator[str]:
    if target.profile is None:
        yield "--reference"
        return
    path = Path(target.profile.folder) / target.profile.name
    if not path.is_file():
        raise MatrixError(
            f"{target.name}: its profile is within the fleet; write a file for --shards"
        )
    yield from ("--target", str(path))


def check(number: int, system: str) -> None:
    """Raise MatrixError where a matrix of a CI system has no place for so many jobs."""
    if number > MOST[system]:
        raise MatrixError(
            f"{number} jobs, and a matrix of {system} has at most {MOST[system]}:"
            " use `conformance fleet run --shard k/n` in n jobs"
        )


def rendered(jobs: Sequence[Job], system: str) -> str:
    """The matrix of a CI system. Raises MatrixError where it has too many jobs."""
    check(len(jobs), system)
    return {"github": _github, "gitlab": _gitlab}[system](jobs)


def _github(jobs: Sequence[Job]) -> str:
    """One line for `fromJSON`: target, shard and command of each job."""
    include = [{"target": job.target, "shard": job.shard, "command": job.command} for job in jobs]
    return json.dumps({"include": include}) + "\n"


def _gitlab(jobs: Sequence[Job]) -> str:
    """A child pipeline with one parallel job."""
    matrix = [{"TARGET": job.target, "SHARD": job.shard, "COMMAND": job.command} for job in jobs]
    job = {
        "parallel": {"matrix": matrix},
        "script": ['eval "$COMMAND"'],
        "artifacts": {"when": "always", "paths": ["reports", "shards"]},
    }
    return yaml.safe_dump({"conformance": job}, sort_keys=False, width=1000)
