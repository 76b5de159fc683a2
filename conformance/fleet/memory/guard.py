"""The guard of approvals: of all jobs that perform one run, the first may approve reviews.

An engine may perform a job again, after a worker was lost. What was approved cannot be approved
again, so the second job does not begin.
"""

import uuid
from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError

from conformance.fleet.memory import database
from conformance.fleet.memory.database import Memory, MemoryProblem
from conformance.fleet.memory.tables import RUNNING, run

UNSURE = "not begun, since it cannot be made sure that it spends nothing twice"


@dataclass(frozen=True)
class Rejection:
    """Why a job must not begin; `may_have_spent`: another one may have approved reviews."""

    reason: str
    may_have_spent: bool = False


def rejection(url: str, number: int, claim: str) -> Rejection | None:
    """Why a job must not begin; None for the one job that may, for each claim of a run."""
    try:
        memory = database.open_memory(url, is_new=False)
    except MemoryProblem as problem:
        return Rejection(f"{UNSURE}: {problem}")
    try:
        is_first = _take(memory, number, claim)
    except SQLAlchemyError as problem:
        return Rejection(f"{UNSURE}: {database.first_line(problem)}")
    finally:
        memory.close()
    if is_first:
        return None
    return Rejection(
        "not begun again: its first job may have approved reviews", may_have_spent=True
    )


def _take(memory: Memory, number: int, claim: str) -> bool:
    """Take the permission; False where that is not possible."""
    is_free = (run.c.id == number, run.c.claim == claim, run.c.state == RUNNING)
    taking = update(run).where(*is_free, run.c.guard.is_(None)).values(guard=uuid.uuid4().hex)
    with memory.writing() as connection:
        return connection.execute(taking.returning(run.c.id)).first() is not None
