"""One run of the whole suite, in this process, on a reference with edited sources."""

import gc
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from conformance import examination
from conformance.report.run import CHECKER_ERROR, CONFORMANT, NON_CONFORMANT
from conformance.selftest import altered
from conformance.selftest.altered import Edit
from conformance.stash import SESSION

PLUGINS = (
    *("-p", "conformance.plugin", "-p", "pytest_base_url.plugin"),
    *("-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:logging"),
)
ENDS = (CONFORMANT, NON_CONFORMANT, CHECKER_ERROR)


class TrialError(Exception):
    """The suite did not come to a verdict."""


@dataclass(frozen=True)
class Outcome:
    """What a run of the suite found: the judged requirements by their verdict, each list in the order of the catalogue."""

    failed: tuple[str, ...]
    errors: tuple[str, ...]
    inconclusive: tuple[str, ...]


class Substitute:
    """A pytest plugin that puts an altered reference in place of the bundled one, and writes down no exchanges."""

    def __init__(self, package: ModuleType) -> None:
        self._package = package

    def pytest_configure(self, config: pytest.Config) -> None:
        """The examination finds the altered package here."""
        config.stash[examination.SUBJECT] = lambda: examination.in_process(self._package)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """What was exchanged is read by nobody."""
        session = config.stash[SESSION]
        if session.log is not None:
            session.log.close()
            session.log = None


def run(edits: Sequence[Edit]) -> Outcome:
    """Judge the reference with these edits in it, at depth quick. Raises TrialError, EditError, and what the altered modules raise."""
    package = altered.load(edits)
    with tempfile.TemporaryDirectory() as name, _undisturbed():
        directory = Path(name)
        (directory / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        status = pytest.main([*_arguments(directory)], plugins=[Substitute(package)])
        if status not in ENDS:
            raise TrialError(f"pytest ended with {int(status)}")
        report = orjson.loads((directory / "report.json").read_bytes())
    return outcome(report)


def outcome(report: dict[str, Any]) -> Outcome:
    """What a report says of the requirements that are judged."""
    judged = [entry for entry in report["requirements"] if entry["level"] != "observe" and not entry["id"].startswith("untested/")]
    return Outcome(
        failed=tuple(entry["id"] for entry in judged if entry["verdict"] == "fail"),
        errors=tuple(entry["id"] for entry in judged if any(found["verdict"] == "error" for found in entry["findings"])),
        inconclusive=tuple(entry["id"] for entry in judged if entry["verdict"] == "inconclusive"),
    )


def _arguments(directory: Path) -> Iterator[str]:
    """The arguments that a user would give, but for what comes from elsewhere: other plugins, other configuration."""
    yield from ("--pyargs", "conformance.suite", "--depth=quick", f"--report-dir={directory}")
    yield from (f"--rootdir={directory}", f"--config-file={directory / 'pytest.ini'}", "--disable-plugin-autoload", *PLUGINS)
    yield from ("--assert=plain", "--capture=no")


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Neither the options in the environment nor the garbage collector take part; pytest's traces in the environment go again."""
    environment = dict(os.environ)
    os.environ.pop("PYTEST_ADDOPTS", None)
    os.environ.pop("PYTEST_PLUGINS", None)
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        if collecting:
            gc.enable()
