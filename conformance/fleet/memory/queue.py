"""The runs of a campaign as a queue, which several coordinators may work on.

A run is queued, is claimed by a coordinator (running), and is done, or lost where nobody knows how
it ended. Another attempt is another row, so that nothing is forgotten. Each function is one
transaction of its caller.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, text, update

from conformance.fleet import retry
from conformance.fleet.memory import recording
from conformance.fleet.memory.inserting import insert_new
from conformance.fleet.memory.recording import Ended
from conformance.fleet.memory.tables import DONE, LOST, QUEUED, RUNNING, campaign, run
from conformance.fleet.retry import Attempt
from conformance.fleet.targets import FleetTarget

LEASE = 30.0
"""Seconds without a sign of life after which the runs of a coordinator are lost."""


@dataclass(frozen=True)
class Claimant:
    """Who claims a run, and the new claim: whoever repeats it gets the same run."""

    coordinator: str
    claim: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass(frozen=True)
class Claimed:
    """A run that a coordinator performs; `claim` tells it from every other attempt."""

    id: int
    target: str
    attempt: int
    claim: str


@dataclass(frozen=True)
class Stored:
    """What became of a run: how it ended, in a word and in a line, and whether it is repeated."""

    target: str
    attempt: int
    outcome: str
    reason: str
    is_repeated: bool


def begin(connection: Connection, name: str, identity: str, fleet: str) -> int:
    """The campaign of a name, which is created where it is new; its number."""
    row = {"name": name, "identity": identity, "fleet": fleet, "started": now(connection)}
    insert_new(connection, campaign, row)
    number: int = connection.execute(
        select(campaign.c.id).where(campaign.c.name == name)
    ).scalar_one()
    return number


def unfinished(connection: Connection, identity: str) -> str | None:
    """The name of the last campaign of an identity, if it has not ended."""
    of = campaign.c
    query = select(of.name, of.ended).where(of.identity == identity).order_by(of.id.desc())
    last = connection.execute(query.limit(1)).first()
    return last.name if last is not None and last.ended is None else None


def last(connection: Connection, identity: str) -> str | None:
    """The name of the last campaign of an identity."""
    of = campaign.c
    query = select(of.name).where(of.identity == identity).order_by(of.id.desc()).limit(1)
    return connection.execute(query).scalar()


def plan(connection: Connection, number: int, targets: Sequence[FleetTarget]) -> int:
    """Queue a run of each target that the campaign has none of; how many were new."""
    durations = {each.name: _duration(connection, each) for each in targets}
    longest = max(durations.values(), default=0.0) + 1.0
    added = 0
    for target in targets:
        rank = target.schedule.priority + durations[target.name] / longest
        added += insert_new(connection, run, _row(connection, number, target, rank))
    if added:
        connection.execute(update(campaign).where(campaign.c.id == number).values(ended=None))
    return added


def _row(
    connection: Connection, number: int, target: FleetTarget, rank: float
) -> dict[str, object]:
    return {
        "campaign": number,
        "target": target.name,
        "attempt": 1,
        "state": QUEUED,
        "labels": list(target.labels),
        "needs": ",".join(target.needs),
        "retries": target.retries,
        "rank": rank,
        "exclusive": target.exclusive,
        "spends": target.spends,
        "queued": now(connection),
        "complete": False,
    }


def _duration(connection: Connection, target: FleetTarget) -> float:
    """The seconds that a run of a target is expected to take."""
    if target.schedule.duration is not None:
        return target.schedule.duration
    of = run.c
    query = select(of.duration).where(of.target == target.name, of.complete)
    return connection.scalar(query.order_by(of.id.desc()).limit(1)) or 0.0


def waiting(connection: Connection, number: int, targets: Collection[str]) -> dict[str, int]:
    """How many runs of some targets are queued, by their needs."""
    query = select(run.c.needs, func.count()).where(_of(number, targets), run.c.state == QUEUED)
    rows = connection.execute(query.group_by(run.c.needs))
    return {row[0]: row[1] for row in rows}


def are_left(connection: Connection, number: int, targets: Collection[str]) -> bool:
    """Whether a run of some targets is queued or running, whoever performs it."""
    query = select(run.c.id).where(_of(number, targets), run.c.state.in_((QUEUED, RUNNING)))
    return connection.execute(query.limit(1)).first() is not None


def claim(
    connection: Connection, number: int, targets: Collection[str], needs: str, claimant: Claimant
) -> Claimed | None:
    """Claim the next queued run with these needs; None where there is none.

    In PostgreSQL, runs that others claim at this moment are skipped. Raises IntegrityError where a
    run that must not overlap with it was claimed at this moment.
    """
    before = _claimed(connection, claimant.claim)
    if before is not None:  # its first commit had arrived
        return Claimed(before.id, before.target, before.attempt, before.claim)
    busy = select(run.c.exclusive).where(run.c.state == RUNNING)
    query = select(run.c.id).where(
        _of(number, targets),
        run.c.state == QUEUED,
        run.c.needs == needs,
        run.c.exclusive.not_in(busy),
    )
    query = query.order_by(run.c.rank.desc(), run.c.id).limit(1).with_for_update(skip_locked=True)
    found = connection.execute(query).scalar()
    if found is None:
        return None
    values = {
        "state": RUNNING,
        "coordinator": claimant.coordinator,
        "claim": claimant.claim,
        "lease": now(connection) + LEASE,
        "started": now(connection),
    }
    claimed = update(run).where(run.c.id == found).values(values)
    row = connection.execute(claimed.returning(run.c.id, run.c.target, run.c.attempt, run.c.claim))
    return Claimed(*row.one())


def renew(connection: Connection, number: int, coordinator: str) -> None:
    """Say that a coordinator is alive."""
    own = (run.c.campaign == number, run.c.state == RUNNING, run.c.coordinator == coordinator)
    connection.execute(update(run).where(*own).values(lease=now(connection) + LEASE))


def expire(connection: Connection, number: int) -> list[Stored]:
    """Give up the runs of coordinators that show no sign of life."""
    dead = (run.c.campaign == number, run.c.state == RUNNING, run.c.lease < now(connection))
    claims = connection.scalars(
        select(run.c.claim).where(*dead).with_for_update(skip_locked=True)
    ).all()
    lost = (lose(connection, each, "its coordinator was lost") for each in claims)
    return [each for each in lost if each is not None]


def finish(connection: Connection, claim: str, ended: Ended) -> Stored | None:
    """Store how a run ended, and queue another attempt where that is due.

    None where the claim holds no longer: the run was given up, and was queued again. Raises
    Unstorable.
    """
    row = _claimed(connection, claim)
    if row is None or (row.state == LOST and _has_successor(connection, row)):
        return None
    if row.state == DONE:  # its first commit had arrived
        is_repeated = _has_successor(connection, row)
        return Stored(row.target, row.attempt, row.outcome, row.reason or "", is_repeated)
    recording.store(connection, row.id, ended)
    connection.execute(update(run).where(run.c.id == row.id).values(state=DONE))
    may_have_spent = row.spends and ended.may_have_spent
    return _ended(connection, row, ended.outcome, ended.reason, is_final=may_have_spent)


def lose(
    connection: Connection, claim: str, reason: str, *, is_final: bool = False
) -> Stored | None:
    """Give up a run of which nobody will know how it ended; None where it has ended.

    `is_final`: another attempt would end in the same way.
    """
    row = _claimed(connection, claim)
    if row is None or row.state != RUNNING:
        return None
    may_have_spent = row.spends and row.guard is not None
    if may_have_spent:
        reason = f"{reason}; it may have approved reviews, so it is not repeated by itself"
    values = {"state": LOST, "outcome": LOST, "reason": reason, "ended": now(connection)}
    connection.execute(update(run).where(run.c.id == row.id).values(values))
    return _ended(connection, row, LOST, reason, is_final=may_have_spent or is_final)


def release(connection: Connection, claim: str, *, may_have_spent: bool) -> None:
    """Put back a run that was stopped on request; it is lost if it may have approved reviews."""
    row = _claimed(connection, claim)
    if row is None or row.state != RUNNING:
        return
    if row.guard is not None and may_have_spent:
        lose(connection, claim, "it was stopped")
        return
    freed = dict.fromkeys(("claim", "coordinator", "lease", "started", "guard"))
    connection.execute(update(run).where(run.c.id == row.id).values(state=QUEUED, **freed))


def again(connection: Connection, number: int, targets: Collection[str]) -> list[str]:
    """Queue one more attempt of each target whose last one has no verdict, on request."""
    last: dict[str, Row[Any]] = {}
    query = select(run).where(_of(number, targets)).order_by(run.c.attempt)
    for row in connection.execute(query):
        last[row.target] = row
    queued = [row for row in last.values() if retry.has_no_verdict(row.state, row.outcome)]
    for row in queued:
        _repeat(connection, row)
    return sorted(row.target for row in queued)


def close(connection: Connection, number: int) -> bool:
    """End a campaign that has nothing left; whether it has ended."""
    left = select(run.c.id).where(run.c.campaign == number, run.c.state.in_((QUEUED, RUNNING)))
    if connection.execute(left.limit(1)).first() is not None:
        return False
    ending = update(campaign).where(campaign.c.id == number, campaign.c.ended.is_(None))
    connection.execute(ending.values(ended=now(connection)))
    return True


def abandon(connection: Connection, name: str) -> None:
    """End a campaign as it is: what is queued is lost."""
    number = begin(connection, name, "", "")
    values = {"state": LOST, "outcome": LOST, "reason": "the campaign was given up"}
    queued = (run.c.campaign == number, run.c.state.in_((QUEUED, RUNNING)))
    connection.execute(update(run).where(*queued).values(ended=now(connection), **values))
    close(connection, number)


def now(connection: Connection) -> float:
    """Seconds since 1970 by the clock that all coordinators of a memory share."""
    if connection.dialect.name == "sqlite":
        query = "SELECT (julianday('now') - 2440587.5) * 86400.0"
    else:
        query = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
    seconds: float = connection.execute(text(query)).scalar_one()
    return seconds


def _of(number: int, targets: Iterable[str]) -> ColumnElement[bool]:
    return (run.c.campaign == number) & run.c.target.in_(list(targets))


def _claimed(connection: Connection, claim: str) -> Row[Any] | None:
    query = select(run).where(run.c.claim == claim).with_for_update()
    return connection.execute(query).one_or_none()


def _has_successor(connection: Connection, row: Row[Any]) -> bool:
    later = (run.c.campaign == row.campaign, run.c.target == row.target)
    query = select(run.c.id).where(*later, run.c.attempt > row.attempt)
    return connection.execute(query.limit(1)).first() is not None


def _ended(
    connection: Connection, row: Row[Any], outcome: str, reason: str, *, is_final: bool
) -> Stored:
    earlier = select(run.c.outcome).where(
        run.c.campaign == row.campaign, run.c.target == row.target, run.c.id != row.id
    )
    attempt = Attempt(
        outcome=outcome,
        earlier=tuple(filter(None, connection.scalars(earlier))),
        retries=row.retries,
        is_final=is_final,
    )
    is_repeated = retry.is_due(attempt)
    if is_repeated:
        _repeat(connection, row)
    return Stored(row.target, row.attempt, outcome, reason, is_repeated)


def _repeat(connection: Connection, row: Row[Any]) -> None:
    kept = ("campaign", "target", "labels", "needs", "retries", "rank", "exclusive", "spends")
    values = {name: row._mapping[name] for name in kept}
    fresh = {"attempt": row.attempt + 1, "state": QUEUED, "complete": False}
    connection.execute(insert(run).values(**values, **fresh, queued=now(connection)))
    connection.execute(update(campaign).where(campaign.c.id == row.campaign).values(ended=None))
