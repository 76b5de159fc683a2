"""The log of an interrupted run, made the first part of that of the run which resumes it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.contract.verdict import Verdict
from conformance.report import exchange_log
from conformance.report.exchange_log import EXCHANGES
from conformance.storage import fresh_file, regular_file

PART = "exchanges-earlier.jsonl"

INTERRUPTED = "interrupted-run"
"""The beginning of the names of exchanges of checks that are performed once more."""


@dataclass
class Rest:
    """What an interrupted run has sent for checks that it did not finish.

    `name` is what its record is called, and the beginning of the new names of the exchanges.
    `findings` are the violations that these checks have seen, with their `evidence`: they may not
    be seen again. `duration` is the time of the whole run, in seconds.
    """

    name: str
    finished: Collection[str] = frozenset()
    findings: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    count: int = 0
    methods: dict[str, int] = field(default_factory=dict)
    elapsed: dict[str, list[float]] = field(default_factory=dict)
    started: list[float] = field(default_factory=list)
    duration: float = 0.0

    def add(self, line: dict[str, Any]) -> None:
        """Count an exchange."""
        self.count += 1
        self.started.append(line["started"])
        method = line["request"]["method"]
        self.methods[method] = self.methods.get(method, 0) + 1
        if line.get("response") is not None:  # a connection may have failed
            self.elapsed.setdefault(line["operation"], []).append(line["elapsed"])

    def keep_violations(self, record: dict[str, Any]) -> None:
        """Keep what a check that was not finished has seen of violations."""
        for found in record["findings"]:
            if found["verdict"] != Verdict.FAIL:
                continue
            ids = {id: self._name(id) for id in found["exchanges"]}
            for place in (found["defect"] or {}).get("where", ()):
                place["exchange"] = ids.get(place["exchange"], place["exchange"])
            self.findings.append({**found, "exchanges": list(ids.values()), "item": self.name})
            for id in ids.keys() & record["evidence"]:
                shown = record["evidence"][id]
                renamed = {"id": ids[id], "item": ids[id].rpartition("#")[0]}
                self.evidence[ids[id]] = {**shown, **renamed}

    def _name(self, exchange: str) -> str:
        item = exchange.rpartition("#")[0]
        is_kept = item in self.finished or item.startswith(INTERRUPTED)
        return exchange if is_kept else f"{self.name}::{exchange}"

    def record(self, observations: list[Any]) -> dict[str, Any]:
        """The record of these exchanges, like that of an item."""
        return {
            "item": self.name,
            "findings": self.findings,
            "observations": observations,
            "evidence": self.evidence,
            "exchanges": self.count,
            "methods": self.methods,
            "elapsed": self.elapsed,
            "started": self.started,
        }


def take_over(folder: Path, finished: Collection[str], number: int) -> Rest:
    """Rename the exchanges of what is not finished, whose names the next ones get.

    `number` is how often the run was interrupted.
    """
    rest = Rest(f"{INTERRUPTED}-{number}", finished)
    parts = exchange_log.parts(folder)
    with fresh_file.writing(folder / PART) as written:
        for path in parts or [folder / EXCHANGES]:
            written.writelines(_renamed(path, rest))
    for path in parts:
        if path.name != PART:
            path.unlink()
    return rest


def _renamed(path: Path, rest: Rest) -> Iterator[bytes]:
    """The complete lines of a log, with new names for the exchanges of what is not finished."""
    with regular_file.opened(path) as lines:
        for number, text in enumerate(exchange_log.complete_lines(lines), 1):
            line = exchange_log.exchange(path, number, text)
            item = line["item"]
            rest.duration = max(rest.duration, line["started"] + line["elapsed"])
            if item in rest.finished or item.startswith(INTERRUPTED):
                yield text
                continue
            rest.add(line)
            names = {name: f"{rest.name}::{line[name]}" for name in ("id", "item")}
            yield exchange_log.written({**line, **names})
