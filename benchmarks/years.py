"""A memory of many nights, made of one recorded run: rows are copied, and some verdicts altered."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert, literal, select, update

from conformance.contract import revisions
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.fleet.memory import recording, tables
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.recording import Ended

FIRST = datetime(2026, 1, 1, 2, tzinfo=UTC)
HOUR = 3600.0
COPIED = ("verdict", "cause", "observation", "latency", "artefact")
FAILED_EVERY = 9
"""Every so many nights a target fails; which nights depends on the target."""


def fill(memory: Memory, report: Path, nights: int, targets: int, first: int = 0) -> None:
    """Add campaigns over some targets, night by night from the number `first` on."""
    with memory.writing() as connection:
        made = {failed: _run(connection, report, failed=failed) for failed in (False, True)}
        for night in range(first, first + nights):
            number = _campaign(connection, night)
            for target in range(targets):
                failed = (night + 2 * target) % FAILED_EVERY == 0
                _copy(connection, made[failed], number, (night, target))
        _remove(connection, list(made.values()))


def _run(connection: Connection, report: Path, *, failed: bool) -> int:
    """The number of a run to copy: the recorded one, or one with a failure."""
    made: Any = json.loads((report / recording.REPORT).read_bytes())
    if failed:
        entry = next(each for each in made["requirements"] if each["verdict"] == "pass")
        entry["verdict"] = "fail"
        entry["operations"] = dict.fromkeys(entry["operations"], "fail")
        made["verdict"] = "non-conformant"
    files = {recording.REPORT: json.dumps(made).encode()}
    code = NON_CONFORMANT if failed else CONFORMANT
    return recording.add(connection, "template", Ended(code, files, revisions.latest().name))


def _campaign(connection: Connection, night: int) -> int:
    began = (FIRST + timedelta(days=night)).timestamp()
    values = {
        "name": f"night-{night:03}",
        "identity": "fleet",
        "fleet": "",
        "started": began,
        "ended": began + HOUR,
    }
    table = tables.campaign
    number: int = connection.execute(
        insert(table).values(values).returning(table.c.id)
    ).scalar_one()
    return number


def _copy(connection: Connection, run: int, campaign: int, place: tuple[int, int]) -> None:
    """Copy a run with all that it has shown, as that of one target in one night."""
    night, target = place
    began = (FIRST + timedelta(days=night, seconds=60 * target)).timestamp()
    own = {
        "campaign": campaign,
        "target": f"target-{target:03}",
        "exclusive": f"target-{target:03}",
        "claim": f"{night}-{target}",
        "started": began,
        "ended": began + 30,
    }
    number = _inserted(connection, run, own)
    for name in COPIED:
        table = tables.METADATA.tables[name]
        others = [column for column in table.c if column.name != "run"]
        rows = select(literal(number), *others).where(table.c.run == run)
        columns = ["run", *(column.name for column in others)]
        connection.execute(insert(table).from_select(columns, rows))
    slower = 1 + night % 7 / 10
    times = tables.latency.c
    connection.execute(
        update(tables.latency)
        .where(times.run == number)
        .values(median=times.median * slower, p95=times.p95 * slower)
    )


def _inserted(connection: Connection, run: int, own: dict[str, Any]) -> int:
    table = tables.run
    row = dict(connection.execute(select(table).where(table.c.id == run)).one()._mapping)
    values = {name: value for name, value in row.items() if name != "id"} | own
    number: int = connection.execute(
        insert(table).values(values).returning(table.c.id)
    ).scalar_one()
    return number


def _remove(connection: Connection, runs: list[int]) -> None:
    """Delete the runs that were copied."""
    for name in COPIED:
        table: Table = tables.METADATA.tables[name]
        connection.execute(table.delete().where(table.c.run.in_(runs)))
    connection.execute(tables.run.delete().where(tables.run.c.id.in_(runs)))
