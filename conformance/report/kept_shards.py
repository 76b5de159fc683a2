"""The files of the shards beside the report that was merged from them: its evidence."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from conformance.report import artefacts, exchange_log
from conformance.storage import fresh_file
from conformance.storage.folder import inner

FOLDER = "merged-shards"
FILES = (artefacts.REPORT, exchange_log.EXCHANGES, "target.json", "run.json")
"""The files of a shard: all that a replay of it needs, and its own report."""

MOST = 99
"""Shards of which a certificate can have the files: a verification replays each of them."""

FORM = re.compile(rf"{FOLDER}/([1-9]\d?)/([a-z]+\.jsonl?)", re.ASCII)


def name(number: int, file: str) -> str:
    """The name of a file of a shard, as a path in the folder of the merged report."""
    return f"{FOLDER}/{number}/{file}"


def place(path: str) -> tuple[int, str] | None:
    """The number of the shard and the file that such a name is about; None for another path."""
    found = FORM.fullmatch(path)
    return (int(found[1]), found[2]) if found and found[2] in FILES else None


def keep(directory: Path, folders: Mapping[int, Path]) -> None:
    """Copy the files of the shards, whose folders are given by number."""
    for number, folder in folders.items():
        kept = inner(directory, FOLDER, str(number))
        for file in FILES:
            fresh_file.copy(folder / file, kept / file)


def discard(directory: Path) -> None:
    """Remove what was kept for an earlier report."""
    shutil.rmtree(directory / FOLDER, ignore_errors=True)
