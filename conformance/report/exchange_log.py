"""The log of the exchanges of a run: a file of bounded size for each process, merged into one."""

import errno
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import orjson

from conformance.contract import published
from conformance.http import serialization
from conformance.http.exchange import FACT
from conformance.storage import fresh_file, json_text, regular_file

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

LONGEST_LINE = 32 * regular_file.MIB
"""Bytes of a line: a longer one is written without most of its bodies, and is not read."""

FACT_LINE = b'{"id":"' + FACT.encode()
"""The beginning of the line of an exchange that belongs to a fact."""


class LogError(ValueError):
    """A log has a line that is not an exchange; str() has the file, the line and the reason."""


class ExchangeLog:
    """The log of one process: JSON lines, unbuffered, so that a killed run loses none.

    `most` is the largest number of bytes. `has_cut` tells whether a body, or an exchange, was left
    out because of it.
    """

    def __init__(self, path: Path, most: int = MAX_LOG) -> None:
        self.directory = path.parent
        self.directory.mkdir(parents=True, exist_ok=True)
        self._file = fresh_file.created(path)
        self._most = most
        self._written = 0
        # A run that was stopped closes it beside threads that it does not wait for: they must not
        # write to another file that gets its number.
        self._using = threading.Lock()
        self.has_cut = False

    def write(self, document: Mapping[str, Any]) -> bool:
        """Write one exchange; whether it was written whole."""
        line = written(document)
        is_short = len(line) <= LONGEST_LINE
        if is_short and self._written + len(line) <= self._most - self._most // RESERVE:
            return self._append(line)
        self.has_cut = True
        line = written(serialization.shortened(document, LONGEST_BEGINNING))
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


def written(document: Mapping[str, Any]) -> bytes:
    """The line of an exchange: people read a log on a terminal, and a target writes its texts."""
    return json_text.inert(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))


def parts(directory: Path) -> list[Path]:
    """The logs of the processes of a run under way."""
    return sorted(directory.glob(PARTS))


def merge(directory: Path) -> None:
    """Make one log of those of all processes, without lines that are still incomplete.

    The log of a single process gets a second name, so that it takes up no further space. Raises
    FileNotFoundError where the directory is gone: a new one would have a report without its log.
    """
    found, whole = parts(directory), directory / EXCHANGES
    if len(found) == 1 and _is_complete(found[0]) and _has_two_names(found[0], whole):
        return
    known: set[bytes] = set()
    with fresh_file.writing(whole) as written:
        for part in found:
            written.writelines(_without_repeated_facts(part, known))


def _has_two_names(part: Path, whole: Path) -> bool:
    """Give the log of a process the name of the whole one; False where the system cannot do so."""
    fresh = fresh_file.beside(whole)
    if whole.exists() and whole.samefile(part):
        return True
    try:
        fresh.hardlink_to(part)
    except OSError:  # a file system without hard links
        return False
    fresh.replace(whole)
    return True


def read(directory: Path) -> Iterator[Any]:
    """The exchanges in the log, up to a line that is still incomplete. Raises LogError."""
    path = directory / EXCHANGES
    with regular_file.opened(path) as lines:
        for number, line in enumerate(complete_lines(lines), 1):
            yield exchange(path, number, line)


def exchange(path: Path, number: int, line: bytes) -> Any:
    """The exchange in a line of a log. Raises LogError."""
    try:
        return published.read(line.rstrip(b"\n"), published.EXCHANGE)
    except published.Malformed as problem:
        raise LogError(f"{path}: not the log of a run: line {number}: {problem}") from None


def complete_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a log, up to one that is still incomplete. OSError for an endless one."""
    while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
        yield line
    if len(line) == LONGEST_LINE:
        raise OSError(errno.EFBIG, f"a line of more than {LONGEST_LINE:,} bytes", file.name)


def _is_complete(path: Path) -> bool:
    with regular_file.opened(path) as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _without_repeated_facts(path: Path, known: set[bytes]) -> Iterator[bytes]:
    """The complete lines of a process; a fact that an earlier one found is left out."""
    found: set[bytes] = set()
    with regular_file.opened(path) as lines:
        for line in complete_lines(lines):
            fact = line.partition(b"#")[0] if line.startswith(FACT_LINE) else None
            if fact is None or fact not in known:
                yield line
            if fact is not None:
                found.add(fact)
    known |= found
