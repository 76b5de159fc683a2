"""Large databases for the benchmarks: copies of the records of a smaller one."""

import importlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conformance.contract.identifiers import is_uuid
from conformance.reference import Reference

ROOT = Path(__file__).parents[2]
TIMES = 3


@pytest.fixture
def databases(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[list[sqlite3.Connection]]:
    """The usual database of the reference, and one with three times its records."""
    monkeypatch.syspath_prepend(ROOT)
    enlarge = importlib.import_module("benchmarks.enlarged").enlarge
    for name in ("usual", "larger"):
        with closing(Reference(database=str(tmp_path / name))):
            pass
    enlarge(tmp_path / "larger", TIMES)
    opened = [sqlite3.connect(tmp_path / name) for name in ("usual", "larger")]
    yield opened
    for each in opened:
        each.close()


@pytest.mark.parametrize("table", ["projects", "videos", "localizations", "reviews"])
def test_each_record_is_copied_under_an_id_of_its_own(
    databases: list[sqlite3.Connection], table: str
) -> None:
    """The ids are UUIDs, and the records that are there already stay."""
    usual, larger = (
        {id for (id,) in each.execute(f"SELECT id FROM {table}")} for each in databases
    )
    assert len(larger) == TIMES * len(usual)
    assert usual < larger
    assert all(map(is_uuid, larger))


def test_copies_refer_to_copies(databases: list[sqlite3.Connection]) -> None:
    """A video belongs to the copy of its project, and the grants include it."""
    _, larger = databases
    assert larger.execute("PRAGMA foreign_key_check").fetchall() == []
    videos = "SELECT count(*) FROM videos JOIN projects ON projects.id = project_id"
    same = f"{videos} WHERE substr(videos.id, 1, 4) = substr(project_id, 1, 4)"
    copied = larger.execute(f"{videos} WHERE substr(project_id, 1, 4) < '0003'").fetchone()
    assert larger.execute(f"{same} AND substr(project_id, 1, 4) < '0003'").fetchone() == copied
    counts = [each.execute("SELECT count(*) FROM grants").fetchone()[0] for each in databases]
    assert counts[1] == TIMES * counts[0]
