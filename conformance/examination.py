"""Opens the examination of the target that the options of a run name."""

import os
from pathlib import Path
from types import ModuleType

import pytest

from conformance.client import Sending
from conformance.exchange import Call
from conformance.profile import ProfileError, bare, load, parse
from conformance.session import DEPTHS, Session
from conformance.target import Target
from conformance.transport import InProcess, Network, Transport

IN_PROCESS = "http://reference.invalid/v1"
DEFAULT_REPORTS = Path("reports/latest")
SUITE = Path(__file__).parent / "suite"
REFERENCE: pytest.StashKey[ModuleType] = pytest.StashKey()
"""The package that is judged where no target is named, if it is not the bundled reference itself."""


def is_meant(config: pytest.Config) -> bool:
    """Whether the paths that pytest was given name the suite: every pytest of an environment loads the plugin."""
    named = (argument.split("::")[0] for argument in config.args)
    return any(name.startswith(__package__ + ".suite") or (config.invocation_params.dir / name).is_relative_to(SUITE) for name in named)


def rehearse(config: pytest.Config) -> None:
    """End a run with workers before they start, where it cannot be made: only the controller can do that in a readable way."""
    _clear(config)
    if target_of(config) is not None:
        session = begin(config)
        try:
            knock(session)
        finally:
            session.close()


def target_of(config: pytest.Config) -> Target | None:
    """The target that the options name, or None for the bundled reference. Raises UsageError for what is wrong with it."""
    base_url = config.getoption("base_url", None) or None
    path: Path | None = config.getoption("target")
    try:
        if path is not None:
            return load(path, base_url=base_url)
        return bare(base_url) if base_url else None
    except ProfileError as problem:
        raise pytest.UsageError(str(problem)) from None


def report_directory(config: pytest.Config) -> Path:
    """Where this run writes."""
    return config.getoption("report_dir") or config.invocation_params.dir / DEFAULT_REPORTS


def begin(config: pytest.Config) -> Session:
    """The session of this process, with a log of its exchanges in the report directory."""
    target, transport = _target_and_transport(config)
    pace = target.limits.requests_per_second
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    session = Session(
        target,
        transport,
        seed=config.getoption("conformance_seed"),
        depth=DEPTHS[config.getoption("depth")],
        pace=pace / workers if pace else None,
    )
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        _clear(config)
    session.open_log(report_directory(config) / f"exchanges-{worker or 'main'}.jsonl")
    return session


def _clear(config: pytest.Config) -> None:
    # A run that was cut off may have left its exchanges.
    for left_over in report_directory(config).glob("exchanges-*.jsonl"):
        left_over.unlink()


def _target_and_transport(config: pytest.Config) -> tuple[Target, Transport]:
    target = target_of(config)
    if target is not None:
        return target, Network()
    from conformance import reference  # noqa: PLC0415  (only where no other target is named)

    package = config.stash.get(REFERENCE, reference)
    clock = package.ManualClock()
    judged = package.Reference(clock=clock)
    return parse(judged.profile(IN_PROCESS), source=None, environ={}), InProcess(judged.app, clock.advance)


def knock(session: Session) -> None:
    """End the run where nothing answers at the base URL at all: there is nobody to judge."""
    session.begin("knock")
    answer = session.client.send(Call("account_get"), Sending(None, purpose="is anybody there?", ordinary=False))
    if answer.response is None:
        pytest.exit(f"nothing answers at {session.target.base_url}: {answer.failure}", returncode=4)
