"""`conformance fleet history`: the runs of a target, and what changed from one to the next."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from conformance.commands.fleet.memory import reader
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.fleet.answers import standing
from conformance.fleet.answers.changes import Changes
from conformance.fleet.answers.standing import Standing
from conformance.fleet.memory import reading
from conformance.fleet.memory.reading import Run
from conformance.fleet.site.addresses import day, moment
from conformance.report.console import output

Step = tuple[Run, Changes | None]
"""A run, and what changed since the last complete one of the same revision."""


def run(arguments: argparse.Namespace) -> int:
    """Print the last runs of a target, the oldest first, and what fails now."""
    with reader(arguments.db) as connection:
        stands = standing.of(connection, arguments.target)
        if stands.last is None:
            known = ", ".join(reading.targets(connection)[:10]) or "none"
            raise UsageError(f"no target {arguments.target!r}; there are: {known}")
        steps = list(_steps(connection, arguments.target, arguments.last))
    if arguments.json:
        output.document(_document(stands, steps))
    else:
        output.lines(_lines(stands, steps))
    return CONFORMANT


def _steps(connection: Connection, target: str, last: int) -> Iterator[Step]:
    for each in reading.history(connection, target)[-last:]:
        yield each, standing.since_previous(connection, each)


def _document(stands: Standing, steps: Sequence[Step]) -> dict[str, Any]:
    return {
        "target": stands.target,
        "runs": [
            {**asdict(each), "changes": changed.document() if changed is not None else None}
            for each, changed in steps
        ],
        "failing": [asdict(each) for each in stands.failures],
    }


def _lines(stands: Standing, steps: Sequence[Step]) -> Iterator[str]:
    for each, changed in steps:
        reason = f"  {each.reason}" if each.reason else ""
        yield f"{moment(each.ended)}  {each.outcome or each.state:15}{reason}".rstrip()
        if changed is not None:
            yield from changed_lines(changed)
    for failure in stands.failures:
        if failure.flapping is not None:
            yield f"FLAPPING  {failure.name}  fails in {failure.flapping}"
        elif failure.since is not None:
            first = failure.since
            when = day(first.point.started) + (" or before" if first.is_first else "")
            suite = ", with another suite" if first.is_new_suite else ""
            yield f"FAILS     {failure.name}  since {when}{suite}"


def changed_lines(changed: Changes) -> Iterator[str]:
    """What changed, one line for each requirement and operation."""
    kinds = {
        "broke": changed.broke,
        "fixed": changed.mended,
        "not checked now": changed.lost,
        "flapping": changed.flapping,
    }
    for title, found in kinds.items():
        for each in found:
            share = f", fails in {each.share}" if each.share else ""
            message = f": {each.message}" if each.message else ""
            yield f"  {title:15} {each.name}{share}{message}"
