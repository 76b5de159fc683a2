"""The store: one SQLite database, in memory or in a file that several processes may share.

One connection serves all threads, behind a lock. Writing happens in transactions that take SQLite's write lock at their beginning,
so that what a transaction has read is still true when it writes.
"""

import sqlite3
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

from conformance.reference import dataset, records, schema
from conformance.reference.errors import Unavailable

Row = Mapping[str, Any]
"""A record or a part of one, by column name; what SQLite itself makes is no dict, and made in a fraction of the time."""

BUSY_TIMEOUT_SECONDS: Final = 10.0
"""How long a statement waits for another process to finish its transaction."""


class Store:
    """The records. Unavailable where another process keeps the database for too long; `openings` counts how often it was opened."""

    def __init__(self, database: str, seed: int) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            database, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        weakref.finalize(self, self._connection.close)  # where whoever made it forgets to
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        try:
            with self.transaction():
                self.open_count = self._open(seed)
        except BaseException:
            self.close()
            raise

    def rows(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        """All rows of a query."""
        with self._lock, _unavailable_when_busy():
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Mapping[str, object]) -> Row | None:
        """The one row of a query, or None."""
        matches = self.rows(sql, values)
        return matches[0] if matches else None

    def write(self, sql: str, values: Mapping[str, object]) -> None:
        """Change records; inside a transaction where several changes belong together."""
        with self._lock, _unavailable_when_busy():
            self._connection.execute(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside happens at once or, where it raises, not at all; nobody else writes meanwhile."""
        with self._lock, _unavailable_when_busy():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Give the database back; every later call fails."""
        self._connection.close()

    def _open(self, seed: int) -> int:
        """Fill an empty database, or recognize one that was filled before. ValueError where that had another seed."""
        if self.row("SELECT 1 FROM sqlite_master WHERE name = 'opened'", {}) is None:
            self._fill(seed)
        opened = self.rows("SELECT seed, version, times FROM opened", {})[0]
        if (opened["seed"], opened["version"]) != (seed, dataset.VERSION):
            raise ValueError(
                f"the database holds dataset version {opened['version']} of seed {opened['seed']}: use another file"
            )
        self.write("UPDATE opened SET times = times + 1", {})
        return int(opened["times"]) + 1

    def _fill(self, seed: int) -> None:
        """Make the tables, and put the dataset of the seed into them."""
        for statement in schema.TABLES:
            self._connection.execute(statement)
        data = dataset.build(seed)
        self._insert("companies", records.Company, data.companies)
        self._insert("projects", records.Project, data.projects)
        self._insert("videos", records.Video, data.videos)
        self._insert("localizations", records.Localization, data.localizations)
        self._insert("reviews", records.Review, data.reviews)
        self._insert("comments", records.Comment, data.comments)
        self._insert("replies", records.Reply, data.replies)
        self._insert("activity", records.Activity, data.activity)
        self._insert("accounts", records.Account, data.identities.accounts)
        self._insert("memberships", records.Membership, data.identities.memberships)
        self._insert("grants", records.Grant, data.identities.grants)
        self._insert("credentials", records.Credential, data.identities.credentials)
        self._connection.execute("INSERT INTO opened VALUES (?, ?, 0)", (seed, dataset.VERSION))

    def _insert(self, table: str, record_type: type[Any], rows: Sequence[object]) -> None:
        """Add records whose fields are the columns of the table."""
        columns = [field.name for field in fields(record_type)]
        placeholders = ", ".join("?" * len(columns))
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders})"
        self._connection.executemany(statement, map(attrgetter(*columns), rows))


@contextmanager
def _unavailable_when_busy() -> Iterator[None]:
    """A database that stays locked is a service that is not available for the moment."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise Unavailable from error
        raise
