"""Adds what a run has shown: its report as rows, and its files as blobs."""

import hashlib
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Connection, Table, delete, insert, select, update
from sqlalchemy.exc import DBAPIError, OperationalError

from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INCOMPLETE,
    INTERRUPTED,
    NON_CONFORMANT,
    USAGE_ERROR,
)
from conformance.contract.verdict import Verdict
from conformance.fleet.memory import blobs
from conformance.fleet.memory.inserting import insert_new
from conformance.fleet.memory.tables import (
    DONE,
    artefact,
    cause,
    latency,
    observation,
    requirement,
    revision,
    run,
    suite,
    verdict,
)
from conformance.report.document_types import FindingEntry, Report, RequirementEntry
from conformance.report.rejections import UNAVAILABLE

OUTCOMES = {
    CONFORMANT: "conformant",
    NON_CONFORMANT: "non-conformant",
    INTERRUPTED: "interrupted",
    CHECKER_ERROR: "error",
    USAGE_ERROR: "unreachable",
    INCOMPLETE: "incomplete",
}
"""How a run ended, by its exit code; one that ended in another way is an internal error."""

COMPLETE = (CONFORMANT, NON_CONFORMANT)
"""The exit codes of runs that checked what they had to."""

REPORT = "report.json"
UNTESTED = "untested"
"""In place of a level: nothing from outside shows whether a deployment conforms."""

EXPLAINED = (Verdict.FAIL, Verdict.ERROR)


class Unstorable(ValueError):
    """The result of a run cannot be stored, whatever its target made it; str() is one line."""


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its exit code, its files by name, and by which revision it checked.

    `reason` says in a line why there is no report. `worker` is the machine. `may_have_spent`: it
    may have approved a review.
    """

    exit_code: int
    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    revision: str = ""
    reason: str = ""
    worker: str = ""
    may_have_spent: bool = False

    @property
    def outcome(self) -> str:
        """How it ended; a target that stopped responding in the middle of a run is unreachable."""
        outcome = OUTCOMES.get(self.exit_code, "error")
        report = self.report
        if outcome == "incomplete" and report is not None and _stopped_responding(report):
            return "unreachable"
        return outcome

    @property
    def report(self) -> Report | None:
        """Its report; None where it has none, or part of one."""
        try:
            report: Report = orjson.loads(self.files[REPORT])
        except (KeyError, orjson.JSONDecodeError):
            return None
        return report


def _stopped_responding(report: Report) -> bool:
    """Whether something could not be checked because the target did not respond."""
    return any(
        not UNAVAILABLE.isdisjoint(found["needs"])
        for entry in report["requirements"]
        for found in entry["findings"]
        if found["verdict"] == Verdict.INCONCLUSIVE
    )


def add(connection: Connection, target: str, ended: Ended) -> int:
    """Add a single run, which belongs to no campaign; its number."""
    row = {
        "target": target,
        "attempt": 1,
        "state": DONE,
        "labels": [],
        "needs": "",
        "retries": 0,
        "rank": 0.0,
        "exclusive": target,
        "spends": False,
        "complete": False,
        "claim": uuid.uuid4().hex,
    }
    number: int = connection.execute(insert(run).values(row).returning(run.c.id)).scalar_one()
    store(connection, number, ended)
    return number


def store(connection: Connection, number: int, ended: Ended) -> None:
    """Store the outcome of a run, in place of what was stored of it before.

    Raises Unstorable, or what the database raises while it is away.
    """
    try:
        _store(connection, number, ended)
    except Exception as problem:
        if isinstance(problem, DBAPIError) and _is_away(problem):
            raise
        raise Unstorable(f"its result cannot be stored: {_described(problem)}") from None


def _is_away(problem: DBAPIError) -> bool:
    """Whether a database, and not what it was given, is to blame."""
    return problem.connection_invalidated or isinstance(problem, OperationalError)


def _described(problem: Exception) -> str:
    """The kind of a problem, and its first line without the values of a target."""
    origin = problem.orig if isinstance(problem, DBAPIError) else None
    lines = str(origin or "").strip().splitlines()
    return ": ".join([type(origin or problem).__name__, *lines[:1]])


def _store(connection: Connection, number: int, ended: Ended) -> None:
    for table in (verdict, cause, observation, latency, artefact):
        connection.execute(delete(table).where(table.c.run == number))
    values: dict[str, Any] = {
        "ended": time.time(),
        "exit_code": ended.exit_code,
        "outcome": ended.outcome,
        "complete": ended.exit_code in COMPLETE,
        "reason": ended.reason or None,
        "worker": ended.worker or None,
    }
    report = ended.report
    if report is not None:
        values |= _head(connection, report, ended.revision)
        _rows(connection, number, report)
    connection.execute(update(run).where(run.c.id == number).values(values))
    for name, content in ended.files.items():
        row = {"run": number, "name": name, "digest": blobs.put(connection, content)}
        connection.execute(insert(artefact).values(row))


def _head(connection: Connection, report: Report, revised: str) -> dict[str, Any]:
    """The columns of a run that come from its report."""
    started = datetime.fromisoformat(report["started"]).timestamp()
    if revised:
        insert_new(connection, revision, {"name": revised})
    return {
        "verdict": report["verdict"],
        "base_url": report["target"]["base-url"],
        "product": report["target"].get("product"),
        "suite": _suite(connection, report),
        "revision": revised or None,
        "depth": report["suite"]["depth"],
        "seed": report["suite"]["seed"],
        "started": started,
        "ended": started + report["duration"],
        "duration": report["duration"],
        "exchanges": report["exchanges"]["count"],
    }


def _suite(connection: Connection, report: Report) -> int:
    """The number of the suite, which is added with its requirements where it is new."""
    version = report["suite"]["version"]
    stated = [
        {
            "id": entry["id"],
            # What nobody can check has a level in the catalogue, and counts nowhere.
            "level": UNTESTED if "untested" in entry else entry["level"],
            **{name: entry[name] for name in ("class", "section", "statement")},
        }
        for entry in report["requirements"]
    ]
    digest = hashlib.sha256(orjson.dumps([version, stated])).hexdigest()
    is_new = insert_new(connection, suite, {"version": version, "digest": digest})
    number: int = connection.execute(
        select(suite.c.id).where(suite.c.digest == digest)
    ).scalar_one()
    if is_new:
        _insert(connection, requirement, [{"suite": number, **each} for each in stated])
    return number


def _rows(connection: Connection, number: int, report: Report) -> None:
    """Everything of a report that is a table of its own."""
    _insert(connection, verdict, _of(number, _verdicts(report["requirements"])))
    causes = [
        {
            "number": place,
            **{name: each[name] for name in ("requirement", "operations", "also", "exchange")},
        }
        for place, each in enumerate(report.get("causes", ()))
    ]
    _insert(connection, cause, _of(number, causes))
    _insert(connection, observation, _of(number, map(dict, report["observations"])))
    timed = report.get("latencies", {})
    latencies = ({"operation": name, **entry} for name, entry in timed.items())
    _insert(connection, latency, _of(number, latencies))


def _verdicts(entries: Sequence[RequirementEntry]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        for operation, found in {"": entry["verdict"], **entry["operations"]}.items():
            reason = _reason(entry["findings"], operation, found)
            yield {
                "requirement": entry["id"],
                "operation": operation,
                "verdict": found,
                "message": reason["message"] if reason else None,
                "known": reason.get("known") if reason else None,
            }


def _reason(findings: Sequence[FindingEntry], operation: str, found: str) -> FindingEntry | None:
    """The first finding that explains a bad verdict of an operation, or of the whole."""
    if found not in EXPLAINED:
        return None
    return next(
        (
            each
            for each in findings
            if each["verdict"] == found and operation in ("", each["operation"])
        ),
        None,
    )


def _of(number: int, rows: Any) -> list[dict[str, Any]]:
    return [{"run": number, **row} for row in rows]


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows; properties without a column are left out, and columns without one are null."""
    names = table.columns.keys()
    if rows:
        columns = [{name: row.get(name) for name in names} for row in rows]
        connection.execute(insert(table), columns)
