"""Queries over many runs at once, as the pages of a fleet need them; nothing here writes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from conformance.contract.verdict import Verdict
from conformance.fleet.answers.changes import COUNTED, Pair
from conformance.fleet.answers.series import Point
from conformance.fleet.memory import tables
from conformance.fleet.memory.reading import Run

LONGEST = 400
"""The runs of a target that are looked back at: more than a year of nights."""

Counts = dict[str, dict[str, int]]
"""How many requirements have each verdict, by conformance class."""


@dataclass(frozen=True)
class Quantiles:
    """The response times of an operation in one run, in seconds."""

    run: int
    started: float
    median: float
    p95: float


def class_counts(connection: Connection, runs: Sequence[Run]) -> dict[int, Counts]:
    """The verdicts of the requirements that count, by run and class."""
    verdict, requirement, run = tables.verdict.c, tables.requirement.c, tables.run.c
    query = (
        select(verdict.run, requirement["class"], verdict.verdict, func.count())
        .join(tables.run, run.id == verdict.run)
        .join(
            tables.requirement,
            (requirement.suite == run.suite) & (requirement.id == verdict.requirement),
        )
        .where(verdict.run.in_([each.id for each in runs]), verdict.operation == "")
        .where(requirement.level.in_(COUNTED))
        .group_by(verdict.run, requirement["class"], verdict.verdict)
    )
    found: dict[int, Counts] = defaultdict(dict)
    for number, name, value, count in connection.execute(query):
        found[number].setdefault(name, {})[value] = count
    return dict(found)


def series(connection: Connection, runs: Sequence[Run]) -> dict[Pair, list[Point]]:
    """The verdicts of what has failed in some of the runs of a target, in their order.

    A requirement as a whole is listed only where none of its operations ever failed.
    """
    by_id = {run.id: run for run in runs[-LONGEST:]}
    row = tables.verdict.c
    of_runs = row.run.in_(by_id)
    failed = select(row.requirement).where(of_runs, row.verdict == Verdict.FAIL).distinct()
    query = select(
        row.run, row.requirement, row.operation, row.verdict, row.message, row.known
    ).where(of_runs, row.requirement.in_(failed))
    found: dict[Pair, list[Point]] = defaultdict(list)
    for number, id, operation, *shown in connection.execute(query):
        run = by_id[number]
        found[id, operation].append(Point(run.id, run.started or 0.0, run.suite, *shown))
    bad = {pair for pair, points in found.items() if any(point.fails for point in points)}
    divided = {id for id, operation in bad if operation}
    return {
        pair: sorted(found[pair], key=lambda point: (point.started, point.run))
        for pair in sorted(bad)
        if pair[1] or pair[0] not in divided
    }


def latencies(connection: Connection, runs: Sequence[Run]) -> dict[str, list[Quantiles]]:
    """The response times of each operation, in the order of the runs of a target."""
    by_id = {run.id: run for run in runs[-LONGEST:]}
    row = tables.latency.c
    query = select(row.run, row.operation, row.median, row.p95).where(row.run.in_(by_id))
    found: dict[str, list[Quantiles]] = defaultdict(list)
    for number, operation, median, p95 in connection.execute(query):
        started = by_id[number].started or 0.0
        found[operation].append(Quantiles(number, started, median, p95))
    return {
        name: sorted(found[name], key=lambda each: (each.started, each.run))
        for name in sorted(found)
    }
