"""A whole run of the suite by pytest, with its reports, on an altered reference."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from conformance import examination, invocation
from conformance.selftest import altered
from conformance.selftest.altered import Edit

Document = dict[str, Any]


class Substitute:
    """A pytest plugin that puts an altered reference in place of the bundled one."""

    def __init__(self, package: ModuleType) -> None:
        self._package = package

    def pytest_configure(self, config: pytest.Config) -> None:
        """The examination finds the altered package here."""
        config.stash[examination.SUBJECT] = lambda: examination.in_process(self._package)


def report(edits: Sequence[Edit], directory: Path, classes: Sequence[str] = ()) -> Document:
    """The report of `conformance run --depth quick` on the reference with these edits."""
    options = [*invocation.options(directory, "quick", 1, classes), "--report=badge"]
    invocation.execute(options, [Substitute(altered.load(edits))])
    found: Document = orjson.loads((directory / "report.json").read_bytes())
    return found
