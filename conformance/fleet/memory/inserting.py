"""Inserts a row unless it is there, also where other processes do the same at that moment."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Table, literal_column
from sqlalchemy.dialects import postgresql, sqlite


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row; False where a unique column has its value already."""
    is_file = connection.dialect.name == "sqlite"
    statement = (sqlite if is_file else postgresql).insert(table).values(row)
    # Not every driver counts the rows of an insertion.
    inserted = statement.on_conflict_do_nothing().returning(literal_column("1"))
    return connection.execute(inserted).first() is not None
