"""The run that the options of pytest describe, for the process that writes its report."""

import argparse
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from conformance import __version__
from conformance.contract import requirements
from conformance.contract.exit_codes import INTERRUPTED
from conformance.http import secrecy
from conformance.report import artefacts
from conformance.report.document_types import AboutEntry, SuiteEntry, TargetEntry
from conformance.report.run import Run, catalogue, versions
from conformance.runner import (
    disk,
    examination,
    partition,
    selection,
    stated_inputs,
    stated_target,
)
from conformance.runner.stash import EARLIER, SESSION
from conformance.target.target import Target

BUNDLED = "the bundled reference implementation, in this process"


def begun(config: pytest.Config, began: float) -> Run:
    """The run that the options describe; `began` is its start on the monotonic clock."""
    earlier = config.stash.get(EARLIER, None)
    about = described_run(config, began)
    if earlier is not None:
        about = earlier.resumed(about)
        began = time.monotonic() - earlier.duration
    complete = config.getoption("conformance_require_complete")
    stated = catalogue(about["suite"])
    run = Run(stated_inputs.report_directory(config), about, stated, complete=complete)
    run.began = began
    examined = config.stash[SESSION] if SESSION in config.stash else examination.subject(config)
    run.target = examined.target
    secrecy.protect(dict.fromkeys(run.target.secrets, secrecy.MASK))
    run.formats = artefacts.chosen(config.getoption("conformance_report"))
    run.known = stated_inputs.known_failures(config)
    run.baseline = stated_inputs.baseline(config)
    run.required = stated_inputs.required(config) or examined.target.required
    run.transport = examined.transport
    run.durations = partition.durations_given(config)
    try:
        run.start_journal(earlier.records if earlier is not None else ())
    except OSError as problem:
        disk.unwritable(run.directory, problem)
    return run


def described_run(config: pytest.Config, began: float) -> AboutEntry:
    """What the options describe: the suite, its target, and the start."""
    target = stated_target.target_of(config)
    started = datetime.now(UTC) - timedelta(seconds=time.monotonic() - began)
    about: AboutEntry = {
        "suite": _suite(
            config.getoption("conformance_seed"),
            config.getoption("conformance_depth"),
            config.getoption("numprocesses", None),
            config.getoption("conformance_class"),
        ),
        "target": described(target),
        "started": started.isoformat(timespec="seconds"),
    }
    if chosen := selection.of(config):
        about["suite"]["only"] = chosen.names
    shard = partition.entry(config)
    if shard is not None:
        about["suite"]["shard"] = shard
    if revision := stated_inputs.revision(config):
        about["suite"]["revision"] = revision
    return about


def described(target: Target | None) -> TargetEntry:
    """The target as the report names it, with its product if the profile states one."""
    if target is None or target.base_url == examination.IN_PROCESS:
        return {"base-url": examination.IN_PROCESS, "profile": BUNDLED}
    entry: TargetEntry = {"base-url": target.base_url, "profile": target.source}
    if target.product.stated:
        product: Any = dict(target.product.stated)
        entry["product"] = product
    return entry


def unbegun(directory: Path, arguments: argparse.Namespace) -> None:
    """Write the report of a run of the command line that was stopped before its first request.

    Its profile was not read, so that the report names it only.
    """
    stated = arguments.target or arguments.base_url
    about: AboutEntry = {
        "suite": _suite(arguments.seed, arguments.depth, arguments.workers, arguments.classes),
        "target": {"base-url": "", "profile": arguments.target and str(arguments.target)}
        if stated
        else described(None),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    run = Run(directory, about, catalogue(about["suite"]), complete=False)
    run.formats = formats(arguments)
    run.finish(INTERRUPTED)


def formats(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The formats of the report that the command line names."""
    return artefacts.chosen(arguments.report or ())


def _suite(seed: int, depth: str, workers: int | None, classes: Sequence[str] | None) -> SuiteEntry:
    return {
        "name": "localization-api-conformance",
        "version": __version__,
        "seed": seed,
        "depth": depth,
        "workers": workers or 1,
        "versions": versions(),
        "classes": list(classes or requirements.CLASSES),
    }
