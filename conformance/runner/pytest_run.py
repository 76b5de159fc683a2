"""The suite under pytest in this process, with exactly the plugins that it needs and nobody else's configuration."""

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.runner.collection import SUITE

FOREIGN = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
"""Environment variables that would change a run on behalf of somebody else's tests."""

RARELY = (100_000, 20, 20)

FIXED = (
    str(
        SUITE
    ),  # by its place: by its name, the current directory would be searched for a conftest.py
    *("--disable-plugin-autoload", "--assert=plain", "--capture=sys"),
    "--tb=native",  # the other styles read source files for every check that ends early: milliseconds each
    *("-p", "conformance.runner.plugin", "-p", "pytest_base_url.plugin"),
    *("-p", "no:cacheprovider", "-p", "no:logging", "-p", "no:terminalreporter"),
    *("-p", "no:threadexception", "-p", "no:unraisableexception"),
    *("-c", str(Path(__file__).with_name("run.ini")), f"--rootdir={SUITE}"),
)


def options(directory: Path, depth: str, seed: int, classes: Sequence[str] = ()) -> list[str]:
    """The options of a run that writes its report into a directory."""
    chosen = [f"--conformance-class={name}" for name in classes]
    return [f"--report-dir={directory}", f"--depth={depth}", f"--conformance-seed={seed}", *chosen]


def execute(options: Sequence[str], plugins: Sequence[object] = ()) -> int:
    """Run the suite; its exit code."""
    with _own_environment(), _rare_collections():
        return int(pytest.main([*FIXED, *options], plugins=list(plugins)))


@contextmanager
def _own_environment() -> Iterator[None]:
    """Options of other tests take no part, and pytest's traces in the environment go again."""
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
    """Let the garbage collector look less often: what a run allocates is freed without it, and a tenth of its time goes there."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
