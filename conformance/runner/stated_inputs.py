"""What the options of a run state beside its target: files, what is required, and the folder."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import pytest

from conformance.contract import requirements, revisions
from conformance.report import known_failures as failures
from conformance.report import previous
from conformance.report.document_types import Report
from conformance.report.event_stream import STANDARD_OUTPUT, EventStream
from conformance.report.known_failures import Known
from conformance.report.places import Places
from conformance.runner import disk
from conformance.runner.collection import RUN_INI, SUITE
from conformance.runner.run_options import REPORT_DIR
from conformance.runner.usage import usage_error

KNOWN: pytest.StashKey[tuple[Known, ...] | None] = pytest.StashKey()
"""The known failures of a run that is replayed, in place of those of the options."""


def known_failures(config: pytest.Config) -> tuple[Known, ...] | None:
    """The known failures in the file that the options name. Raises UsageError."""
    if KNOWN in config.stash:
        return config.stash[KNOWN]
    path: Path | None = config.getoption("conformance_known_failures")
    try:
        return None if path is None else failures.listed(path)
    except failures.KnownError as problem:
        raise usage_error(str(problem)) from None


def places(config: pytest.Config) -> Places:
    """The places in the profile and in the file of known failures that the options name."""
    stated: Path | None = config.getoption("conformance_target")
    return Places.of(stated, config.getoption("conformance_known_failures"))


def baseline(config: pytest.Config) -> Report | None:
    """The report of an earlier run that the options name. Raises UsageError."""
    path: Path | None = config.getoption("conformance_baseline")
    try:
        return None if path is None else previous.load(path)
    except previous.PreviousError as problem:
        raise usage_error(f"--baseline {problem}") from None


def revision(config: pytest.Config) -> str | None:
    """The revision that the options name; None where everything counts. Raises UsageError."""
    name: str | None = config.getoption("conformance_revision")
    try:
        return None if name is None else revisions.load(name).name
    except revisions.UnknownRevision as problem:
        raise usage_error(f"--revision: {problem}") from None


def required(config: pytest.Config) -> tuple[str, ...]:
    """The classes and requirements of --require. Raises UsageError for an unknown one."""
    return named(config, "require", "class", requirements.CLASSES)


def named(config: pytest.Config, option: str, other: str, others: Sequence[str]) -> tuple[str, ...]:
    """The values of an option: requirements, or `others`. Raises UsageError for an unknown one."""
    names = tuple(dict.fromkeys(config.getoption(f"conformance_{option}")))
    known = (*others, *requirements.load())
    for name in names:
        if name not in known:
            close = " or ".join(get_close_matches(name, known, 3))
            hint = f": did you mean {close}?" if close else ""
            raise usage_error(f"--{option}: unknown {other} or requirement {name!r}{hint}")
    return names


def events(config: pytest.Config) -> EventStream:
    """The file that the options name for events. Raises UsageError."""
    path: Path = config.getoption("conformance_events")
    if path == STANDARD_OUTPUT:
        raise usage_error("--events -: pytest writes to standard output itself; name a file")
    try:
        return EventStream(path)
    except OSError as problem:
        raise usage_error(f"--events {path}: {problem.strerror}") from None


def is_meant(config: pytest.Config) -> bool:
    """Whether the arguments of a run name the suite, before anything is collected."""
    return any(
        Path(argument.split("::")[0]).absolute().is_relative_to(SUITE) for argument in config.args
    )


def report_directory(config: pytest.Config) -> Path:
    """The folder that this run writes to."""
    return (
        config.getoption("conformance_resume")
        or config.getoption("conformance_report_dir")
        or config.invocation_params.dir / REPORT_DIR
    )


def hold_directory(config: pytest.Config) -> None:
    """Let no other run of plain pytest write to the same folder; `conformance run` does it itself.

    Raises UsageError where another one does.
    """
    if config.inipath != RUN_INI:
        disk.hold(config, report_directory(config))
