"""What the items of a run found, kept as each of them ends: a run that was killed can still be told, whole."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from conformance.report.known_failures import Known

JOURNAL = "journal.jsonl"


class JournalError(ValueError):
    """There is no journal, or none that can be read; str() says why."""


class Journal:
    """The journal of a run under way: a line about the run, then a line for each item that has ended."""

    def __init__(
        self, directory: Path, about: Mapping[str, Any], known: Sequence[Known] | None
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / JOURNAL
        self._file = self._path.open("wb", buffering=0)
        self.add(orjson.dumps({"about": about, "known": known}).decode())

    def add(self, record: str) -> None:
        """Write one line down at once."""
        self._file.write(f"{record}\n".encode())

    def remove(self) -> None:
        """Take the journal away: everything that it holds stands in the report."""
        self._file.close()
        self._path.unlink()


def read(directory: Path) -> tuple[dict[str, Any], tuple[Known, ...] | None, list[str]]:
    """What a run said of itself, its known failures, and the records of its items. Raises JournalError."""
    try:
        content = (directory / JOURNAL).read_bytes()
        first, *records, _ = content.split(b"\n")  # what follows the last line break was cut off
        head = orjson.loads(first)
        return dict(head["about"]), _known(head["known"]), [record.decode() for record in records]
    except OSError as problem:
        raise JournalError(f"{directory / JOURNAL}: {problem.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise JournalError(f"{directory / JOURNAL}: is no journal of a run") from None


def _known(stated: Sequence[Mapping[str, Any]] | None) -> tuple[Known, ...] | None:
    if stated is None:
        return None
    days = [entry["expires"] and date.fromisoformat(entry["expires"]) for entry in stated]
    return tuple(
        Known(entry["requirement"], entry["operation"], entry["reason"], day)
        for entry, day in zip(stated, days, strict=True)
    )
