"""The progress of `conformance run` on the screen, and its verdict."""

import sys
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import orjson
import pytest
from rich.text import Text

from conformance.commands.display import Bar, Display, Lines, Terminal
from conformance.commands.tally import Tally
from conformance.contract import requirements
from conformance.contract.exit_codes import CHECKER_ERROR, INTERRUPTED, USAGE_ERROR
from conformance.contract.verdict import Verdict, worst
from conformance.report import artefacts
from conformance.report.console import line, terminal
from conformance.report.console.screen import Screen
from conformance.report.document_types import Report
from conformance.runner import items
from conformance.runner.stash import FACT_RESULT, GATHERER, RESULT

STYLES = {
    "bad": "bold red",
    "warn": "bold yellow",
    "good": "bold green",
    "strong": "bold",
    "dim": "dim",
    "laid-out": "",
    "": "",
}


class RunDisplay:
    """A pytest plugin that takes the place of pytest's own reporter."""

    def __init__(self, stream: TextIO, reports: Path, *, show_all: bool = False) -> None:
        self._console = Terminal(file=stream, highlight=False, markup=False, emoji=False)
        self._screen = Screen.of(stream, show_all=show_all)
        self._reports = reports
        self._tally = Tally()
        self._classes: dict[str, str] = {}
        self._display: Display | None = None
        self._problems: list[str] = []
        self._interrupted = False
        self.document: Report | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the checks of each class."""
        self._classes = {
            item.nodeid: items.requirement_of(item).conformance_class for item in session.items
        }
        self._tally.planned = Counter(self._classes.values())
        self._tally.total = len(self._classes)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers, only they collect the checks, and each collects all of them."""
        self._tally.total = len(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Show the class of the next check."""
        self._tally.current = self._classes.get(nodeid, self._tally.current)
        self._show()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a finished check."""
        warned = hasattr(report, "wasxfail")
        for name, value in report.user_properties:
            if name == RESULT:
                self._tally.add(*_counted(orjson.loads(str(value)), warned=warned))
                self._show()
            elif name == FACT_RESULT:
                self._tally.exchanges[name] += orjson.loads(str(value))["exchanges"]

    def _show(self) -> None:
        if self._display is None:
            self._display = Bar(self._console) if self._has_screen() else Lines(self._console)
        self._display.show(self._tally)

    def _has_screen(self) -> bool:
        """Whether a bar can be redrawn in place."""
        console = self._console
        return console.is_terminal and console.file.isatty() and not console.is_dumb_terminal

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A check that cannot be imported is an internal error; pytest calls it an interruption."""
        if report.failed:
            self._problems.append(report.longreprtext)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """The user ended the run, nothing responds, or a check cannot be imported."""
        by_pytest = excinfo.errisinstance(pytest.Session.Interrupted)
        self._interrupted = excinfo.errisinstance(KeyboardInterrupt) and not by_pytest
        if isinstance(excinfo.value, pytest.exit.Exception):
            self._problems.append(_safe(excinfo.value.msg))

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Take the report from the plugin that gathered it."""
        gatherer = config.pluginmanager.get_plugin(GATHERER)
        if gatherer is not None and gatherer.run is not None:
            self.document = gatherer.run.document

    def close(self, status: int) -> int:
        """Print the verdict, or why there is none; the exit code."""
        if self._display:
            self._display.close(self._tally)
        if status == INTERRUPTED and not self._interrupted:
            status = CHECKER_ERROR
        for problem in self._problems:
            message = f"conformance run: error: {problem}"
            sys.stderr.writelines(f"{_safe(text)}\n" for text in message.splitlines())
        if self.document is not None and status != USAGE_ERROR:
            self._verdict(self.document)
        return status

    def _verdict(self, document: Report) -> None:
        self._console.print()
        names = ", ".join(sorted(path.name for path in self._reports.iterdir()))
        files = f"report  {self._reports} ({names})"
        for spans in terminal.spans(document, self._screen, files=files):
            styled = ((text, STYLES[part]) for text, part in spans)
            self._console.print(Text.assemble(*styled), soft_wrap=True)
        for command in artefacts.publish(document):
            self._console.print(command, soft_wrap=True)


def _counted(record: dict[str, Any], *, warned: bool) -> tuple[str, str, int]:
    """The class of a check, its outcome, and the number of its requests."""
    findings = record["findings"]
    name = requirements.load()[findings[0]["requirement"]].conformance_class
    outcome = (
        "warning" if warned else str(worst(Verdict(finding["verdict"]) for finding in findings))
    )
    return name, outcome, record["exchanges"]


def _safe(text: str) -> str:
    return line.plain(line.visible([(text, "")]))
