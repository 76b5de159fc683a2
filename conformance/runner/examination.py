"""Opens the examination of the target that the options of a run name."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from conformance.contract import requirements
from conformance.http.transport import InProcess, Network, Transport
from conformance.report import known_failures as failures
from conformance.report.journal import JOURNAL
from conformance.report.known_failures import Known
from conformance.runner import preflight
from conformance.runner.collection import SUITE
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.target.profile import ProfileError, bare, load, parse
from conformance.target.target import Target

IN_PROCESS = "http://reference.invalid/v1"
DEFAULT_REPORTS = Path("reports/latest")


@dataclass(frozen=True)
class Subject:
    """What is examined, and how it is reached; `provisioned` stands in for the provision command where a run is repeated."""

    target: Target
    transport: Transport
    provisioned: tuple[str, ...] | None = None


SUBJECT: pytest.StashKey[Callable[[], Subject]] = pytest.StashKey()
"""Makes what is examined in place of the target that the options name: an altered reference, or a recording."""


TARGET: pytest.StashKey[Target | None] = pytest.StashKey()
"""The target of `target_of`: read once, since its profile may have commands that print secrets."""


def target_of(config: pytest.Config) -> Target | None:
    """The target that the options name, or None for the bundled reference. Raises UsageError for what is wrong with it."""
    if TARGET not in config.stash:
        config.stash[TARGET] = _target(config)
    return config.stash[TARGET]


def _target(config: pytest.Config) -> Target | None:
    base_url = config.getoption("base_url", None) or None
    path: Path | None = config.getoption("target")
    try:
        if path is not None:
            return load(path, base_url=base_url)
        return bare(base_url) if base_url else None
    except ProfileError as problem:
        raise pytest.UsageError(str(problem)) from None


def known_failures(config: pytest.Config) -> tuple[Known, ...] | None:
    """The known failures that the options name a file of. Raises UsageError for what is wrong with it."""
    path: Path | None = config.getoption("known_failures")
    try:
        return (
            None
            if path is None
            else failures.load(
                path, {id: entry.operations for id, entry in requirements.load().items()}
            )
        )
    except failures.KnownError as problem:
        raise pytest.UsageError(str(problem)) from None


def is_meant(config: pytest.Config) -> bool:
    """Whether the arguments of a run name the suite, as far as can be told before anything is collected."""
    return any(
        Path(argument.split("::")[0]).absolute().is_relative_to(SUITE) for argument in config.args
    )


def rehearse(config: pytest.Config) -> None:
    """Read what the options name, and find out whether anybody answers there. Raises UsageError for what is wrong with them."""
    known_failures(config)
    target = target_of(config)
    if target is not None:
        _check_workers(config, target)
        session = begin(config)
        try:
            check(session)
        finally:
            session.close()
    clear(report_directory(config))


def _check_workers(config: pytest.Config, target: Target) -> None:
    """UsageError where more processes would send at once than the target allows."""
    allowed, workers = target.limits.connections, config.getoption("numprocesses")
    if allowed is not None and workers > allowed:
        raise pytest.UsageError(
            f"-n {workers} sends {workers} requests at once, and limits.connections of the profile"
            f" allows {allowed}: use -n {allowed} or less"
        )


def report_directory(config: pytest.Config) -> Path:
    """Where this run writes."""
    return config.getoption("report_dir") or config.invocation_params.dir / DEFAULT_REPORTS


def begin(config: pytest.Config) -> Session:
    """The session of this process, with a log of its exchanges in the report directory."""
    known_failures(config)
    session = opened(
        subject(config), config.getoption("conformance_seed"), config.getoption("depth")
    )
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        clear(report_directory(config))
    session.open_log(report_directory(config) / f"exchanges-{worker or 'main'}.jsonl")
    return session


def opened(examined: Subject, seed: int, depth: str) -> Session:
    """The session of this process with what is examined; workers share the pace that the target allows."""
    limits = examined.target.limits
    rate = limits.requests_per_second
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return Session(
        examined.target,
        examined.transport,
        seed=seed,
        depth=DEPTHS[depth],
        rate=rate / workers if rate else None,
        connections=limits.connections // workers if limits.connections else None,
        provisioned=examined.provisioned,
    )


def clear(directory: Path) -> None:
    """Take away what a run that was killed has left; the next report would take it for its own."""
    for left_over in (*directory.glob("exchanges-*.jsonl"), *directory.glob(JOURNAL)):
        left_over.unlink()


def subject(config: pytest.Config) -> Subject:
    """What the options say is to be examined."""
    if SUBJECT in config.stash:
        return config.stash[SUBJECT]()
    target = target_of(config)
    if target is not None:
        return Subject(target, Network())
    from conformance import reference  # noqa: PLC0415  (only where no other target is named)

    return in_process(reference)


def in_process(package: ModuleType) -> Subject:
    """A reference implementation, driven in this process by a clock that is moved instead of waited for."""
    clock = package.ManualClock()
    judged = package.Reference(clock=clock)
    return Subject(
        parse(judged.profile(IN_PROCESS), source=None, environ={}),
        InProcess(judged.app, clock.advance),
    )


class Substitute:
    """A pytest plugin that puts another subject in the place of the one that the options name."""

    def __init__(self, made: Callable[[], Subject]) -> None:
        self._made = made

    def pytest_configure(self, config: pytest.Config) -> None:
        """The examination finds it here."""
        config.stash[SUBJECT] = self._made


def check(session: Session) -> None:
    """End the run with exit code 4 where there is nothing to check."""
    obstacle = preflight.obstacle(session)
    if obstacle is not None:
        pytest.exit(obstacle, returncode=4)
