"""What the memory holds: campaigns, runs, and what each run has shown. Nothing here writes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import orjson
from sqlalchemy import Connection, Row, Select, Table, select, tuple_

from conformance.fleet.memory import blobs, tables
from conformance.fleet.memory.recording import REPORT
from conformance.report.document_types import AlsoEntry, Report


@dataclass(frozen=True)
class Campaign:
    """One go over the targets of a fleet; `ended` is None while runs are left."""

    id: int
    name: str
    identity: str
    fleet: str
    started: float
    ended: float | None


@dataclass(frozen=True)
class Run:
    """One attempt to check a target; times are seconds since 1970 in UTC.

    `state` is queued, running, done or lost. `outcome` is conformant, non-conformant, incomplete,
    unreachable, error, interrupted or lost, None before its end. What comes from the report is
    None without one. `complete`: it checked what it had to. `suite` numbers the suite, and
    `revision` names the list of requirements by which it checked.
    """

    id: int
    campaign: int | None
    target: str
    attempt: int
    state: str
    labels: Sequence[str]
    spends: bool
    outcome: str | None
    reason: str | None
    complete: bool
    exit_code: int | None
    verdict: str | None
    worker: str | None
    queued: float | None
    started: float | None
    ended: float | None
    duration: float | None
    exchanges: int | None
    base_url: str | None
    product: dict[str, str] | None
    suite: int | None
    revision: str | None
    depth: str | None
    seed: int | None


@dataclass(frozen=True)
class VerdictOf:
    """The verdict of a requirement on one operation; `operation` "" is the whole requirement.

    `message` explains a fail or an error; `known` is the reason of a known failure.
    """

    requirement: str
    operation: str
    verdict: str
    message: str | None
    known: str | None


@dataclass(frozen=True)
class Stated:
    """A requirement as the suite of a run stated it."""

    id: str
    level: str
    conformance_class: str
    section: str
    statement: str


@dataclass(frozen=True)
class Cause:
    """A failed requirement, and those that fail for the same reason."""

    number: int
    requirement: str
    operations: Sequence[str]
    also: Sequence[AlsoEntry]
    exchange: str | None


@dataclass(frozen=True)
class Observation:
    """The distinct values that were seen where the specification is silent."""

    id: str
    subject: str
    values: Sequence[Any]


@dataclass(frozen=True)
class Latency:
    """Response times of one operation, in seconds."""

    operation: str
    count: int
    median: float
    p25: float | None
    p75: float | None
    p95: float
    max: float


MOST_VERSIONS = 10
"""Versions of a product that are listed."""

T = TypeVar("T")


def campaigns(connection: Connection) -> tuple[Campaign, ...]:
    """Every campaign, the oldest first."""
    return _all(
        connection, Campaign, _columns(Campaign, tables.campaign).order_by(tables.campaign.c.id)
    )


def campaign(connection: Connection, name: str) -> Campaign | None:
    """The campaign of a name."""
    query = _columns(Campaign, tables.campaign).where(tables.campaign.c.name == name)
    return next(iter(_all(connection, Campaign, query)), None)


def runs(connection: Connection, campaign: int) -> tuple[Run, ...]:
    """Every attempt of a campaign, by target."""
    run = tables.run.c
    query = _columns(Run, tables.run).where(run.campaign == campaign)
    return _all(connection, Run, query.order_by(run.target, run.attempt))


def latest(attempts: Iterable[Run]) -> tuple[Run, ...]:
    """The last attempt of each target, of the runs of one campaign."""
    last = {run.target: run for run in sorted(attempts, key=lambda run: run.attempt)}
    return tuple(last[target] for target in sorted(last))


def history(connection: Connection, target: str) -> tuple[Run, ...]:
    """Every run of a target that has ended, single ones too, the oldest first."""
    run = tables.run.c
    query = _columns(Run, tables.run).where(run.target == target, run.ended.is_not(None))
    return _all(connection, Run, query.order_by(run.ended, run.id))


def of_product(connection: Connection, name: str, version: str) -> tuple[Run, ...]:
    """Every run of a version of a product that has ended, the oldest first."""
    run = tables.run.c
    query = _columns(Run, tables.run).where(
        run.product["name"].as_string() == name,
        run.product["version"].as_string() == version,
        run.ended.is_not(None),
    )
    return _all(connection, Run, query.order_by(run.ended, run.id))


def versions(connection: Connection, name: str) -> tuple[str, ...]:
    """The versions of a product that have a run, the last ones checked first."""
    product, ended = tables.run.c.product, tables.run.c.ended
    version = product["version"].as_string()
    query = select(version).where(product["name"].as_string() == name, version.is_not(None))
    return tuple(dict.fromkeys(connection.scalars(query.order_by(ended.desc()))))[:MOST_VERSIONS]


def targets(connection: Connection) -> tuple[str, ...]:
    """The name of every target that has a run."""
    target = tables.run.c.target
    return tuple(connection.scalars(select(target).distinct().order_by(target)))


def run(connection: Connection, number: int) -> Run | None:
    """One run."""
    query = _columns(Run, tables.run).where(tables.run.c.id == number)
    return next(iter(_all(connection, Run, query)), None)


def previous(connection: Connection, run: Run) -> Run | None:
    """The last complete run before this one, of the same target and the same revision."""
    row = tables.run.c
    query = _columns(Run, tables.run).where(
        row.target == run.target,
        row.complete,
        row.revision == run.revision,
        tuple_(row.started, row.id) < (run.started or 0.0, run.id),
    )
    newest = query.order_by(row.started.desc(), row.id.desc()).limit(1)
    return next(iter(_all(connection, Run, newest)), None)


def verdicts(connection: Connection, number: int) -> tuple[VerdictOf, ...]:
    """The verdicts of a run, by requirement and operation; () where it has no report."""
    row = tables.verdict.c
    return _of_run(connection, VerdictOf, tables.verdict, number, row.requirement, row.operation)


def requirements(connection: Connection, suite: int) -> dict[str, Stated]:
    """The requirements of a suite by id, in the order of its reports."""
    row = tables.requirement.c
    query = select(row.id, row.level, row["class"], row.section, row.statement)
    found = connection.execute(query.where(row.suite == suite).order_by(row["class"], row.id))
    return {each.id: Stated(*each) for each in found}


def causes(connection: Connection, number: int) -> tuple[Cause, ...]:
    """The causes of the failures of a run."""
    return _of_run(connection, Cause, tables.cause, number, tables.cause.c.number)


def observations(connection: Connection, number: int) -> tuple[Observation, ...]:
    """What a run observed."""
    row = tables.observation.c
    return _of_run(connection, Observation, tables.observation, number, row.id, row.subject)


def latencies(connection: Connection, number: int) -> dict[str, Latency]:
    """The response times of a run, by operation."""
    found = _of_run(connection, Latency, tables.latency, number, tables.latency.c.operation)
    return {each.operation: each for each in found}


def files(connection: Connection, number: int) -> dict[str, str]:
    """The names of the files of a run, with their digests."""
    row = tables.artefact.c
    found = connection.execute(select(row.name, row.digest).where(row.run == number))
    return {each.name: each.digest for each in found}


def file(connection: Connection, number: int, name: str, most: int | None = None) -> bytes | None:
    """The content of one file of a run, see `blobs.get`; None where it has no such file."""
    digest = files(connection, number).get(name)
    return None if digest is None else blobs.get(connection, digest, most)


def report(connection: Connection, number: int) -> Report | None:
    """The report of a run."""
    content = file(connection, number, REPORT)
    return None if content is None else orjson.loads(content)


def _columns(kind: type[T], table: Table) -> Select[Any]:
    return select(*(table.c[each.name] for each in fields(kind)))  # type: ignore[arg-type]


def _of_run(
    connection: Connection, kind: type[T], table: Table, number: int, *order: Any
) -> tuple[T, ...]:
    query = _columns(kind, table).where(table.c.run == number).order_by(*order)
    return _all(connection, kind, query)


def _all(connection: Connection, kind: Callable[..., T], query: Select[Any]) -> tuple[T, ...]:
    rows: Sequence[Row[Any]] = connection.execute(query).all()
    return tuple(kind(*row) for row in rows)
