"""A run from its first finding to its written report and its exit code."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson

from conformance.contract import requirements
from conformance.contract.requirements import Requirement
from conformance.contract.verdict import Conclusion, Level, Verdict
from conformance.report import artefacts, document, journal, known_failures
from conformance.report.causes import grouping
from conformance.report.document import Document
from conformance.report.journal import JOURNAL, Journal
from conformance.report.known_failures import Known
from conformance.report.latency import latencies
from conformance.target import snapshot
from conformance.target.target import Target

PAUSE = 5.0
"""Seconds that pass at least before a report of what is known so far is written again."""

SHARE = 30
"""How many times as long as writing it took: a long run spends no more than this part of itself on it."""

CONFORMANT, NON_CONFORMANT, INTERRUPTED, CHECKER_ERROR, USAGE_ERROR = range(5)
NO_TESTS_COLLECTED = 5

GENERATORS = ("localization-api-conformance", "hypothesis", "schemathesis")
"""The distributions whose versions decide which requests a seed makes."""


def versions() -> dict[str, str]:
    """The versions of what makes the requests, as installed here."""
    return {name: metadata.version(name) for name in GENERATORS}


class Run:
    """Gathers records of items, and writes them as report.json and what is rendered from it.

    It does so at its end, and now and then before: a run that is killed leaves whole files that say that they are not all of it.
    `began` is its start on the monotonic clock.
    """

    def __init__(
        self,
        directory: Path,
        about: Mapping[str, Any],
        catalogue: Mapping[str, Requirement],
        *,
        complete: bool,
    ) -> None:
        self.directory = directory
        self.document: Document | None = None
        self._about = about
        self._catalogue = catalogue
        self._complete = complete
        self._findings: dict[str, list[Document]] = {id: [] for id in catalogue}
        self._observations: list[list[Any]] = []
        self._evidence: dict[str, Any] = {}
        self._exchanges = 0
        self._methods: dict[str, int] = {}
        self._elapsed: dict[str, list[float]] = {}
        self._due = 0.0
        self._journal: Journal | None = None
        self.began = time.monotonic()
        self.target: Target | None = None
        self.secrets: set[str] = set()
        self.known: tuple[Known, ...] | None = None
        self.formats: tuple[str, ...] = artefacts.DEFAULT
        self.leaks: list[str] = []

    def start_journal(self) -> None:
        """Write down from now on what each item found, so that a run that is killed loses nothing."""
        self._journal = Journal(self.directory, self._about, self.known)

    @classmethod
    def left(cls, directory: Path) -> "Run":
        """The run that a process has left behind without coming to its end. Raises JournalError where there is none."""
        about, excused, records = journal.read(directory)
        run = cls(directory, about, catalogue(about["suite"]["classes"]), complete=False)
        run.known = excused
        for record in records:
            run._gather(record)
        passed = (directory / JOURNAL).stat().st_mtime - datetime.fromisoformat(
            about["started"]
        ).timestamp()
        run.began = time.monotonic() - max(0.0, passed)
        return run

    def add(self, text: str) -> None:
        """Take the record of one item, as the worker that ran it wrote it."""
        if self._journal is not None:
            self._journal.add(text)
        self._gather(text)
        if time.monotonic() >= self._due:
            self.save()

    def _gather(self, text: str) -> None:
        record = orjson.loads(text)
        for found in record["findings"]:
            if found["requirement"] in self._findings:
                self._findings[found["requirement"]].append(found)
        self._observations += record["observations"]
        self._evidence.update(record["evidence"])
        self._exchanges += record["exchanges"]
        for operation, seconds in record["elapsed"].items():
            self._elapsed.setdefault(operation, []).extend(seconds)
        for method, number in record["methods"].items():
            self._methods[method] = self._methods.get(method, 0) + number

    def finish(self, status: int) -> int:
        """Write the report; the exit code that follows from it, or from the way in which pytest ended."""
        self.document = self._told(interrupted=status == INTERRUPTED)
        _merge(self.directory)
        for part in _parts(self.directory):
            part.unlink()
        self._write(self.document)
        if self._journal is not None:
            self._journal.remove()
        return self._exit_code(self.document, status)

    def save(self) -> Document:
        """Write what is known so far, in case that the run is killed."""
        start = time.monotonic()
        _merge(self.directory)
        document = self._told(interrupted=True)
        self._write(document)
        end = time.monotonic()
        self._due = end + max(PAUSE, SHARE * (end - start))
        return document

    def _told(self, *, interrupted: bool) -> Document:
        """The report of everything that was gathered so far."""
        entries = [
            document.requirement(stated, self._findings[id], self._evidence)
            for id, stated in self._catalogue.items()
        ]
        seen = [entry for entry in self._observations if entry[0] not in ("ledger", "provisioned")]
        report = {
            "format": document.FORMAT,
            "verdict": document.conclusion(entries).value,
            "interrupted": interrupted,
            **self._about,
            "duration": round(time.monotonic() - self.began, 3),
            "counts": document.counts(entries),
            "exchanges": {
                "count": self._exchanges,
                "methods": self._methods,
                "file": "exchanges.jsonl",
            },
            "latencies": latencies(self._elapsed),
            "requirements": entries,
            "causes": grouping.causes(entries, self._findings, self._evidence),
            "observations": document.observations(seen),
            "ledger": [
                {"review": entry[1], **entry[2]}
                for entry in self._observations
                if entry[0] == "ledger"
            ],
        }
        if self.known is not None:
            _excuse(report, self.known)
        return report

    def _write(self, document: Document) -> None:
        if self.target is not None:
            made = [id for kind, id, _ in self._observations if kind == "provisioned"]
            described = orjson.dumps(snapshot.of(self.target, made), option=orjson.OPT_INDENT_2)
            artefacts.replace(self.directory / "target.json", described)
        artefacts.write(self.directory, document, self.formats)
        self.leaks = (
            artefacts.leaks(self.directory, self.formats, self.target.secrets | self.secrets)
            if self.target is not None
            else []
        )

    def _exit_code(self, document: Document, status: int) -> int:
        if self.leaks:
            return CHECKER_ERROR
        if status not in {CONFORMANT, NON_CONFORMANT, NO_TESTS_COLLECTED}:
            return status
        gate = document.get("known-failures")
        if gate is not None and (gate["unknown"] or gate["stale"]):
            return NON_CONFORMANT
        if document["verdict"] == Conclusion.NON_CONFORMANT and gate is None:
            return NON_CONFORMANT
        judged = [entry for entry in document["requirements"] if entry["level"] != Level.OBSERVE]
        if any(entry["verdict"] == Verdict.ERROR for entry in judged):
            return CHECKER_ERROR
        undecided = document["verdict"] == Conclusion.INCONCLUSIVE
        return NON_CONFORMANT if undecided and self._complete else CONFORMANT


def catalogue(classes: Sequence[str]) -> dict[str, Requirement]:
    """The requirements of some conformance classes, by id."""
    return {
        id: entry for id, entry in requirements.load().items() if entry.conformance_class in classes
    }


def _excuse(report: Document, entries: tuple[Known, ...]) -> None:
    """Mark what is known to be broken, and name the entries that do not say the truth any more."""
    broken = [
        entry
        for entry in report["requirements"]
        if entry["level"] == Level.MUST and entry["verdict"] == Verdict.FAIL
    ]
    pairs = [(entry["id"], operation) for entry in broken for operation in document.failing(entry)]
    judged = known_failures.judge(entries, pairs, datetime.now(UTC).date())
    for entry in broken:
        for found in entry["findings"]:
            pair = (entry["id"], found["operation"])
            if found["verdict"] == Verdict.FAIL and pair not in judged.unknown:
                found["known"] = next(known.reason for known in entries if known.covers(*pair))
    # What a run that was interrupted has not come to may well fail still.
    stale = () if report["interrupted"] else judged.stale
    report["known-failures"] = {
        "unknown": [list(pair) for pair in judged.unknown],
        "stale": [
            {"requirement": entry.requirement, "operation": entry.operation, "problem": why}
            for entry, why in stale
        ],
    }


def _merge(directory: Path) -> None:
    """One file of exchanges out of those that the workers write; a line that is not whole yet stays away."""
    directory.mkdir(parents=True, exist_ok=True)
    written = (part.read_bytes() for part in _parts(directory))
    artefacts.replace(
        directory / artefacts.EXCHANGES,
        b"".join(content[: content.rfind(b"\n") + 1] for content in written),
    )


def _parts(directory: Path) -> list[Path]:
    return sorted(directory.glob("exchanges-*.jsonl"))
