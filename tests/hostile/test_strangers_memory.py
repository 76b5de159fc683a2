"""The database of a fleet that a stranger has written."""

import hashlib
import sqlite3
import zlib
from pathlib import Path

import pytest
from fleet_memory import nights
from measured import measured

from conformance.contract.exit_codes import USAGE_ERROR
from conformance.fleet.memory import database

MIB = 1 << 20
MOST_MEMORY = 400
"""MiB of the whole command."""

CONTENTS = {
    "blanks": (1 << 10, b" " * MIB),
    "blanks in bounds": (31, b" " * MIB),
    "empty lists": (31, b"[]," * (MIB // 3)),
    "lines": (31, b"{}\n" * (MIB // 3)),
    "brackets": (31, b"[" * MIB),
}
"""How often a piece is repeated, and the piece."""


def packed(times: int, piece: bytes) -> tuple[str, bytes]:
    """The digest of a long content, and the content compressed; never whole in memory."""
    hashed, stream, pieces = hashlib.sha256(), zlib.compressobj(1), []
    for _ in range(times):
        hashed.update(piece)
        pieces.append(stream.compress(piece))
    return hashed.hexdigest(), b"".join([*pieces, stream.flush()])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a memory of one night."""
    opened = database.open_memory(f"sqlite:///{tmp_path / 'fleet.db'}")
    nights(opened, 1)
    opened.close()
    return tmp_path


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_memory_of_a_stranger_takes_little_memory(kind: str, folder: Path) -> None:
    """Every file of every run is large, and its digest is right: one line for each target."""
    digest, content = packed(*CONTENTS[kind])
    with sqlite3.connect(folder / "fleet.db") as connection:
        connection.execute("INSERT INTO blob VALUES (?, ?, ?)", (digest, 2, content))
        for name in ("report.json", "run.json", "target.json", "exchanges.jsonl"):
            connection.execute(
                "INSERT OR REPLACE INTO artefact (run, name, digest) SELECT id, ?, ? FROM run",
                (name, digest),
            )
    connection.close()
    done = measured(folder, "fleet", "rejudge", "-j", "1", "--db", "sqlite:///fleet.db")
    lines = (done.output + done.problems).splitlines()
    assert done.code in (0, 4), done
    assert len(lines) <= 4
    assert "Traceback" not in done.problems
    assert done.memory < MOST_MEMORY


SIZES = {
    "right": (120 * MIB, "exchanges.jsonl has 120 MiB, at most 96 MiB are read"),
    "wrong": (2, "exchanges.jsonl has more than 96 MiB, which are read at most"),
    "a text": ("large", "exchanges.jsonl has more than 96 MiB, which are read at most"),
}


@pytest.mark.parametrize("kind", SIZES)
def test_a_file_that_is_too_large_is_named_with_its_size(kind: str, folder: Path) -> None:
    """It is there, so the evidence is not said to be missing."""
    stated, expected = SIZES[kind]
    digest, content = packed(120, b" " * MIB)
    rest, blank = packed(1, b"{}")
    with sqlite3.connect(folder / "fleet.db") as connection:
        connection.executemany(
            "INSERT INTO blob VALUES (?, ?, ?)", [(digest, stated, content), (rest, 2, blank)]
        )
        for name in ("report.json", "run.json", "target.json", "exchanges.jsonl"):
            connection.execute(
                "INSERT OR REPLACE INTO artefact (run, name, digest) SELECT id, ?, ? FROM run",
                (name, digest if name == "exchanges.jsonl" else rest),
            )
    connection.close()
    done = measured(folder, "fleet", "rejudge", "-j", "1", "--db", "sqlite:///fleet.db")
    assert done.code == 0, done
    assert any(line.endswith(expected) for line in done.output.splitlines()), done
    assert "no evidence" not in done.output


FOREIGN = {
    "a number": "UPDATE blob SET packed = 5",
    "a text": "UPDATE blob SET packed = 'text'",
    "a view": """ALTER TABLE blob RENAME TO old; CREATE VIEW blob AS WITH RECURSIVE
        without_end(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM without_end)
        SELECT digest, size, packed FROM old, without_end""",
    "a trigger": "CREATE TRIGGER every AFTER INSERT ON run BEGIN DELETE FROM run; END",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_memory_of_other_kinds_ends_in_one_line(kind: str, folder: Path) -> None:
    """Values of another type, and statements of whoever has made the file, which never end."""
    digest, content = packed(1, b"{}")
    with sqlite3.connect(folder / "fleet.db") as connection:
        connection.execute("INSERT INTO blob VALUES (?, 2, ?)", (digest, content))
        connection.execute(
            "INSERT OR REPLACE INTO artefact (run, name, digest) SELECT id, 'run.json', ? FROM run",
            (digest,),
        )
        connection.executescript(FOREIGN[kind])
    connection.close()
    done = measured(folder, "fleet", "rejudge", "-j", "1", "--db", "sqlite:///fleet.db")
    assert done.code == USAGE_ERROR, done
    assert len((done.output + done.problems).splitlines()) == 1
