"""The log of the exchanges of a run: a file of bounded size for each process, merged into one."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from conformance.http import serialization
from conformance.http.exchange import FACT

EXCHANGES = "exchanges.jsonl"
PARTS = "exchanges-*.jsonl"

MAX_LOG = 1_000_000_000
"""Bytes of the log of a run."""

COPIES = 3
"""How often the log of several processes is on disk while it is merged."""

RESERVE = 10
"""One part in this many of the log is for exchanges with the beginnings of their bodies only."""

LONGEST_BEGINNING = 500
"""Characters of such a beginning."""

FACT_LINE = b'{"id":"' + FACT.encode()
"""The beginning of the line of an exchange that belongs to a fact."""


class ExchangeLog:
    """The log of one process: JSON lines, unbuffered, so that a killed run loses none.

    `most` is the largest number of bytes. `has_cut` tells whether a body, or an exchange, was left
    out because of it.
    """

    def __init__(self, path: Path, most: int = MAX_LOG) -> None:
        self.directory = path.parent
        self.directory.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb", buffering=0)
        self._most = most
        self._written = 0
        # A run that was stopped closes it beside threads that it does not wait for: they must not
        # write to another file that gets its number.
        self._using = threading.Lock()
        self.has_cut = False

    def write(self, document: Mapping[str, Any]) -> bool:
        """Write one exchange; whether it was written whole."""
        line = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
        if self._written + len(line) <= self._most - self._most // RESERVE:
            return self._append(line)
        self.has_cut = True
        line = orjson.dumps(serialization.shortened(document, LONGEST_BEGINNING)) + b"\n"
        if self._written + len(line) <= self._most:
            self._append(line)
        return False

    def _append(self, line: bytes) -> bool:
        with self._using:
            self._file.write(line)
        self._written += len(line)
        return True

    def close(self) -> None:
        """Close the file."""
        with self._using:
            self._file.close()


def parts(directory: Path) -> list[Path]:
    """The logs of the processes of a run under way."""
    return sorted(directory.glob(PARTS))


def merge(directory: Path) -> None:
    """Make one log of those of all processes, without lines that are still incomplete.

    The log of a single process gets a second name, so that it takes up no further space. Raises
    FileNotFoundError where the directory is gone: a new one would have a report without its log.
    """
    found, whole = parts(directory), directory / EXCHANGES
    fresh = whole.with_name(f"{EXCHANGES}.new")
    fresh.unlink(missing_ok=True)
    if len(found) == 1 and _is_complete(found[0]):
        if whole.exists() and whole.samefile(found[0]):
            return
        with suppress(OSError):  # a file system without hard links
            fresh.hardlink_to(found[0])
            fresh.replace(whole)
            return
    known: set[bytes] = set()
    with fresh.open("wb") as written:
        for part in found:
            written.writelines(_without_repeated_facts(part, known))
    fresh.replace(whole)


def read(directory: Path) -> Iterator[Any]:
    """The exchanges in the log, up to a line that is still incomplete."""
    with (directory / EXCHANGES).open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield orjson.loads(line)


def _is_complete(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _without_repeated_facts(path: Path, known: set[bytes]) -> Iterator[bytes]:
    """The complete lines of a process; a fact that an earlier one found is left out."""
    found: set[bytes] = set()
    with path.open("rb") as lines:
        for line in lines:
            fact = line.partition(b"#")[0] if line.startswith(FACT_LINE) else None
            if line.endswith(b"\n") and (fact is None or fact not in known):
                yield line
            if fact is not None:
                found.add(fact)
    known |= found
