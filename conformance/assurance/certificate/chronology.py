"""The order and the times of the recorded exchanges, which no replay can recompute."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from conformance.assurance.certificate import challenge
from conformance.assurance.certificate.challenge import Circumstances
from conformance.assurance.certificate.evidence import Evidence
from conformance.assurance.certificate.recorded import Exchanges, Outline

LONGEST_SILENCE = timedelta(hours=1)
"""Time that a run may take after its last response: it still has to write its report."""

LARGEST_SKEW = timedelta(days=1)
"""How far the clock of a target may be off."""

Line = Mapping[str, Any]


def in_order(exchanges: Exchanges) -> bytes:
    """The lines of a log in the order in which their requests were sent."""
    moments = list(map(_moment, exchanges))
    order = sorted(range(len(moments)), key=moments.__getitem__)
    return b"".join(exchanges.line(number) + b"\n" for number in order)


def problems(evidence: Evidence) -> Iterator[str]:
    """What is impossible in the order or the times of the evidence."""
    lines, run = evidence.exchanges.outlines, evidence.run
    yield from _disorder(lines)
    last = last_response(lines)
    if last > run["duration"]:
        yield f"the last response came {last} s after the start of a run of {run['duration']} s"
    if run["duration"] - last > LONGEST_SILENCE.total_seconds():
        yield f"the run claims {run['duration']} s, and its last response came after {last} s"
    yield from _skew(lines, evidence.started)
    yield from _future(evidence)
    if evidence.challenge is not None:
        yield from challenge.problems(evidence.challenge, circumstances(evidence))


def circumstances(evidence: Evidence) -> Circumstances:
    """What the evidence shows of the time of its run."""
    return Circumstances(
        seed=evidence.report["suite"]["seed"],
        base_url=evidence.target.base_url,
        started=evidence.started,
        finished=evidence.started + timedelta(seconds=int(evidence.run["duration"])),
        dates=[date for line in evidence.exchanges.outlines for date in line.dates],
    )


def last_response(lines: Sequence[Outline]) -> float:
    """Seconds from the start of a run to the end of its last exchange."""
    return max((line.started + line.elapsed for line in lines), default=0.0)


def _moment(line: Line) -> tuple[float, str]:
    return line["started"], line["id"]


def _disorder(lines: Sequence[Outline]) -> Iterator[str]:
    seen: set[str] = set()
    for line in lines:
        if line.id in seen:
            yield f"the exchange {line.id} is recorded twice"
            return
        seen.add(line.id)
    for before, after in pairwise(lines):
        if (before.started, before.id) > (after.started, after.id):
            yield f"{after.id} stands after {before.id}, but was sent before it"
            return
    if any(line.started < 0 or line.elapsed < 0 for line in lines):
        yield "an exchange ends before it begins"


def _skew(lines: Sequence[Outline], started: datetime) -> Iterator[str]:
    """Dates of the run that differ from those in the target's own responses."""
    offsets = [
        (date - started).total_seconds() - line.started for line in lines for date in line.dates
    ]
    if offsets and abs(median(offsets)) > LARGEST_SKEW.total_seconds():
        stated = started + timedelta(seconds=median(offsets))
        yield (
            f"the run claims to have begun on {started.date()}, and the Date headers of the target"
            f" say {stated.date()}"
        )


def _future(evidence: Evidence) -> Iterator[str]:
    """A run that is not over: everything else would fit it all the same."""
    finished = circumstances(evidence).finished
    if finished > datetime.now(UTC) + challenge.CLOCK_SKEW:
        yield f"the run claims to have ended at {finished}, which is in the future"
