"""Memories of every version that was ever published: each is migrated, and keeps what it holds.

`versions/N-DATABASE.sql` is a memory of version N with one run, as SQL. Such a file never changes.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_cluster import Cluster
from sqlalchemy import inspect

from conformance.fleet.memory import database, migrations, reading, recording
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.recording import Ended
from conformance.fleet.memory.tables import VERSION

FOLDER = Path(__file__).parent / "versions"


def _schema(memory: Memory) -> dict[str, Any]:
    """The columns, keys and indexes of every table."""
    found = inspect(memory.engine)
    return {
        name: {
            "columns": {
                each["name"]: (str(each["type"]), each["nullable"])
                for each in found.get_columns(name)
            },
            "key": found.get_pk_constraint(name)["constrained_columns"],
            "indexes": {str(each["name"]) for each in found.get_indexes(name)},
            "unique": {str(each["name"]) for each in found.get_unique_constraints(name)},
        }
        for name in found.get_table_names()
    }


def _check(stored: str, fresh: str) -> None:
    """The memory has the tables of a new one, and the next run follows those that it holds."""
    memories = [database.open_memory(url) for url in (stored, fresh)]
    old, new = memories
    assert _schema(old) == _schema(new)
    with old.writing() as connection:
        added = recording.add(connection, "eu", Ended(0, {"log": b"{}"}))
        before, now = reading.history(connection, "eu")
        verdicts = reading.verdicts(connection, before.id)
        times = reading.latencies(connection, before.id)
        assert migrations.version(connection) == VERSION
    assert now.id == added
    assert (before.outcome, before.exchanges) == ("non-conformant", 5000)
    failed = [(each.operation, each.message) for each in verdicts]
    assert failed == [("", "it returned 500"), ("account_get", "it returned 500")]
    assert times["account_get"].p95 == 0.05
    for memory in memories:
        memory.close()


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_memory_in_sqlite_is_migrated(version: int, tmp_path: Path) -> None:
    """From each version to the latest one."""
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript((FOLDER / f"{version}-sqlite.sql").read_text(encoding="utf-8"))
    _check(f"sqlite:///{tmp_path / 'old.db'}", f"sqlite:///{tmp_path / 'new.db'}")


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_memory_in_postgresql_is_migrated(version: int, cluster: Cluster) -> None:
    """From each version to the latest one."""
    url = cluster.database()
    with psycopg.connect(url) as connection:
        connection.execute((FOLDER / f"{version}-postgresql.sql").read_bytes())
    _check(url, cluster.database())
