"""The ledger of a run under way: each approval, written before it is sent."""

from pathlib import Path
from typing import Any

import orjson

LEDGER_FILE = "ledger.jsonl"


class Ledger:
    """The approvals of a run, one line each; all its processes append to one file.

    A run that is killed cannot know whether an approval arrived: what stands here counts as spent.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file = (directory / LEDGER_FILE).open("ab", buffering=0)

    def write(self, review: str, attempt: dict[str, Any]) -> None:
        """Write down that a review may be approved now, with its key and revision."""
        self._file.write(orjson.dumps([review, attempt]) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(directory: Path) -> list[tuple[str, dict[str, Any]]]:
    """The reviews that may have been approved, and the attempts; none without the file."""
    path = directory / LEDGER_FILE
    if not path.is_file():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]  # the last one may be incomplete
    return [(review, attempt) for review, attempt in map(orjson.loads, lines)]
