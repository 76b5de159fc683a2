"""One run of the whole suite, in this process, on a reference with edited sources."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from conformance import examination, invocation, requirements
from conformance.report.run import CHECKER_ERROR, CONFORMANT, NON_CONFORMANT
from conformance.selftest import altered
from conformance.selftest.altered import Edit
from conformance.selftest.population import SEED
from conformance.stash import SESSION

DEPTH = "quick"
CLASSES = {"publication": "description", "tool_interface": "tools", "tools": "tools"}
"""Modules of the reference that only the checks of one conformance class ever meet."""

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


def run(edits: Sequence[Edit], seed: int = SEED) -> Outcome:
    """Judge the reference with these edits in it, as `conformance run --depth quick --seed …` would.

    Raises TrialError, EditError, and what the altered modules raise.
    """
    package = altered.load(edits)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        options = [*invocation.options(directory, DEPTH, seed, classes(edits)), "--report=badge"]  # the page is looked at by nobody
        status = invocation.execute(options, [Substitute(package)])
        if status not in ENDS:
            raise TrialError(f"pytest ended with {status}")
        return outcome(orjson.loads((directory / "report.json").read_bytes()))


def classes(edits: Sequence[Edit]) -> list[str]:
    """The conformance classes whose checks can tell a difference; none at all stands for every one."""
    touched = dict.fromkeys(CLASSES.get(edit.module) for edit in edits)
    return [name for name in touched if name is not None] if None not in touched else []


def outcome(report: dict[str, Any]) -> Outcome:
    """What a report says of the requirements that are judged."""
    catalogue = requirements.load()
    judged = [entry for entry in report["requirements"] if catalogue[entry["id"]].is_judged]
    return Outcome(
        failed=tuple(entry["id"] for entry in judged if entry["verdict"] == "fail"),
        errors=tuple(entry["id"] for entry in judged if any(found["verdict"] == "error" for found in entry["findings"])),
        inconclusive=tuple(entry["id"] for entry in judged if entry["verdict"] == "inconclusive"),
    )
