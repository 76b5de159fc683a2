"""Runs the suite under pytest in this process, with its own plugins and configuration only."""

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.runner import allocator
from conformance.runner.collection import RUN_INI, SUITE

FOREIGN = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Environment variables that configure other test runs."""

RARELY = (100_000, 20, 20)

FIXED = (
    # By its path: by its name, pytest would search the current directory for a conftest.py.
    str(SUITE),
    *("--disable-plugin-autoload", "--assert=plain", "--capture=sys"),
    "--tb=native",  # the other styles read source files for each check that raises
    *("-p", "conformance.runner.plugin", "-p", "pytest_base_url.plugin"),
    *("-p", "conformance.runner.unreported"),
    *("-p", "no:cacheprovider", "-p", "no:logging", "-p", "no:terminalreporter"),
    *("-p", "no:tmpdir"),  # xdist would make a folder by it, and it deletes those of other runs
    *("-p", "no:threadexception", "-p", "no:unraisableexception"),
    *("-c", str(RUN_INI), f"--rootdir={SUITE}"),
)


def options(directory: Path, depth: str, seed: int, classes: Sequence[str] = ()) -> list[str]:
    """The options of a run that writes its report into a directory."""
    chosen = [f"--conformance-class={name}" for name in classes]
    own = {"report-dir": directory, "depth": depth, "seed": seed}
    return [*(f"--conformance-{name}={value}" for name, value in own.items()), *chosen]


def execute(options: Sequence[str], plugins: Sequence[object] = ()) -> int:
    """Run the suite; its exit code."""
    allocator.bound()
    with _own_environment(), _rare_collections():
        return int(pytest.main([*FIXED, *options], plugins=list(plugins)))


@contextmanager
def _own_environment() -> Iterator[None]:
    """Ignore the options of other test runs, and restore the environment at the end."""
    before = dict(os.environ)
    for name in FOREIGN:
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage less often: it takes a tenth of a run, which leaves few cycles."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
