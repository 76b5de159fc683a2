"""Earlier runs on the same target, from the folders beside that of a run."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from conformance.contract.verdict import Level, Verdict
from conformance.storage import regular_file

MOST_RUNS = 12
LARGEST = 32 * 1024 * 1024
"""Bytes of a report that is read."""


@dataclass(frozen=True)
class PastRun:
    """A run: its folder, when it began, its verdict, and the requirements that failed."""

    folder: str
    started: str
    verdict: str
    depth: str
    failed: frozenset[str]


@dataclass(frozen=True)
class Step:
    """A run beside the one before it: what failed for the first time, what no longer, what still.

    The first run has nothing to compare with.
    """

    run: PastRun
    new: tuple[str, ...]
    fixed: tuple[str, ...]
    still: tuple[str, ...]


def steps(directory: Path, report: Mapping[str, Any]) -> list[Step]:
    """The latest runs on the target of a report, oldest first; [] where it is the only one."""
    now = _run(directory.name, report)
    earlier = [run for run in _beside(directory, report) if _moment(run) < _moment(now)]
    runs = [*sorted(earlier, key=_moment)[-(MOST_RUNS - 1) :], now]
    return list(_compared(runs)) if len(runs) > 1 else []


def _compared(runs: list[PastRun]) -> Iterator[Step]:
    before: frozenset[str] = runs[0].failed
    for run in runs:
        yield Step(
            run,
            tuple(sorted(run.failed - before)),
            tuple(sorted(before - run.failed)),
            tuple(sorted(run.failed & before)),
        )
        before = run.failed


def _beside(directory: Path, report: Mapping[str, Any]) -> Iterator[PastRun]:
    """The runs in the other folders of the same parent; what is not a report is left out."""
    for file in directory.absolute().parent.glob("*/report.json"):
        if file.parent == directory.absolute():
            continue
        try:
            found = json.loads(regular_file.read(file, LARGEST))
            if found["target"]["base-url"] == report["target"]["base-url"]:
                yield _run(file.parent.name, found)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue


def _run(folder: str, report: Mapping[str, Any]) -> PastRun:
    failed = frozenset(
        str(entry["id"])
        for entry in report["requirements"]
        if entry["verdict"] == Verdict.FAIL and entry["level"] == Level.MUST
    )
    texts = (report["started"], report["verdict"], report["suite"]["depth"])
    started, verdict, depth = map(str, texts)
    datetime.fromisoformat(started)
    return PastRun(folder, started, verdict, depth, failed)


def _moment(run: PastRun) -> float:
    return datetime.fromisoformat(run.started).timestamp()
