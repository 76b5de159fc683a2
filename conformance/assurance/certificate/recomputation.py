"""The report that the evidence supports: the suite, run again on the recorded responses."""

import gc
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.certificate.recorded import Outline
from conformance.assurance.certificate.replaying import UNWATCHED, Replaying
from conformance.http.replay import Recording
from conformance.http.trace import TRACEPARENT
from conformance.report import known_failures, known_gaps, source
from conformance.report.exchange_log import EXCHANGES
from conformance.report.known_failures import Known
from conformance.report.latency import latencies
from conformance.runner import examination, gathering, pytest_run

TIMES = frozenset({"started", "elapsed"})
"""What a replay cannot know of an exchange."""

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Recomputed:
    """The report of a replay, and the recorded exchanges that it did not need.

    `altered` are the exchanges that it had otherwise than they were recorded, `missing` those that
    it needed and that were not recorded. `problems` are what the replays of shards contradict, and
    what does not follow from them.
    """

    report: dict[str, Any]
    unused: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def replay(evidence: Evidence, how: Replaying = UNWATCHED) -> Recomputed:
    """Run the suite on the recording, in a process of its own; takes about as long as a run.

    Raises Inconclusive where that takes too much.
    """
    with tempfile.TemporaryDirectory() as name:
        return perform(evidence, Path(name), how)


def perform(evidence: Evidence, directory: Path, how: Replaying = UNWATCHED) -> Recomputed:
    """The same, with the files of the run in a directory; a shard is replayed as that shard."""
    return how.apart(partial(_performed, evidence, directory, how.watching))


def _performed(evidence: Evidence, directory: Path, watching: Sequence[object]) -> Recomputed:
    recorded = evidence.exchanges.by_id
    recording = Recording(recorded, is_ours=evidence.run["source"] == source.digest())
    traced = any(map(_is_traced, evidence.exchanges))
    subject = examination.Subject(evidence.target, recording, evidence.provisioned, traced)
    asked = evidence.asked
    plugin = examination.Substitute(
        lambda: subject,
        _accepted(evidence),
        evidence.run.get("durations"),
        asked.rounds,
        asked.options,
    )
    # Nothing of the evidence is on the command line. The badge is the smallest: nobody reads it.
    own = [f"--conformance-report-dir={directory}", "--conformance-report=badge"]
    pytest_run.execute(own, [plugin, *watching])
    gc.collect()  # while a run goes on, nearly nothing is: its checks refer to each other
    report = orjson.loads((directory / "report.json").read_bytes())
    altered = tuple(_altered(directory / EXCHANGES, recorded))
    return Recomputed(report, tuple(recording.unused), altered, tuple(recording.missing))


def _altered(log: Path, recorded: Mapping[str, Line]) -> Iterator[str]:
    """The exchanges in the log of a replay that are not the recorded ones."""
    with log.open("rb") as lines:
        for line in map(orjson.loads, lines):
            if _essence(recorded.get(line["id"], {})) != _essence(line):
                yield line["id"]


def _accepted(evidence: Evidence) -> tuple[Known, ...] | None:
    """The known failures that counted when the run ended: their requests were not repeated."""
    stated = evidence.run["known-failures"]
    if stated is None:
        return None
    live = (each for each in map(Known.recorded, stated) if each.is_live(_end(evidence)))
    return tuple(replace(each, expires=None) for each in live)


def _end(evidence: Evidence) -> date:
    return (evidence.started + timedelta(seconds=evidence.run["duration"])).date()


def _is_traced(line: Line) -> bool:
    return any(name == TRACEPARENT for name, _ in line["request"]["headers"])


def report(evidence: Evidence, again: Recomputed) -> dict[str, Any]:
    """The report that a run with this evidence writes.

    Its times are those of the evidence, since a replay takes another time.
    """
    recorded = evidence.exchanges.by_id
    run: Any = evidence.run
    expected: dict[str, Any] = _with_times(again.report, recorded)
    expected |= {
        "target": gathering.described(evidence.target),
        "started": run["started"],
        "duration": run["duration"],
        "latencies": latencies(_elapsed(evidence.exchanges.outlines)),
    }
    if met := {**expected.get("circumstances", {}), **run.get("measured", {})}:
        expected["circumstances"] = met
    if run["known-failures"] is not None:
        marked: Any = expected
        accepted = list(map(Known.recorded, run["known-failures"]))
        known_failures.mark(marked, accepted, _end(evidence))
        known_gaps.mark(marked, accepted, _end(evidence))
    return expected


def _with_times(value: Any, recorded: Mapping[str, Line]) -> Any:
    """A value in which every exchange has its recorded times."""
    if isinstance(value, list):
        return [_with_times(each, recorded) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: _with_times(each, recorded) for name, each in value.items()}
    if "request" in found and found.get("id") in recorded:
        found |= {name: recorded[found["id"]][name] for name in TIMES}
    return found


def _elapsed(lines: Sequence[Outline]) -> dict[str, list[float]]:
    """The seconds of each response by operation."""
    found: dict[str, list[float]] = {}
    for line in lines:
        if line.is_answered:
            found.setdefault(line.operation, []).append(line.elapsed)
    return found


def differences(evidence: Evidence, again: Recomputed) -> Iterator[str]:
    """Every statement of the report, and every exchange, that the replay contradicts."""
    if again.problems:
        yield from again.problems
        return
    if again.unused:
        shown = ", ".join(again.unused[:3])
        yield f"{len(again.unused)} recorded exchanges belong to no check: {shown}"
    for id in again.altered:
        yield f"the exchange {id} was removed or altered"
    yield from different(evidence.run["suite"], again.report["suite"], "run.json/suite")
    yield from different(evidence.report, report(evidence, again), "")


def _essence(line: Line) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in TIMES}


def different(stated: Any, expected: Any, place: str) -> Iterator[str]:
    """Where a value of the report differs from the recomputed one, as JSON Pointers."""
    if isinstance(stated, dict) and isinstance(expected, dict):
        for name in {**expected, **stated}:
            where = f"{place}/{name}"
            if name not in stated or name not in expected:
                yield f"{where} is {'missing' if name not in stated else 'not in the evidence'}"
            else:
                yield from different(stated[name], expected[name], where)
    elif isinstance(stated, list) and isinstance(expected, list) and len(stated) == len(expected):
        for number, (one, other) in enumerate(zip(stated, expected, strict=True)):
            yield from different(one, other, f"{place}/{_name(expected[number], number)}")
    elif stated != expected or type(stated) is not type(expected):  # 1, 1.0 and true are equal
        yield f"{place} is {_shown(stated)}, and the evidence says {_shown(expected)}"


def _name(entry: Any, number: int) -> str:
    """The id of an entry where it has one: a number says nothing to a reader."""
    return str(entry["id"]) if isinstance(entry, dict) and "id" in entry else str(number)


def _shown(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 100 else f"{text[:100]}…"
