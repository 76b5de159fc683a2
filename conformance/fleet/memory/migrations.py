"""Brings the tables of an older memory up to date; a new one begins with the tables of today."""

import time
from collections.abc import Callable, Mapping

from sqlalchemy import Connection, insert, inspect, select, text

from conformance.fleet.memory.tables import METADATA, VERSION, memory

LOCK = 7_312_186_419
"""The number of the lock in PostgreSQL that lets one process migrate at a time."""

Step = Callable[[Connection], None]

STEPS: Mapping[int, Step] = {}
"""What leads to each version from the one before it."""


class NewerMemory(RuntimeError):
    """A later version of this package has made the tables; str() says what to do."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"its tables have version {version}, and this conformance knows {VERSION}:"
            " update the package"
        )


def migrate(connection: Connection, steps: Mapping[int, Step] = STEPS) -> None:
    """Create the tables, or change those of an older version; within one transaction.

    Raises NewerMemory.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    if not inspect(connection).has_table(memory.name):
        METADATA.create_all(connection)
        _stamp(connection, VERSION)
        return
    found = version(connection)
    if found > VERSION:
        raise NewerMemory(found)
    for number in range(found + 1, VERSION + 1):
        steps[number](connection)
        _stamp(connection, number)


def version(connection: Connection) -> int:
    """The version of the tables."""
    found: int = max(connection.scalars(select(memory.c.version)))
    return found


def _stamp(connection: Connection, number: int) -> None:
    connection.execute(insert(memory).values(version=number, migrated=time.time()))
