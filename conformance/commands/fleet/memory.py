"""The memory that a command reads; it has to be there."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from conformance.commands.outcome import UsageError
from conformance.fleet.memory import blobs, database, reading
from conformance.fleet.memory.database import Memory, MemoryProblem
from conformance.fleet.memory.reading import Campaign

LATEST = "latest"


def reader(url: str) -> AbstractContextManager[Connection]:
    """A connection to the memory at a URL. Raises UsageError."""
    return _connected(url, Memory.reading)


def writer(url: str) -> AbstractContextManager[Connection]:
    """A transaction in the memory at a URL. Raises UsageError."""
    return _connected(url, Memory.writing)


@contextmanager
def _connected(
    url: str, connect: Callable[[Memory], AbstractContextManager[Connection]]
) -> Iterator[Connection]:
    try:
        memory = database.open_memory(url, is_new=False)
        try:
            with connect(memory) as connection:
                yield connection
        finally:
            memory.close()
    except MemoryProblem as problem:
        raise UsageError(f"--db {problem}") from None
    except SQLAlchemyError as problem:
        raise UsageError(f"--db: {database.first_line(problem)}") from None
    except (blobs.Damaged, json.JSONDecodeError) as problem:
        raise UsageError(f"--db: this package has not written what is there: {problem}") from None


def campaign(connection: Connection, name: str) -> Campaign:
    """The campaign of a name; `latest`, and `latest~1` for the one before it. Raises UsageError."""
    found = reading.campaign(connection, name)
    if found is not None:
        return found
    campaigns = reading.campaigns(connection)
    first, _, back = name.partition("~")
    steps = int(back) if back.isdecimal() else 0
    if first == LATEST and (back.isdecimal() or name == LATEST) and steps < len(campaigns):
        return campaigns[-1 - steps]
    known = ", ".join(each.name for each in campaigns[-3:]) or "none"
    raise UsageError(f"no campaign {name!r}; the last ones are: {known}")
