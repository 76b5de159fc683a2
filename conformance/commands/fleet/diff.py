"""`conformance fleet diff`: what changed on each target from one campaign to another."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from conformance.commands.fleet.history import changed_lines
from conformance.commands.fleet.memory import campaign, reader
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.fleet.answers import changes, standing
from conformance.fleet.answers.changes import Changes
from conformance.fleet.memory import reading
from conformance.fleet.memory.reading import Campaign, Run
from conformance.report.console import output

Runs = Mapping[str, Run]


def run(arguments: argparse.Namespace) -> int:
    """Compare two campaigns; exit code 1 if something broke."""
    with reader(arguments.db) as connection:
        before, after = (
            _runs(connection, campaign(connection, name))
            for name in (arguments.before, arguments.after)
        )
        found = {
            target: _between(connection, before[target], after[target])
            for target in sorted(before.keys() & after.keys())
        }
    if arguments.json:
        document = _document(before, after, found)
        output.document(document)
    else:
        output.lines(_lines(before, after, found))
    return NON_CONFORMANT if any(each.broke for each in found.values()) else CONFORMANT


def _runs(connection: Connection, found: Campaign) -> Runs:
    """The last attempt of each target."""
    return {each.target: each for each in reading.latest(reading.runs(connection, found.id))}


def _between(connection: Connection, before: Run, after: Run) -> Changes:
    """The changes of a target; none where one of the two runs has no verdict."""
    if before.verdict is None or after.verdict is None:
        return Changes()
    return changes.between(
        reading.verdicts(connection, before.id),
        reading.verdicts(connection, after.id),
        standing.statements(connection, [before, after]),
    )


def _outcomes(before: Runs, after: Runs) -> Iterator[tuple[str, str, str]]:
    """The targets with another outcome."""
    for target in sorted(before.keys() | after.keys()):
        then, now = (
            (runs[target].outcome or runs[target].state) if target in runs else "not there"
            for runs in (before, after)
        )
        if then != now:
            yield target, then, now


def _document(before: Runs, after: Runs, found: Mapping[str, Changes]) -> dict[str, Any]:
    return {
        "outcomes": [
            {"target": target, "before": then, "now": now}
            for target, then, now in _outcomes(before, after)
        ],
        "targets": {target: each.document() for target, each in found.items() if each},
    }


def _lines(before: Runs, after: Runs, found: Mapping[str, Changes]) -> Iterator[str]:
    outcomes = {target: (then, now) for target, then, now in _outcomes(before, after)}
    changed = sorted({*outcomes, *(target for target, each in found.items() if each)})
    if not changed:
        yield "Nothing changed."
    for target in changed:
        then, now = outcomes.get(target, ("", ""))
        yield f"{target}  {then}, now {now}" if then else target
        yield from changed_lines(found.get(target, Changes()))
