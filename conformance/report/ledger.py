"""The ledger of a run under way: each approval, written before it is sent."""

from pathlib import Path
from typing import Any

import orjson

from conformance.contract import published
from conformance.storage import fresh_file, regular_file

LEDGER_FILE = "ledger.jsonl"


class LedgerError(ValueError):
    """A ledger cannot be read; str() has the file and the reason."""


class Ledger:
    """The approvals of a run, one line each; all its processes append to one file.

    A run that is killed cannot know whether an approval arrived: what stands here counts as spent.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file = fresh_file.appending(directory / LEDGER_FILE)

    def write(self, review: str, attempt: dict[str, Any]) -> None:
        """Write down that a review may be approved now, with its key and revision."""
        self._file.write(orjson.dumps([review, attempt]) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(directory: Path) -> list[tuple[str, dict[str, Any]]]:
    """The reviews that may have been approved, and the attempts; none without the file.

    Raises LedgerError.
    """
    path = directory / LEDGER_FILE
    if not path.exists():
        return []
    try:
        lines = regular_file.read(path).split(b"\n")[:-1]  # the last one may be incomplete
        return [tuple(published.read(line, published.APPROVAL)) for line in lines]
    except OSError as problem:
        raise LedgerError(f"{path}: {problem.strerror}") from None
    except published.Malformed as problem:
        raise LedgerError(f"{path}: not the ledger of a run: {problem}") from None
