"""A run from its first finding to its written report and its exit code."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson
import pytest

from conformance import __version__, examination, known, requirements, snapshot
from conformance.known import Known
from conformance.report import artefacts, model
from conformance.report.latency import latencies
from conformance.requirements import Requirement
from conformance.stash import SESSION
from conformance.target import Target
from conformance.verdict import Conclusion, Level, Verdict

CONFORMANT, NON_CONFORMANT, INTERRUPTED, CHECKER_ERROR, USAGE_ERROR = range(5)
NO_TESTS_COLLECTED = 5

GENERATORS = ("localization-api-conformance", "hypothesis", "schemathesis")
"""The distributions whose versions decide which requests a seed makes."""


def versions() -> dict[str, str]:
    """The versions of what makes the requests, as installed here."""
    return {name: metadata.version(name) for name in GENERATORS}


class Run:
    """Gathers records of items, and writes them as report.json, junit.xml and exchanges.jsonl."""

    def __init__(self, directory: Path, about: Mapping[str, Any], catalogue: Mapping[str, Requirement], *, complete: bool) -> None:
        self.directory = directory
        self.document: model.Document | None = None
        self._about = about
        self._catalogue = catalogue
        self._complete = complete
        self._findings: dict[str, list[model.Document]] = {id: [] for id in catalogue}
        self._observations: list[list[Any]] = []
        self._evidence: dict[str, Any] = {}
        self._exchanges = 0
        self._methods: dict[str, int] = {}
        self._elapsed: dict[str, list[float]] = {}
        self._started = time.monotonic()
        self.target: Target | None = None
        self.known: tuple[Known, ...] | None = None
        self.formats: tuple[str, ...] = artefacts.DEFAULT
        self.leaks: list[str] = []

    @classmethod
    def of(cls, config: pytest.Config) -> "Run":
        """The run that the options describe."""
        target = examination.target_of(config)
        chosen = config.getoption("conformance_class")
        catalogue = {id: entry for id, entry in requirements.load().items() if not chosen or entry.conformance_class in chosen}
        about = {
            "suite": {
                "name": "localization-api-conformance",
                "version": __version__,
                "seed": config.getoption("conformance_seed"),
                "depth": config.getoption("depth"),
                "workers": config.getoption("numprocesses", None) or 1,
                "versions": versions(),
                "classes": chosen or list(requirements.CLASSES),
            },
            "target": {
                "base-url": target.base_url if target else examination.IN_PROCESS,
                "profile": target.source if target else "the bundled reference implementation, in this process",
            },
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        run = cls(examination.report_directory(config), about, catalogue, complete=config.getoption("require_complete"))
        run.target = config.stash[SESSION].target if SESSION in config.stash else examination.subject(config).target
        run.formats = artefacts.chosen(config.getoption("report"))
        run.known = examination.known_failures(config)
        return run

    def add(self, text: str) -> None:
        """Take the record of one item, as the worker that ran it wrote it."""
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
        entries = [model.requirement(stated, self._findings[id], self._evidence) for id, stated in self._catalogue.items()]
        seen = [entry for entry in self._observations if entry[0] not in ("ledger", "provisioned")]
        self.document = {
            "format": model.FORMAT,
            "verdict": model.conclusion(entries).value,
            "interrupted": status == INTERRUPTED,
            **self._about,
            "duration": round(time.monotonic() - self._started, 3),
            "counts": model.counts(entries),
            "exchanges": {"count": self._exchanges, "methods": self._methods, "file": "exchanges.jsonl"},
            "latencies": latencies(self._elapsed),
            "requirements": entries,
            "observations": model.observations(seen),
            "ledger": [{"review": entry[1], **entry[2]} for entry in self._observations if entry[0] == "ledger"],
        }
        if self.known is not None:
            self._excuse(self.known)
        self._write()
        return self._exit_code(status)

    def _excuse(self, entries: tuple[Known, ...]) -> None:
        """Mark what is known to be broken, and name the entries that do not say the truth any more."""
        assert self.document is not None
        broken = [entry for entry in self.document["requirements"] if entry["level"] == Level.MUST and entry["verdict"] == Verdict.FAIL]
        pairs = [(entry["id"], operation) for entry in broken for operation in model.failing(entry)]
        judged = known.judge(entries, pairs, datetime.now(UTC).date())
        for entry in broken:
            for found in entry["findings"]:
                pair = (entry["id"], found["operation"])
                if found["verdict"] == Verdict.FAIL and pair not in judged.unknown:
                    found["known"] = next(known.reason for known in entries if known.covers(*pair))
        self.document["known-failures"] = {
            "unknown": [list(pair) for pair in judged.unknown],
            "stale": [{"requirement": entry.requirement, "operation": entry.operation, "problem": why} for entry, why in judged.stale],
        }

    def _write(self) -> None:
        assert self.document is not None
        self.directory.mkdir(parents=True, exist_ok=True)
        _merge(self.directory)
        if self.target is not None:
            made = [id for kind, id, _ in self._observations if kind == "provisioned"]
            (self.directory / "target.json").write_bytes(orjson.dumps(snapshot.of(self.target, made), option=orjson.OPT_INDENT_2))
        artefacts.write(self.directory, self.document, self.formats)
        self.leaks = artefacts.leaks(self.directory, self.formats, self.target.secrets) if self.target is not None else []

    def _exit_code(self, status: int) -> int:
        assert self.document is not None
        if self.leaks:
            return CHECKER_ERROR
        if status not in {CONFORMANT, NON_CONFORMANT, NO_TESTS_COLLECTED}:
            return status
        gate = self.document.get("known-failures")
        if gate is not None and (gate["unknown"] or gate["stale"]):
            return NON_CONFORMANT
        if self.document["verdict"] == Conclusion.NON_CONFORMANT and gate is None:
            return NON_CONFORMANT
        judged = [entry for entry in self.document["requirements"] if entry["level"] != Level.OBSERVE]
        if any(entry["verdict"] == Verdict.ERROR for entry in judged):
            return CHECKER_ERROR
        undecided = self.document["verdict"] == Conclusion.INCONCLUSIVE
        return NON_CONFORMANT if undecided and self._complete else CONFORMANT


def _merge(directory: Path) -> None:
    """One file of exchanges out of those that the workers wrote."""
    with (directory / "exchanges.jsonl").open("wb") as whole:
        for part in sorted(directory.glob("exchanges-*.jsonl")):
            whole.write(part.read_bytes())
            part.unlink()
