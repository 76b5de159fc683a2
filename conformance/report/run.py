"""A run from its first finding to its report and its exit code."""

import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from conformance.contract import revisions
from conformance.contract.exit_codes import INTERRUPTED
from conformance.contract.requirements import Requirement
from conformance.http import proxy
from conformance.http.packed import PackedText
from conformance.report import (
    artefacts,
    circumstances,
    exchange_log,
    exit_status,
    journal,
    source,
    subject,
)
from conformance.report.assembly import Assembly, FailureKey
from conformance.report.causes.attribution import attributed
from conformance.report.document_types import (
    AboutEntry,
    FindingEntry,
    Report,
    ReproductionEntry,
    SuiteEntry,
)
from conformance.report.gathered import Gathered
from conformance.report.journal import JOURNAL, SHARD, UNFINISHED, Journal, JournalError
from conformance.report.known_failures import Known
from conformance.report.ledger import LEDGER_FILE
from conformance.storage import fresh_file
from conformance.target import snapshot
from conformance.target.target import Target

PAUSE = 30.0
"""Seconds at least between two reports of a run under way: what is later is in its journal."""

SHARE = 30
"""A long run spends at most one part in this many on such reports."""

GENERATORS = ("localization-api-conformance", "hypothesis", "schemathesis")
"""The distributions whose versions decide which requests a seed makes."""


def versions() -> dict[str, str]:
    """The installed versions of what makes the requests."""
    return {name: metadata.version(name) for name in GENERATORS}


class Run:
    """Gathers the records of items, and writes report.json and the other formats.

    It does so at its end, and now and then before it, so that a run that is killed leaves complete
    files that say that they are partial. `began` is its start on the monotonic clock, `lasted` the
    seconds of a run that is over; `durations` are those by which its shards were balanced, where
    they are not those of this package. `whole` are the rounds that have come to their ends, by
    their depths; None where the run has none.
    """

    def __init__(
        self,
        directory: Path,
        about: AboutEntry,
        catalogue: Mapping[str, Requirement],
        *,
        complete: bool,
    ) -> None:
        self.directory = directory
        self.document: Report | None = None
        self._about = about
        self._catalogue = catalogue
        self._complete = complete
        self._gathered = Gathered(catalogue)
        self._reproductions: dict[FailureKey, ReproductionEntry] = {}
        self._waiting: dict[bytes, PackedText] = {}
        self._due = 0.0
        self._journal: Journal | None = None
        self.began = time.monotonic()
        self.lasted: float | None = None
        self.durations: Mapping[str, float] | None = None
        self.target: Target | None = None
        self.secrets: set[str] = set()
        self.required: tuple[str, ...] = ()
        self.known: tuple[Known, ...] | None = None
        self.baseline: Report | None = None
        self.whole: list[str] | None = None
        self.transport: object = None
        self.formats: tuple[str, ...] = artefacts.DEFAULT

    def start_journal(self, earlier: Sequence[str] = ()) -> None:
        """Write a journal from now on, so that a run that is killed loses nothing.

        `earlier` are the records of the run that this one resumes. What the run was asked for is
        written as well: only the same run can resume it.
        """
        fresh_file.keep_held(self.directory)
        self._journal = Journal(self.directory, self._about, self.known, earlier)
        (self.directory / UNFINISHED).unlink(missing_ok=True)
        for record in earlier:
            self.take(record)
        self._describe(self._gathered.provisioned)

    @classmethod
    def left(cls, directory: Path) -> "Run":
        """The run that a killed process has left behind. Raises JournalError if there is none."""
        about, known, records = journal.read(directory)
        try:
            stated = catalogue(about["suite"])
        except revisions.UnknownRevision as problem:
            raise JournalError(f"{directory / JOURNAL}: {problem}") from None
        run = cls(directory, about, stated, complete=False)
        run.known = known
        for record in records:
            run.take(record)
        started = datetime.fromisoformat(about["started"]).timestamp()
        passed = (directory / JOURNAL).stat().st_mtime - started
        run.began = time.monotonic() - max(0.0, passed)
        return run

    def record(self, record: PackedText) -> None:
        """Keep the record of an item that has ended, until it is its turn in the report."""
        if self._journal is not None:
            self._journal.add(record.text)
        self._waiting[record.digest] = record
        self._save_if_due()

    def add(self, record: str) -> bool:
        """Take the record of one item, as the process that ran it wrote it; whether it is new."""
        is_new = self._waiting.pop(PackedText(record).digest, None) is None
        if is_new and self._journal is not None:
            self._journal.add(record)
        self.take(record)
        self._save_if_due()
        return is_new

    def _save_if_due(self) -> None:
        if time.monotonic() >= self._due:
            self.save()

    def take(self, record: str) -> None:
        """Take the record of one item of an earlier run."""
        self._gathered.add(record)

    def failures(self) -> list[tuple[str, FindingEntry]]:
        """The failure that shows each cause best, with its requirement; none of a shard.

        Several shards find one failure, and what is merged of them has one name each.
        """
        if "shard" in self._about["suite"]:
            return []
        causes = attributed(self._report(self._gathered, interrupted=False))
        return [(cause.entry["id"], cause.findings[0]) for cause in causes]

    def reproduced(self, requirement: str, found: FindingEntry, again: ReproductionEntry) -> None:
        """Take what became of a failure whose requests were sent once more."""
        self._reproductions[requirement, found["operation"], found["message"]] = again

    def went_on(self, rounds: int) -> None:
        """Take the number of rounds of generated requests that followed the checks."""
        if rounds:
            self._about["suite"]["rounds"] = rounds

    def end_by(self, budget: str) -> None:
        """The run was ended, before its end, by what a budget allows."""
        self._gathered.budgets[budget] = 1

    def finish(self, status: int, *, is_cut: bool = False) -> int:
        """Write the report; the exit code of the run, where pytest ended with `status`.

        `is_cut` where checks were left out, since enough had failed.

        Whenever the process is killed meanwhile, its files are those of a killed run, or complete.
        """
        for record in self._waiting.values():
            self.take(record.text)
        self._waiting = {}
        report = self._report(self._gathered, interrupted=is_cut or status == INTERRUPTED)
        exchange_log.merge(self.directory)
        self._write(report, self._gathered.provisioned)
        self._end_journal(report)
        for part in exchange_log.parts(self.directory):
            part.unlink()
        self.document = self._masked(report)
        if not _is_unfinished(report):
            (self.directory / LEDGER_FILE).unlink(missing_ok=True)
        return exit_status.of(report, status, complete=self._complete)

    def abandon(self) -> None:
        """Leave the files as they are."""
        if self._journal is not None:
            self._journal.close()

    def _end_journal(self, report: Report) -> None:
        """Keep the journal where it is needed to merge shards or to resume the run."""
        if self._journal is None:
            return
        if "shard" in self._about["suite"]:
            self._journal.keep(SHARD, self._gathered.items)
        elif _is_unfinished(report) and "subject" not in self._about["suite"]:
            self._journal.keep(UNFINISHED)
        else:
            self._journal.remove()

    def save(self) -> Report:
        """Write a report of what is known so far, in case the run is killed."""
        start = time.monotonic()
        exchange_log.merge(self.directory)
        gathered = self._gathered_so_far()
        report = self._report(gathered, interrupted=True)
        self._write(report, gathered.provisioned)
        written = self._masked(report)
        end = time.monotonic()
        self._due = end + max(PAUSE, SHARE * (end - start))
        return written

    def _gathered_so_far(self) -> Gathered:
        """What was gathered, and what waits for its turn."""
        if not self._waiting:
            return self._gathered
        found = deepcopy(self._gathered)
        for record in self._waiting.values():
            found.add(record.text)
        return found

    def _report(self, gathered: Gathered, *, interrupted: bool) -> Report:
        """The report of everything that was gathered."""
        assembly = Assembly(
            self._about,
            self._catalogue,
            self.target,
            self.required,
            self.known,
            self.baseline,
            self._reproductions,
            self.whole,
        )
        seconds = time.monotonic() - self.began if self.lasted is None else self.lasted
        return assembly.report(gathered, seconds=seconds, interrupted=interrupted)

    def _write(self, report: Report, provisioned: list[str]) -> None:
        """Write all files but the log."""
        met = circumstances.measured(report.get("circumstances", {}))
        self._describe(provisioned, report["duration"], met)
        artefacts.write(self.directory, report, self.formats)

    def _masked(self, report: Report) -> Report:
        """The report as it is in its file, once what was left of secrets in all files is masked."""
        if self.target is None:
            return report
        secrets = self.target.secrets | self.secrets | proxy.secrets().keys()
        variables = self.target.variables.values()
        masked = artefacts.mask(self.directory, self.formats, secrets, variables)
        if not masked:
            return report
        written: Report = orjson.loads((self.directory / artefacts.REPORT).read_bytes())
        written["masked"] = masked
        artefacts.write(self.directory, written, ())
        return written

    def _describe(
        self,
        provisioned: list[str],
        duration: float = 0.0,
        met: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Write the target, and what the run was asked for, if the target is known."""
        if self.target is None:
            return
        described = {
            "target.json": snapshot.of(self.target, provisioned),
            "run.json": self._asked(duration) | ({"measured": met} if met else {}),
        }
        for name, content in described.items():
            written = orjson.dumps(content, option=orjson.OPT_INDENT_2)
            fresh_file.write(self.directory / name, written)

    def _asked(self, duration: float) -> dict[str, Any]:
        """What the run was asked for, and when: with the exchanges, all that a replay needs."""
        asked = {
            "suite": self._about["suite"],
            "source": source.digest(),
            "started": self._about["started"],
            "duration": duration,
            "required": list(self.required),
            "known-failures": self.known,
            # A recording, and an application in this process, have none.
            "certificates": sorted(getattr(self.transport, "certificates", ())),
        }
        return asked if self.durations is None else {**asked, "durations": {**self.durations}}


def catalogue(suite: SuiteEntry) -> Mapping[str, Requirement]:
    """The requirements by id, as the revision of a run scores them."""
    found = subject.catalogue(suite)
    return revisions.load(suite["revision"]).scored(found) if "revision" in suite else found


def _is_unfinished(report: Report) -> bool:
    """Whether a run can be resumed."""
    return report["interrupted"] or exit_status.is_cut_short(report)
