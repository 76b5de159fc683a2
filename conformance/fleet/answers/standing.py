"""How a target stands: its latest run, what changed since the one before, and what fails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from conformance.fleet.answers import changes, overview
from conformance.fleet.answers.changes import COUNTED, Changes
from conformance.fleet.answers.series import Point, Since, flapping, since
from conformance.fleet.memory import reading
from conformance.fleet.memory.reading import Run, Stated
from conformance.report.share import Share


@dataclass(frozen=True)
class Failure:
    """A requirement and operation that fails now, or takes turns.

    `since` is None where the latest verdict is no fail, `flapping` where it takes no turns.
    """

    requirement: str
    operation: str
    level: str
    since: Since | None
    flapping: Share | None
    message: str | None
    known: str | None

    @property
    def name(self) -> str:
        """The requirement, with its operation in brackets."""
        return f"{self.requirement}[{self.operation}]" if self.operation else self.requirement


@dataclass(frozen=True)
class Standing:
    """A target: its runs with a verdict, the oldest first, and what they show together.

    `last` is the last run of all, which may have no verdict.
    """

    target: str
    runs: Sequence[Run]
    failures: Sequence[Failure]
    last: Run | None = None

    @property
    def latest(self) -> Run | None:
        """Its last run that has a verdict."""
        return self.runs[-1] if self.runs else None


def of(connection: Connection, target: str) -> Standing:
    """How a target stands after all of its runs."""
    ended = reading.history(connection, target)
    runs = [run for run in ended if run.verdict is not None]
    stated = statements(connection, runs[-1:])
    found = overview.series(connection, runs)
    failures = (_failure(*pair, points, stated) for pair, points in found.items())
    return Standing(
        target, runs, [each for each in failures if each is not None], ended[-1] if ended else None
    )


def _failure(
    requirement: str, operation: str, points: Sequence[Point], stated: Mapping[str, Stated]
) -> Failure | None:
    broken, turns = since(points), flapping(points)
    level = stated[requirement].level if requirement in stated else ""
    if level not in COUNTED or (broken is None and turns is None):
        return None
    last = next(point for point in reversed(points) if point.fails)
    return Failure(requirement, operation, level, broken, turns, last.message, last.known)


def statements(connection: Connection, runs: Sequence[Run]) -> dict[str, Stated]:
    """The requirements as the suites of these runs state them, the last one where they differ."""
    suites = dict.fromkeys(run.suite for run in runs if run.suite is not None)
    found: dict[str, Stated] = {}
    for suite in suites:
        found |= reading.requirements(connection, suite)
    return found


def since_previous(connection: Connection, run: Run) -> Changes | None:
    """What changed since the last complete run of the same target and revision; None without."""
    before = reading.previous(connection, run)
    if before is None or run.verdict is None:
        return None
    found = changes.between(
        reading.verdicts(connection, before.id),
        reading.verdicts(connection, run.id),
        statements(connection, [before, run]),
    )
    if not found:
        return found
    until = [
        each
        for each in reading.history(connection, run.target)
        if each.verdict is not None and (each.started or 0.0) <= (run.started or 0.0)
    ]
    turns = {pair: flapping(points) for pair, points in overview.series(connection, until).items()}
    return found.without_turns({pair: share for pair, share in turns.items() if share})
