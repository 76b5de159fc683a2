"""`conformance fleet run`: a campaign over the targets of a fleet."""

import argparse
import hashlib
import json
import os
import platform
import signal
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from conformance.commands import trusted
from conformance.commands.fleet.display import Display
from conformance.commands.options.fleet import UNSHARDED
from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import (
    CHECKER_ERROR,
    CONFORMANT,
    INCOMPLETE,
    INTERRUPTED,
    NON_CONFORMANT,
)
from conformance.contract.quantity import quantity
from conformance.fleet import fleet_file
from conformance.fleet.coordinator import Coordinator, Errand, MemoryLost
from conformance.fleet.engines.engine import Engine, EngineProblem
from conformance.fleet.engines.local import LocalEngine
from conformance.fleet.fleet_file import FleetError
from conformance.fleet.memory import database, queue, reading
from conformance.fleet.memory.database import Memory, MemoryProblem
from conformance.fleet.memory.reading import Run
from conformance.fleet.targets import Fleet, FleetTarget
from conformance.report.console import output

CODES = {"conformant": CONFORMANT, "non-conformant": NON_CONFORMANT, "error": CHECKER_ERROR}
"""The exit codes of some outcomes; whatever else happened leaves a fleet incomplete."""
WORST = (CHECKER_ERROR, NON_CONFORMANT, INCOMPLETE, CONFORMANT)
"""Which exit code wins over which, as in one run: an internal error is none of a target."""


@dataclass(frozen=True)
class Campaign:
    """The campaign of a command: its name and number in the memory, and its targets by name."""

    name: str
    number: int
    targets: Mapping[str, FleetTarget]


def run(arguments: argparse.Namespace) -> int:
    """Check the targets, and print how each of them ended."""
    fleet = _fleet(arguments)
    targets = fleet.selected(arguments.only, arguments.shard)
    if not targets:
        raise UsageError(f"{arguments.file}: {_why_none(fleet, arguments)}")
    if not arguments.trust:
        trusted.demanded([each.demands for each in targets if each.demands])
    memory = _memory(arguments.db)
    try:
        with _engine(arguments) as engine:
            campaign = _campaign(arguments, memory, fleet, targets)
            is_stopped = _work(arguments, memory, engine, campaign)
        return _report(arguments, memory, campaign, is_stopped=is_stopped)
    except SQLAlchemyError as problem:
        raise UsageError(f"--db: {database.first_line(problem)}") from None
    finally:
        memory.close()


def _why_none(fleet: Fleet, arguments: argparse.Namespace) -> str:
    """Why the options select no target."""
    number = len(fleet.selected(arguments.only, UNSHARDED))
    if not number:
        return "no target has the label or name of --only"
    shard = "/".join(map(str, arguments.shard))
    return f"--shard {shard} has no target; divide {quantity(number, 'target')} into fewer shards"


def _fleet(arguments: argparse.Namespace) -> Fleet:
    # With an engine, variables may be set where the workers are.
    environ = os.environ if arguments.engine is None else None
    try:
        return fleet_file.load(arguments.file, environ)
    except FleetError as problem:
        raise UsageError(str(problem)) from None


def _memory(url: str) -> Memory:
    try:
        return database.open_memory(url)
    except MemoryProblem as problem:
        raise UsageError(f"--db {problem}") from None


@contextmanager
def _engine(arguments: argparse.Namespace) -> Iterator[Engine]:
    engine = _chosen_engine(arguments)
    try:
        yield engine
    finally:
        engine.close()


def _chosen_engine(arguments: argparse.Namespace) -> Engine:
    if arguments.engine is None:
        return LocalEngine(arguments.processes)
    # Only such a campaign needs Dask, which takes long to import.
    from conformance.fleet.engines.dask import DaskEngine  # noqa: PLC0415

    try:
        return DaskEngine(arguments.engine)
    except EngineProblem as problem:
        raise UsageError(f"--engine: {problem}") from None


def _campaign(
    arguments: argparse.Namespace, memory: Memory, fleet: Fleet, targets: Sequence[FleetTarget]
) -> Campaign:
    """The campaign to work on: the one that is named, the unfinished one, or a new one."""
    shard = "/".join(map(str, arguments.shard))
    stated = json.dumps([fleet.name, str(arguments.file.absolute()), arguments.only, shard])
    identity = hashlib.sha256(stated.encode()).hexdigest()
    names = [target.name for target in targets]
    with memory.writing() as connection:
        left = queue.unfinished(connection, identity)
        if left and arguments.new:
            queue.abandon(connection, left)
        earlier = None if arguments.new else left
        if earlier is None and arguments.again:
            earlier = queue.last(connection, identity)
        name = arguments.campaign or earlier or _new_name(fleet)
        number = queue.begin(connection, name, identity, fleet.name)
        queue.plan(connection, number, targets)
        if arguments.again:
            queue.again(connection, number, names)
    return Campaign(name, number, {target.name: target for target in targets})


def _new_name(fleet: Fleet) -> str:
    return f"{fleet.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}"


def _work(
    arguments: argparse.Namespace, memory: Memory, engine: Engine, campaign: Campaign
) -> bool:
    """Work on the campaign; whether it was stopped."""
    own = f"{platform.node()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    errand = Errand(campaign.number, campaign.targets, own)
    with Display(sys.stderr if arguments.json else sys.stdout, len(campaign.targets)) as display:
        display.begin(campaign.name, _done(memory, campaign))
        coordinator = Coordinator(memory, engine, errand, display)
        with _stopping(coordinator.stop):
            try:
                coordinator.work()
            except (MemoryLost, EngineProblem) as problem:
                display.note(f"{problem}; the same command resumes the campaign")
    return coordinator.is_stopped


def _done(memory: Memory, campaign: Campaign) -> int:
    """How many targets of a resumed campaign have ended."""
    return sum(run.outcome is not None for run in _latest(memory, campaign))


def _latest(memory: Memory, campaign: Campaign) -> list[Run]:
    with memory.reading() as connection:
        found = reading.latest(reading.runs(connection, campaign.number))
    return [run for run in found if run.target in campaign.targets]


@contextmanager
def _stopping(stop: Callable[[], None]) -> Iterator[None]:
    """The first signal ends the campaign in order, the second one at once."""
    before: dict[int, Any] = {}

    def handle(_number: int, _frame: FrameType | None) -> None:
        stop()
        for number, former in before.items():
            signal.signal(number, former)

    for each in (signal.SIGINT, signal.SIGTERM):
        before[each] = signal.signal(each, handle)
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def _report(
    arguments: argparse.Namespace, memory: Memory, campaign: Campaign, *, is_stopped: bool
) -> int:
    runs = _latest(memory, campaign)
    code = exit_code(runs, is_stopped=is_stopped)
    if arguments.json:
        output.document(_outcome(campaign, runs, code))
        return code
    with suppress(BrokenPipeError):
        output.lines(_lines(campaign, runs))
    return code


def exit_code(runs: Sequence[Run], *, is_stopped: bool) -> int:
    """The exit code of a campaign with these last attempts."""
    codes = {CODES.get(run.outcome or "", INCOMPLETE) for run in runs}
    is_unfinished = is_stopped and any(run.outcome is None for run in runs)
    if is_unfinished and CHECKER_ERROR not in codes:
        return INTERRUPTED
    return next(code for code in WORST if code in codes)


def _outcome(campaign: Campaign, runs: Sequence[Run], code: int) -> dict[str, Any]:
    keys = ("target", "labels", "attempt", "state", "outcome", "verdict", "reason", "duration")
    return {
        "campaign": campaign.name,
        "exit-code": code,
        "counts": dict(Counter(run.outcome or run.state for run in runs)),
        "targets": [{key: getattr(run, key) for key in keys} for run in runs],
    }


def _lines(campaign: Campaign, runs: Sequence[Run]) -> Iterator[str]:
    """What is said at the end: whoever does not conform, and the counts."""
    width = max(len(run.target) for run in runs)
    yield ""
    for run in runs:
        if run.outcome != "conformant":
            reason = f"  {run.reason}" if run.reason else ""
            yield f"{run.target:{width}}  {run.outcome or run.state}{reason}"
    counts = Counter(run.outcome or run.state for run in runs)
    listed = ", ".join(f"{number} {outcome}" for outcome, number in counts.most_common())
    yield f"{campaign.name}: {listed}"
