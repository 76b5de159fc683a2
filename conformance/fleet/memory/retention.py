"""What is forgotten: the files of old runs. Their verdicts, causes and latencies stay."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select

from conformance.fleet.memory import blobs
from conformance.fleet.memory.tables import artefact, blob, run


@dataclass(frozen=True)
class Pruned:
    """How many runs have lost their files, and how many bytes the memory takes up less."""

    runs: int
    size: int


def prune(connection: Connection, before: float) -> Pruned:
    """Delete the files of runs that ended before a time, in seconds of the epoch.

    The last run of each target that has files keeps them: an update of the suite is checked on it.
    """
    last = (
        select(func.max(run.c.id))
        .where(run.c.id.in_(select(artefact.c.run)))
        .group_by(run.c.target)
    )
    is_old = (run.c.ended < before) & run.c.id.not_in(last) & run.c.id.in_(select(artefact.c.run))
    old = connection.scalars(select(run.c.id).where(is_old)).all()
    size = _size(connection)
    for number in old:
        connection.execute(delete(artefact).where(artefact.c.run == number))
    blobs.sweep(connection)
    return Pruned(len(old), size - _size(connection))


def _size(connection: Connection) -> int:
    """The bytes of all files, as they are stored."""
    return int(connection.scalar(select(func.sum(func.length(blob.c.packed)))) or 0)
