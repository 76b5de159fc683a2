"""The journal of a run: a record of each item as it ends, so that a killed run can be reported."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

import orjson

from conformance.contract import published
from conformance.report.document_types import AboutEntry
from conformance.report.known_failures import Known
from conformance.storage import fresh_file, json_text, regular_file

JOURNAL = "journal.jsonl"
SHARD = "shard.jsonl"
"""The journal of a shard that has ended, from which shards are merged."""
UNFINISHED = "unfinished.jsonl"
"""The journal of a run that was stopped, or has used up its time, which can be resumed."""

LARGEST = 512 * regular_file.MIB
"""Bytes of a journal that is read."""


class JournalError(ValueError):
    """The journal is missing or invalid; str() has the reason."""


class Journal:
    """The journal of a run under way: a line about the run, then a line for each finished item.

    `records` are those of the run that it resumes; its journal is there until they are written.
    """

    def __init__(
        self,
        directory: Path,
        about: AboutEntry,
        known: Sequence[Known] | None,
        records: Sequence[str] = (),
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / JOURNAL
        with fresh_file.writing(self._path) as fresh:
            for record in (orjson.dumps({"about": about, "known": known}).decode(), *records):
                fresh.write(_line(record))
        self._file = fresh_file.appending(self._path)

    def add(self, record: str) -> None:
        """Write one line at once."""
        self._file.write(_line(record))

    def close(self) -> None:
        """Write no more: nothing can be written."""
        self._file.close()

    def remove(self) -> None:
        """Delete the journal: the report has everything that is in it."""
        self._file.close()
        self._path.unlink()

    def keep(self, name: str, order: Iterable[str] | None = None) -> None:
        """Keep the journal of a run that has ended, under another name.

        `order` has the items as the report takes them: concurrent checks end in another order in
        each run.
        """
        self._file.close()
        if order is not None:
            _sort(self._path, order)
        self._path.replace(self._path.with_name(name))


def _line(record: str) -> bytes:
    return json_text.inert(f"{record}\n".encode())


def _sort(path: Path, order: Iterable[str]) -> None:
    """Write the records of a journal in the order of their items."""
    with regular_file.opened(path) as lines, fresh_file.writing(path) as written:
        written.write(lines.readline())
        # Several processes may have found one fact: the report takes the first record of it first.
        places: dict[str, list[int]] = {}
        for item, place in _places(lines):
            places.setdefault(item, []).append(place)
        for place in chain.from_iterable(places[item] for item in order):
            lines.seek(place)
            written.write(lines.readline())


def _places(lines: IO[bytes]) -> Iterator[tuple[str, int]]:
    """The item of each record, and the offset of its line."""
    place = lines.tell()
    while line := lines.readline():
        yield orjson.loads(line)["item"], place
        place += len(line)


def read(
    directory: Path, name: str = JOURNAL
) -> tuple[AboutEntry, tuple[Known, ...] | None, list[str]]:
    """The line about the run, its known failures, and the records of items. Raises JournalError."""
    path = directory / name
    try:
        # What follows the last line break is incomplete.
        lines = regular_file.read(path, LARGEST).split(b"\n")[:-1]
    except OSError as problem:
        raise JournalError(f"{path}: {problem.strerror}") from None
    head = _checked(path, 1, lines[0] if lines else b"", published.JOURNAL)
    for number, record in enumerate(lines[1:], 2):
        _checked(path, number, record, published.RECORD)
    return head["about"], _known(head["known"]), [record.decode() for record in lines[1:]]


def _checked(path: Path, number: int, line: bytes, schema: str) -> Any:
    try:
        return published.read(line, schema)
    except published.Malformed as problem:
        raise JournalError(f"{path}: not the journal of a run: line {number}: {problem}") from None


def _known(stated: Sequence[Mapping[str, Any]] | None) -> tuple[Known, ...] | None:
    return None if stated is None else tuple(map(Known.recorded, stated))
