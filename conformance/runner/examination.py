"""Opens the examination of the target that the options of a run name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.contract.exit_codes import USAGE_ERROR
from conformance.http.budget import Budget
from conformance.http.in_process import InProcess
from conformance.http.network import Network
from conformance.http.surroundings import UnusableEnvironment
from conformance.http.transport import Transport
from conformance.report import kept_shards
from conformance.report.console.line import shown
from conformance.report.journal import JOURNAL, SHARD, UNFINISHED
from conformance.report.known_failures import Known
from conformance.report.ledger import LEDGER_FILE
from conformance.runner import depth as depths
from conformance.runner import limits, preflight, stated_inputs, stated_target, worker
from conformance.runner.session import Session
from conformance.runner.stash import DURATIONS, ROUNDS
from conformance.runner.usage import usage_error
from conformance.storage import fresh_file
from conformance.target.profile import parse
from conformance.target.target import Target

IN_PROCESS = "http://reference.invalid/v1"


@dataclass(frozen=True)
class Subject:
    """A target, and the transport that reaches it.

    `provisioned` replaces the provision command where a run is replayed. The requests of a `traced`
    one have headers by which they are found in the logs of the target.
    """

    target: Target
    transport: Transport
    provisioned: tuple[str, ...] | None = None
    traced: bool = False


SUBJECT: pytest.StashKey[Callable[[], Subject]] = pytest.StashKey()
"""Makes the subject in place of the target of the options: a mutant, or a recording."""


def rehearse(config: pytest.Config) -> None:
    """Read the files of the options, and check that the target responds. Raises UsageError."""
    stated_inputs.known_failures(config)
    stated_inputs.baseline(config)
    stated_inputs.revision(config)
    target = stated_target.target_of(config)
    if target is not None:
        _check_workers(config, target)
        session = begin(config)
        try:
            check(session)
        finally:
            session.close()
    _clear(config)


def _check_workers(config: pytest.Config, target: Target) -> None:
    """UsageError where more processes would send at once than the target allows."""
    allowed, workers = target.limits.connections, config.getoption("numprocesses", None) or 1
    shard = config.getoption("conformance_shard")
    shards = shard.count if shard else 1
    if allowed is None or workers * shards <= allowed:
        return
    if shards > 1:
        together = f"{shards} shards" + (f" with -n {workers}" if workers > 1 else "") + " send"
        remedy = f"use at most {allowed} processes altogether"
    else:
        together, remedy = f"-n {workers} sends", f"use -n {allowed} or less"
    raise usage_error(
        f"{together} {workers * shards} requests at once, and limits.connections of the"
        f" profile allows {allowed}: {remedy}"
    )


def begin(config: pytest.Config) -> Session:
    """The session of this process, which logs its exchanges to the report directory."""
    stated_inputs.known_failures(config)
    stated_inputs.baseline(config)
    stated_inputs.revision(config)
    limits.check(config)
    examined, shard = subject(config), config.getoption("conformance_shard")
    if shard is not None:
        _check_workers(config, examined.target)
    session = opened(
        examined,
        config.getoption("conformance_seed"),
        config.getoption("conformance_depth"),
        processes=(shard.count if shard else 1) * worker.count(config),
    )
    session.limit(limits.budget(config, session.target.limits))
    name = worker.name(config)
    if name is None and config.getoption("conformance_resume") is None:
        _clear(config)
    part = stated_inputs.report_directory(config) / f"exchanges-{name or 'main'}.jsonl"
    session.open_log(part, limits.log_size(config))
    return session


def opened(examined: Subject, seed: int, depth: str, *, processes: int = 1) -> Session:
    """The session of this process with a subject; nothing limits it yet.

    Workers share its rate and connections; so do shards, which may run at the same time.
    """
    stated = examined.target.limits
    rate = stated.requests_per_second
    return Session(
        examined.target,
        examined.transport,
        seed=seed,
        depth=depths.named(depth),
        rate=rate / processes if rate else None,
        connections=stated.connections // processes if stated.connections else None,
        budget=Budget(requests=None, seconds=None, owner="run"),
        provisioned=examined.provisioned,
        traced=examined.traced,
    )


def clear(directory: Path) -> None:
    """Remove the files of a killed run, which the next report would include, and of shards.

    OSError where something else has the name of one.
    """
    kept_shards.discard(directory)
    left = ("exchanges-*.jsonl", JOURNAL, SHARD, UNFINISHED, LEDGER_FILE, fresh_file.LEFT_OVER)
    for left_over in (path for pattern in left for path in directory.glob(pattern)):
        fresh_file.check(left_over)
        left_over.unlink()


def _clear(config: pytest.Config) -> None:
    """Clear the folder of a run. Raises UsageError."""
    try:
        clear(stated_inputs.report_directory(config))
    except OSError as problem:
        raise usage_error(f"{problem.filename}: {problem.strerror}") from None


def subject(config: pytest.Config) -> Subject:
    """The subject that the options name."""
    if SUBJECT in config.stash:
        return config.stash[SUBJECT]()
    target = stated_target.target_of(config)
    if target is not None:
        traced = not config.getoption("conformance_no_trace_headers")
        return Subject(target, _network(target), traced=traced)
    from conformance import reference  # noqa: PLC0415  (only where no other target is named)

    return in_process(reference)


def _network(target: Target) -> Network:
    try:
        return Network(target.gateway)
    except UnusableEnvironment as problem:
        raise usage_error(str(problem)) from None


def in_process(package: ModuleType) -> Subject:
    """A reference implementation in this process, with a clock that is advanced by waiting."""
    clock = package.ManualClock()
    made = package.Reference(clock=clock)
    return Subject(
        parse(made.profile(IN_PROCESS), source=None, environ={}),
        InProcess(made.app, clock.advance),
    )


class Substitute:
    """A pytest plugin that replaces the subject, and files that the options of a run have named.

    `known` are its known failures, `durations` those by which its shards were balanced, `rounds`
    is the number of its rounds. `options` are values of options, by their destination, so that none
    of them has to be a text on a command line.
    """

    def __init__(
        self,
        made: Callable[[], Subject],
        known: tuple[Known, ...] | None = None,
        durations: Mapping[str, float] | None = None,
        rounds: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._made = made
        self._known = known
        self._durations = durations
        self._rounds = rounds
        self._options = options or {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Store what makes the subject, and what is replaced."""
        vars(config.option).update(self._options)
        config.stash[SUBJECT] = self._made
        if self._known is not None:
            config.stash[stated_inputs.KNOWN] = self._known
        if self._durations is not None:
            config.stash[DURATIONS] = self._durations
        if self._rounds is not None:
            config.stash[ROUNDS] = self._rounds


def check(session: Session) -> None:
    """End the run with a usage error where there is nothing to check."""
    obstacle = preflight.obstacle(session)
    if obstacle is not None:
        pytest.exit(shown(obstacle), returncode=USAGE_ERROR)
