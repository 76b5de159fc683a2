"""A memory with some nights of a fleet, of one recorded report with other verdicts."""

import copy
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, update

from conformance.fleet.memory import recording, tables
from conformance.fleet.memory.database import Memory
from conformance.fleet.memory.recording import Ended
from conformance.report.document_types import Report

SAMPLE = Path(__file__).parents[2] / "reports" / "sample" / "mutant" / "report.json"
FIRST = datetime(2026, 11, 1, 2, tzinfo=UTC)
REVISION = "2026-12"

Failed = Mapping[str, str]
"""The operation of each failed requirement, and the message as its value: "id[operation]"."""


def report(failed: Mapping[str, str], night: int, latency: float = 0.02) -> Report:
    """The recorded report with exactly these failures, `night` days after the first one."""
    made: Any = copy.deepcopy(_sample())
    names = {name.partition("[")[0]: name for name in failed}
    for entry in made["requirements"]:
        entry["verdict"] = "pass" if entry["verdict"] == "fail" else entry["verdict"]
        entry["operations"] = {
            name: "pass" if value == "fail" else value
            for name, value in entry["operations"].items()
        }
        entry["findings"] = [each for each in entry["findings"] if each["verdict"] != "fail"]
        if entry["id"] in names:
            _fail(entry, names[entry["id"]], failed)
    made["verdict"] = "non-conformant" if failed else "conformant"
    made["causes"] = []
    made["started"] = (FIRST + timedelta(days=night)).isoformat(timespec="seconds")
    for times in made["latencies"].values():
        times |= {"median": latency, "p95": 3 * latency}
    return made  # type: ignore[no-any-return]


def _fail(entry: Any, name: str, failed: Mapping[str, str]) -> None:
    operation = name.partition("[")[2].rstrip("]")
    entry["verdict"] = "fail"
    if operation:
        entry["operations"][operation] = "fail"
    finding = {
        "verdict": "fail",
        "operation": operation or None,
        "message": failed[name],
        "expected": "",
        "needs": [],
        "items": ["an_item"],
        "occurrences": 1,
        "exchanges": [],
    }
    entry["findings"].insert(0, finding)


_KEPT: list[Any] = []


def _sample() -> Any:
    if not _KEPT:
        _KEPT.append(json.loads(SAMPLE.read_bytes()))
        for entry in _KEPT[0]["requirements"]:
            for finding in entry["findings"]:
                finding["exchanges"] = []
    return _KEPT[0]


def ended(made: Report, code: int | None = None, revision: str = REVISION) -> Ended:
    """A run that has ended with a report."""
    of_verdict = {"conformant": 0, "non-conformant": 1, "inconclusive": 5}
    status = of_verdict[made["verdict"]] if code is None else code
    return Ended(status, {"report.json": json.dumps(made).encode()}, revision)


def campaign(memory: Memory, night: int, runs: Mapping[str, Ended]) -> int:
    """Add a campaign with one run for each target; its number."""
    began = (FIRST + timedelta(days=night)).timestamp()
    row: Mapping[str, Any] = {
        "name": f"night-{night + 1}",
        "identity": "fleet",
        "fleet": "",
        "started": began,
        "ended": began + 3600,
    }
    with memory.writing() as connection:
        statement = insert(tables.campaign).values(row).returning(tables.campaign.c.id)
        number: int = connection.execute(statement).scalar_one()
        for target, run in runs.items():
            added = recording.add(connection, target, run)
            values: dict[str, Any] = {"campaign": number}
            if run.report is None:  # otherwise its times are those of the report
                values |= {"started": began, "ended": began}
            connection.execute(update(tables.run).where(tables.run.c.id == added).values(values))
    return number


def nights(memory: Memory, count: int = 12) -> None:
    """Three targets: one conforms, one broke and flaps, one is not always there.

    `us` breaks `read/success` from the fifth night on and `pagination/once` every other night; in
    the last one it breaks `limits/body`, and `approval/replay` is mended.
    """
    for night in range(count):
        us = _of_us(night, count)
        runs = {
            "eu": ended(report({}, night, 0.02 + 0.002 * (night % 4))),
            "us": ended(report(us, night, 0.05 + 0.01 * night)),
            "asia": Ended(4, reason="nothing responds at https://asia.example.com/v1")
            if night % 3 == 2
            else ended(report({"read/counts": "the counts do not add up"}, night)),
        }
        campaign(memory, night, runs)


def _of_us(night: int, count: int) -> dict[str, str]:
    found: dict[str, str] = {}
    if night >= 4:
        found["read/success[project_get]"] = "500 Internal Server Error"
    if night % 2:
        found["pagination/once[video_list]"] = "<b>a video is listed twice</b>"
    if night < count - 1:
        found["approval/replay[review_approve]"] = "the replay returned 409"
    else:
        found["limits/body[review_approve]"] = "a body of 16 MiB was accepted"
    return found


def names(found: Sequence[Any]) -> list[str]:
    """The names of changes or failures."""
    return [each.name for each in found]
