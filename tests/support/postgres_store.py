"""The store of the reference in PostgreSQL, which several processes of a service share."""

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import psycopg
from psycopg.rows import dict_row

from conformance.reference.store import Store

TRANSLATED = (
    (re.compile(r"json_each\((.*?)\)"), r"json_array_elements_text(CAST(\1 AS json))"),
    (re.compile(r":(\w+)"), r"%(\1)s"),
    (re.compile(r"\?"), "%s"),
    (re.compile(r"sqlite_master WHERE name"), "pg_tables WHERE tablename"),
    (re.compile(r" WITHOUT ROWID"), ""),
    (re.compile(r"\bINTEGER PRIMARY KEY"), "BIGSERIAL PRIMARY KEY"),
    (re.compile(r"\bINTEGER\b"), "BIGINT"),
    (re.compile(r"\bREAL\b"), "DOUBLE PRECISION"),
    # Other writers wait, as they do for SQLite's lock.
    (re.compile(r"BEGIN IMMEDIATE"), "BEGIN; SELECT pg_advisory_xact_lock(1)"),
)
"""What PostgreSQL writes in another way."""


class PostgresStore(Store):
    """The records of a database, which the first store fills."""

    def __init__(self, database: str, seed: int) -> None:
        self._lock = threading.RLock()
        self._connection = _Connection(database)  # type: ignore[assignment]
        with self.transaction():
            self.open_count = self._open(seed, None)


class _Connection:
    """A connection that takes the statements of the SQLite store."""

    def __init__(self, database: str) -> None:
        self._postgres = psycopg.connect(database, autocommit=True, row_factory=dict_row)

    def execute(self, sql: str, values: object = None) -> Any:
        """Execute a statement; a cursor with its rows."""
        return self._postgres.execute(_translated(sql), _plain(values))

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute a statement for each row."""
        self._postgres.cursor().executemany(_translated(sql), [_plain(row) for row in rows])

    def close(self) -> None:
        """Close the connection."""
        self._postgres.close()


def _translated(sql: str) -> bytes:
    for pattern, replacement in TRANSLATED:
        sql = pattern.sub(replacement, sql)
    return sql.encode()


def _plain(values: Any) -> Any:
    """The values of a statement as PostgreSQL takes them."""
    if isinstance(values, Mapping):
        return {key: _value(each) for key, each in values.items()}
    return tuple(map(_value, values)) if values is not None else None


def _value(value: object) -> object:
    """SQLite has no booleans, and a text of PostgreSQL has no NUL: keys may have one."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffe")
    return int(value) if isinstance(value, bool) else value
