"""An interrupted run, taken up: what it has finished is kept, and what it may have spent."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from conformance.http.exchange import FACT
from conformance.report import journal, ledger, previous, source
from conformance.report.document_types import AboutEntry, SuiteEntry
from conformance.report.exchange_log import LogError
from conformance.report.exit_status import ENDING
from conformance.report.gathered import BUDGET, LEDGER
from conformance.report.journal import JOURNAL, SHARD, UNFINISHED, JournalError
from conformance.report.ledger import LedgerError
from conformance.report.previous import PreviousError
from conformance.runner import (
    earlier_log,
    examination,
    gathering,
    merging,
    reproduction,
    stated_inputs,
)
from conformance.runner.items import name_of
from conformance.runner.session import Session
from conformance.runner.stash import EARLIER
from conformance.runner.usage import usage_error
from conformance.target import snapshot


@dataclass(frozen=True)
class Earlier:
    """What an interrupted run has left: its start, the records to keep, and what may be spent.

    `duration` is in seconds, without the pause since.
    """

    about: AboutEntry
    records: tuple[str, ...]
    finished: frozenset[str]
    spent: frozenset[str]
    duration: float

    @property
    def found(self) -> Mapping[str, int]:
        """How often each fact was found by a check that is kept."""
        facts = (item for item in self.finished if item.startswith(FACT))
        return Counter(item.partition(", again")[0] for item in facts)

    def resumed(self, about: AboutEntry) -> AboutEntry:
        """What the report says about the whole run, where `about` describes this part."""
        before: SuiteEntry = self.about["suite"]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        suite: Any = {**about["suite"], "resumed": [*before.get("resumed", ()), now]}
        return {**about, "suite": suite, "started": self.about["started"]}


def begin(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out the checks that the run to be resumed has finished. Raises UsageError.

    The files of that run are made those of this one.
    """
    folder: Path | None = config.getoption("conformance_resume")
    if folder is None:
        return
    if config.option.collectonly:
        raise usage_error("--resume performs checks: leave out --collect-only")
    stated: Path | None = config.getoption("conformance_report_dir")
    if stated is not None and stated.absolute() != folder.absolute():
        raise usage_error(f"--resume {folder}: the report is written there, not to {stated}")
    earlier = config.stash[EARLIER] = _taken_over(folder, config)
    done = [item for item in items if name_of(item) in earlier.finished]
    config.hook.pytest_deselected(items=done)
    items[:] = [item for item in items if item not in done]


def refuse_workers(config: pytest.Config) -> None:
    """UsageError for several processes: each would have to know what all others have left."""
    if config.getoption("conformance_resume") is not None:
        raise usage_error("--resume goes on in one process: leave out -n")


def go_on(session: Session, config: pytest.Config) -> None:
    """Let a session know what was found and spent before; its clock goes on."""
    earlier = config.stash.get(EARLIER, None)
    if earlier is None:
        return
    session.spent = earlier.spent
    session.found = earlier.found
    session.dispatcher.origin -= earlier.duration


def _taken_over(folder: Path, config: pytest.Config) -> Earlier:
    try:
        about, known, lines = journal.read(folder, _name(folder))
        records = [orjson.loads(line) for line in lines]
        target, asked = previous.target_of(folder), previous.asked_of(folder)
        before = merging.identity(about["suite"], target, asked, known)
        approvals = ledger.read(folder)
    except (JournalError, PreviousError, LedgerError) as problem:
        reason = f"no interrupted run is in it: {problem}"
        raise usage_error(f"--resume {folder}: {reason}") from None
    _check_alike(folder, before, _identity(config))
    kept = [_without_end(record) for record in records if _is_kept(record)]
    finished = frozenset(record["item"] for record in kept)
    times = 1 + len(about["suite"].get("resumed", ()))
    try:
        rest = earlier_log.take_over(folder, finished, times)
    except LogError as problem:
        raise usage_error(f"--resume: {problem}") from None
    unrecorded = list(_unrecorded(approvals, kept))
    for record in records:
        if not _is_kept(record) and record["item"] != reproduction.ITEM:
            rest.keep_violations(record)
    if rest.count or unrecorded:
        kept.append(rest.record(unrecorded))
    return Earlier(
        about,
        tuple(orjson.dumps(record).decode() for record in kept),
        finished,
        frozenset(review.lower() for review, _ in approvals),
        rest.duration,
    )


def _check_alike(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """UsageError where the options describe another run."""
    for name, described in merging.ALIKE.items():
        if before[name] != now[name]:
            values = merging.both(before[name], now[name])
            raise usage_error(f"--resume {folder}: its run had a different {described}{values}")


def _identity(config: pytest.Config) -> dict[str, Any]:
    """What the options describe, as far as it has to be that of the run to be resumed."""
    target = examination.subject(config).target.credible()
    known = stated_inputs.known_failures(config)
    asked = {
        "source": source.digest(),
        "required": list(stated_inputs.required(config) or target.required),
    }
    suite = gathering.described_run(config, time.monotonic())["suite"]
    written = orjson.loads(orjson.dumps(snapshot.of(target, [])))
    return merging.identity(suite, written, asked, known)


def _unrecorded(
    approvals: Iterable[tuple[str, Mapping[str, Any]]], kept: Iterable[Mapping[str, Any]]
) -> Iterator[list[Any]]:
    """The approvals that no record has: those of checks that were under way."""
    recorded = [seen for record in kept for seen in record["observations"] if seen[0] == LEDGER]
    for review, attempt in approvals:
        entry = [LEDGER, review, attempt]
        if entry not in recorded:
            yield entry


def _without_end(record: dict[str, Any]) -> dict[str, Any]:
    """The record without a note that a budget has ended the run: it goes on."""
    notes = record["observations"]
    record["observations"] = [seen for seen in notes if seen[0] != BUDGET or seen[1] not in ENDING]
    return record


def _name(folder: Path) -> str:
    """The file with the journal of a run that was killed or stopped. Raises JournalError."""
    for name in (JOURNAL, UNFINISHED, SHARD):
        if (folder / name).is_file():
            return name
    raise JournalError(f"{folder}: no journal")


def _is_kept(record: Mapping[str, Any]) -> bool:
    """Whether a record is of a check, or of a fact, that was finished."""
    return bool(record.get("is_finished", True)) and record["item"] != reproduction.ITEM
