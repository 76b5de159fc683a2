"""Opens the examination of the target that the options of a run name."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.contract import requirements, revisions
from conformance.contract.exit_codes import USAGE_ERROR
from conformance.http import proxy
from conformance.http.transport import InProcess, Network, Transport
from conformance.report import kept_shards, previous
from conformance.report import known_failures as failures
from conformance.report.document_types import Report
from conformance.report.journal import JOURNAL, SHARD, UNFINISHED
from conformance.report.known_failures import Known
from conformance.report.ledger import LEDGER_FILE
from conformance.runner import disk, limits, preflight, worker
from conformance.runner.collection import SUITE
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.runner.stash import DURATIONS, ROUNDS
from conformance.target.profile import load, of_environment, parse, with_credentials
from conformance.target.profile_file import ProfileError
from conformance.target.target import Target

IN_PROCESS = "http://reference.invalid/v1"
RUN_INI = Path(__file__).with_name("run.ini")
"""The configuration of pytest for `conformance run`."""
DEFAULT_REPORTS = Path("reports/latest")


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


KNOWN: pytest.StashKey[tuple[Known, ...] | None] = pytest.StashKey()
"""The known failures of a run that is replayed, in place of those of the options."""

TARGET: pytest.StashKey[Target | None] = pytest.StashKey()
"""The target of `target_of`: read once, since commands of its profile may print secrets."""


def target_of(config: pytest.Config) -> Target | None:
    """The target that the options name; None for the reference. Raises UsageError."""
    if TARGET not in config.stash:
        config.stash[TARGET] = _target(config)
    return config.stash[TARGET]


def _target(config: pytest.Config) -> Target | None:
    base_url = config.getoption("base_url", None) or None
    profile = _profile(config, base_url)
    credentials: dict[str, Any] = {}
    for others in config.hook.pytest_conformance_credentials(config=config):
        credentials |= others
    try:
        if isinstance(profile, Path):
            target = load(profile, base_url=base_url, credentials=credentials)
        elif profile is not None or base_url:
            stated = of_environment(os.environ) if profile is None else profile
            tables = with_credentials(stated, credentials)
            source = "pytest_conformance_target" if profile else None
            target = parse(tables, base_url=base_url, source=source)
        else:
            return None
    except ProfileError as problem:
        raise pytest.UsageError(str(problem)) from None
    return _provisioned(target, config)


def _profile(config: pytest.Config, base_url: str | None) -> Path | Mapping[str, Any] | None:
    """The profile: that of --target, of a hook, or of the folder."""
    path: Path | None = config.getoption("conformance_target")
    if path is not None:
        return path
    made: Path | Mapping[str, Any] | None = config.hook.pytest_conformance_target(config=config)
    return made if made is not None or base_url else own_profile(config)


def _provisioned(target: Target, config: pytest.Config) -> Target:
    """The target with the reviews that a hook makes, unless its profile has a command for them."""
    hook = config.hook.pytest_conformance_approvable_review
    if target.fixtures.provision or not hook.get_hookimpls():
        return target
    fixtures = replace(target.fixtures, provision=lambda: hook(config=config))
    return replace(target, fixtures=fixtures)


def own_profile(config: pytest.Config) -> Path | None:
    """`target.toml` of the folder where plain pytest was started; None where there is none.

    `conformance run` names the profile itself, and a self-test has none.
    """
    path = config.invocation_params.dir / "target.toml"
    return path if config.inipath != RUN_INI and path.is_file() else None


def known_failures(config: pytest.Config) -> tuple[Known, ...] | None:
    """The known failures in the file that the options name. Raises UsageError."""
    if KNOWN in config.stash:
        return config.stash[KNOWN]
    path: Path | None = config.getoption("conformance_known_failures")
    try:
        return None if path is None else failures.listed(path)
    except failures.KnownError as problem:
        raise pytest.UsageError(str(problem)) from None


def baseline(config: pytest.Config) -> Report | None:
    """The report of an earlier run that the options name. Raises UsageError."""
    path: Path | None = config.getoption("conformance_baseline")
    try:
        return None if path is None else previous.load(path)
    except previous.PreviousError as problem:
        raise pytest.UsageError(f"--baseline {problem}") from None


def revision(config: pytest.Config) -> str | None:
    """The revision that the options name; None where everything counts. Raises UsageError."""
    name: str | None = config.getoption("conformance_revision")
    try:
        return None if name is None else revisions.load(name).name
    except revisions.UnknownRevision as problem:
        raise pytest.UsageError(f"--revision: {problem}") from None


def required(config: pytest.Config) -> tuple[str, ...]:
    """The classes and requirements of --require. Raises UsageError for an unknown one."""
    names = tuple(dict.fromkeys(config.getoption("conformance_require")))
    known = (*requirements.CLASSES, *requirements.load())
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f": did you mean {close[0]}?" if close else ""
            raise pytest.UsageError(f"--require: unknown class or requirement {name!r}{hint}")
    return names


def is_meant(config: pytest.Config) -> bool:
    """Whether the arguments of a run name the suite, before anything is collected."""
    return any(
        Path(argument.split("::")[0]).absolute().is_relative_to(SUITE) for argument in config.args
    )


def rehearse(config: pytest.Config) -> None:
    """Read the files of the options, and check that the target responds. Raises UsageError."""
    known_failures(config)
    baseline(config)
    revision(config)
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
    raise pytest.UsageError(
        f"{together} {workers * shards} requests at once, and limits.connections of the"
        f" profile allows {allowed}: {remedy}"
    )


def report_directory(config: pytest.Config) -> Path:
    """The folder that this run writes to."""
    return (
        config.getoption("conformance_resume")
        or config.getoption("conformance_report_dir")
        or config.invocation_params.dir / DEFAULT_REPORTS
    )


def hold_directory(config: pytest.Config) -> None:
    """Let no other run of plain pytest write to the same folder; `conformance run` does it itself.

    Raises UsageError where another one does.
    """
    if config.inipath != RUN_INI:
        disk.hold(config, report_directory(config))


def begin(config: pytest.Config) -> Session:
    """The session of this process, which logs its exchanges to the report directory."""
    known_failures(config)
    baseline(config)
    revision(config)
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
        clear(report_directory(config))
    part = report_directory(config) / f"exchanges-{name or 'main'}.jsonl"
    session.open_log(part, limits.log_size(config))
    return session


def opened(examined: Subject, seed: int, depth: str, *, processes: int = 1) -> Session:
    """The session of this process with a subject.

    Workers share its rate and connections; so do shards, which may run at the same time.
    """
    stated = examined.target.limits
    rate = stated.requests_per_second
    return Session(
        examined.target,
        examined.transport,
        seed=seed,
        depth=DEPTHS[depth],
        rate=rate / processes if rate else None,
        connections=stated.connections // processes if stated.connections else None,
        provisioned=examined.provisioned,
        traced=examined.traced,
    )


def clear(directory: Path) -> None:
    """Remove the files of a killed run, which the next report would include, and of shards."""
    kept_shards.discard(directory)
    left = ("exchanges-*.jsonl", JOURNAL, SHARD, UNFINISHED, LEDGER_FILE)
    for left_over in (path for pattern in left for path in directory.glob(pattern)):
        left_over.unlink()


def subject(config: pytest.Config) -> Subject:
    """The subject that the options name."""
    if SUBJECT in config.stash:
        return config.stash[SUBJECT]()
    target = target_of(config)
    if target is not None:
        _check_proxies()
        return Subject(
            target, Network(), traced=not config.getoption("conformance_no_trace_headers")
        )
    from conformance import reference  # noqa: PLC0415  (only where no other target is named)

    return in_process(reference)


def _check_proxies() -> None:
    """UsageError where a proxy of the environment cannot be used."""
    flaw = proxy.flaw()
    if flaw:
        raise pytest.UsageError(flaw)


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
    is the number of its rounds.
    """

    def __init__(
        self,
        made: Callable[[], Subject],
        known: tuple[Known, ...] | None = None,
        durations: Mapping[str, float] | None = None,
        rounds: int | None = None,
    ) -> None:
        self._made = made
        self._known = known
        self._durations = durations
        self._rounds = rounds

    def pytest_configure(self, config: pytest.Config) -> None:
        """Store what makes the subject, and what is replaced."""
        config.stash[SUBJECT] = self._made
        if self._known is not None:
            config.stash[KNOWN] = self._known
        if self._durations is not None:
            config.stash[DURATIONS] = self._durations
        if self._rounds is not None:
            config.stash[ROUNDS] = self._rounds


def check(session: Session) -> None:
    """End the run with a usage error where there is nothing to check."""
    obstacle = preflight.obstacle(session)
    if obstacle is not None:
        pytest.exit(obstacle, returncode=USAGE_ERROR)
