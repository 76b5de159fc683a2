"""The store: one SQLite database, in memory or in a file that several processes may share.

All threads share one connection, guarded by a lock.
Transactions take SQLite's write lock when they begin, so that no other process can change the
records between their reads and writes.
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
"""The columns of a row by name; `sqlite3.Row` is faster to create than a dict."""

BUSY_TIMEOUT_SECONDS: Final = 10.0
"""How long a statement waits for the transaction of another process."""


class Store:
    """The records of one database; `open_count` is the number of times that it was opened.

    Methods raise Unavailable if another process keeps the database locked for too long.
    """

    def __init__(self, database: str, seed: int, projects: int | None = None) -> None:
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(
            database, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.row_factory = sqlite3.Row
        weakref.finalize(self, self._connection.close)  # an unclosed store must not warn
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        try:
            with self.transaction():
                self.open_count = self._open(seed, projects)
        except BaseException:
            self.close()
            raise

    def rows(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        """All rows of a query."""
        with self._lock, _unavailable_when_busy:
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Mapping[str, object]) -> Row | None:
        """The first row of a query, or None."""
        matches = self.rows(sql, values)
        return matches[0] if matches else None

    def write(self, sql: str, values: Mapping[str, object]) -> None:
        """Execute a statement that changes records."""
        with self._lock, _unavailable_when_busy:
            self._connection.execute(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes of the block, or none of them if it raises; other writers wait."""
        with self._lock, _unavailable_when_busy:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the database; every later call fails."""
        self._connection.close()

    def _open(self, seed: int, projects: int | None) -> int:
        """Fill an empty database; return how often it was opened. ValueError for another seed."""
        if self.row("SELECT 1 FROM sqlite_master WHERE name = 'opened'", {}) is None:
            self._fill(seed, projects)
        opened = self.rows("SELECT seed, version, times FROM opened", {})[0]
        if (opened["seed"], opened["version"]) != (seed, dataset.VERSION):
            content = f"dataset version {opened['version']} of seed {opened['seed']}"
            raise ValueError(f"the database holds {content}: use another file")
        self.write("UPDATE opened SET times = times + 1", {})
        return int(opened["times"]) + 1

    def _fill(self, seed: int, projects: int | None) -> None:
        """Create the tables, and insert the dataset of the seed."""
        for statement in schema.TABLES:
            self._connection.execute(statement)
        data = dataset.build(seed, projects)
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
        """Insert records; their fields are the columns of the table."""
        columns = [field.name for field in fields(record_type)]
        placeholders = ", ".join("?" * len(columns))
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders})"
        self._connection.executemany(statement, map(attrgetter(*columns), rows))


class _UnavailableWhenBusy:
    """Raises Unavailable instead of SQLite's error for a locked database."""

    def __enter__(self) -> None:
        """Every query enters it: a generator would take half as long as the query."""

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        """Raise Unavailable for the error of a locked database."""
        if (
            isinstance(error, sqlite3.OperationalError)
            and error.sqlite_errorcode == sqlite3.SQLITE_BUSY
        ):
            raise Unavailable from error


_unavailable_when_busy: Final = _UnavailableWhenBusy()
