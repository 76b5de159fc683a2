"""The memory of a stranger, which lies in the folder in which a command begins."""

import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.contract.exit_codes import USAGE_ERROR
from conformance.fleet.memory import blobs, database, reading

BOMB = zlib.compress(b" " * (64 << 20))
FOREIGN = {
    "a file that unpacks to much": ("UPDATE blob SET packed = ?", (BOMB,)),
    "a file that does not unpack": ("UPDATE blob SET packed = ?", (b"garbage",)),
    "no JSON": ("UPDATE run SET labels = '[[[['", ()),
}
COMMANDS = {
    "a file that unpacks to much": ("rejudge", "-j", "1"),
    "a file that does not unpack": ("rejudge", "-j", "1"),
    "no JSON": ("history", "us"),
}


@pytest.fixture
def foreign(nights: str, tmp_path: Path) -> Path:
    """A copy of a memory, with a file in each of its runs."""
    path = tmp_path / "fleet.db"
    shutil.copy(nights.removeprefix("sqlite:///"), path)
    opened = database.open_memory(f"sqlite:///{path}")
    with opened.writing() as connection:
        digest = blobs.put(connection, b"{}")
        for name in ("report.json", "run.json", "target.json", "exchanges.jsonl"):
            connection.exec_driver_sql(
                "INSERT OR REPLACE INTO artefact SELECT id, ?, ? FROM run", (name, digest)
            )
    opened.close()
    return path


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_memory_of_somebody_else_ends_in_one_line(
    kind: str, foreign: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no version of this package writes is named; nothing is unpacked beyond a bound."""
    monkeypatch.setattr(blobs, "MOST", 1 << 20)
    statement, values = FOREIGN[kind]
    with sqlite3.connect(foreign) as connection:
        connection.execute(statement, values)
    connection.close()
    code = main(["fleet", *COMMANDS[kind], "--db", f"sqlite:///{foreign}"])
    said = capsys.readouterr()
    assert (code, said.out) == (USAGE_ERROR, "")
    assert "this package has not written what is there" in said.err
    assert len(said.err.splitlines()) == 1


def test_an_honest_file_is_what_was_stored(foreign: Path) -> None:
    """It is unpacked as a whole."""
    opened = database.open_memory(f"sqlite:///{foreign}", is_new=False)
    with opened.reading() as connection:
        assert reading.file(connection, 1, "report.json") == b"{}"
    opened.close()
