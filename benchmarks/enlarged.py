"""A large database of the reference: copies of a smaller one, with ids of their own.

Records of the reference are Python objects while they are made: ten million of them would not fit.
"""

import sqlite3
from pathlib import Path

BASE = 10_000
"""Projects that the reference makes itself."""

COPIED = {
    "projects": ("id",),
    "videos": ("id", "project_id"),
    "localizations": ("id", "video_id"),
    "reviews": ("id", "project_id", "video_id", "subject_id"),
    "grants": ("project_id",),
}
"""The tables that are copied, and their columns that hold ids of copied records."""


def copies(projects: int) -> int:
    """How many times the records are there, the first time included."""
    return max(1, round(projects / BASE))


def enlarge(database: Path, times: int) -> None:
    """Copy the records of a database so that they are there so many times."""
    connection = sqlite3.connect(database)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -200000")
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        for table, ids in COPIED.items():
            connection.execute(_copying(connection, table, ids), {"times": times})
        for _, statement in indexes:
            connection.execute(statement)
        connection.execute("ANALYZE")
        connection.commit()
    finally:
        connection.close()


def _copying(connection: sqlite3.Connection, table: str, ids: tuple[str, ...]) -> str:
    """Inserts the copies of a table; the first digits of an id tell which copy it belongs to.

    Its own first digits become the last ones: otherwise an id that has them already is its copy.
    """
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = [
        f"printf('%04x', n) || substr(record.{name}, 5, 28) || substr(record.{name}, 1, 4)"
        if name in ids
        else f"record.position + n * {_most(connection, table)}"
        if name == "position"
        else f"record.{name}"
        for name in columns
    ]
    return (
        "WITH RECURSIVE numbers(n) AS"
        " (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :times)"
        f" INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)}"
        f" FROM numbers, {table} AS record WHERE :times > 1"
    )


def _most(connection: sqlite3.Connection, table: str) -> int:
    found: int = connection.execute(f"SELECT max(position) FROM {table}").fetchone()[0]
    return found
