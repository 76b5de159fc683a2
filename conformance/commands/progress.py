"""The progress of `conformance run` on the screen, and its verdict."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import compress
from pathlib import Path
from typing import Any, TextIO

import orjson
import pytest
from rich.text import Text

from conformance.commands.display import Bar, Display, Lines, Terminal, say
from conformance.commands.tally import SHARED, Tally
from conformance.contract import requirements
from conformance.contract.exit_codes import CHECKER_ERROR, INTERRUPTED, USAGE_ERROR
from conformance.contract.verdict import Level, Verdict, worst
from conformance.http.exchange import FACT
from conformance.report import artefacts, repetition
from conformance.report.console import failures, line, output, terminal
from conformance.report.console.screen import Screen
from conformance.report.document_types import Report
from conformance.report.known_failures import Known
from conformance.report.places import Places
from conformance.report.text import short
from conformance.runner import items, stated_inputs
from conformance.runner.stash import GATHERER, SESSION

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
    """A pytest plugin that takes the place of pytest's own reporter.

    It shows what has ended, and not what pytest repeats of it in the order of collection.
    """

    def __init__(self, stream: TextIO, reports: Path, *, show_all: bool = False) -> None:
        self._errors = sys.stderr  # pytest replaces it while checks run
        self._console = Terminal(file=stream, highlight=False, markup=False, emoji=False)
        self._screen = Screen.of(stream, show_all=show_all)
        self._reports = reports
        self._tally = Tally()
        self._display: Display | None = None
        self._known: Sequence[Known] = ()
        self._places = Places()
        self._profile: Path | None = None
        self._failed: set[str] = set()
        self._problems: list[str] = []
        self._interrupted = False
        self.document: Report | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the checks of each class."""
        classes = [items.requirement_of(item).conformance_class for item in session.items]
        self._tally.planned = Counter(classes)
        self._tally.total = len(classes)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers, only they collect the checks, and each collects all of them."""
        self._tally.total = len(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Show the progress from now on."""
        stash = session.config.stash
        if SESSION in stash:
            self._tally.sent = lambda: stash[SESSION].logged
        today = datetime.now(UTC).date()
        known = stated_inputs.known_failures(session.config) or ()
        self._known = [entry for entry in known if entry.is_live(today)]
        self._display = (Bar if self._has_screen() else Lines)(self._console, self._tally)

    @pytest.hookimpl(optionalhook=True)
    def pytest_conformance_ended(self, record: str) -> None:
        """Count a check that has ended, and show what has failed for the first time."""
        result = orjson.loads(record)
        if result["item"].startswith(FACT):
            self._tally.exchanges[SHARED] += result["exchanges"]
        else:
            self._tally.add(*counted(result))
        for found in result["findings"]:
            self._report(found)
        if self._display is not None:
            self._display.show()

    def note(self, text: str) -> None:
        """Say what should be known of the run, above its progress."""
        if self._display is not None and self._console.file.isatty():
            say(self._console, f"note: {text}")
        else:
            output.lines([f"note: {text}"], self._errors)
            self._errors.flush()

    def _report(self, found: Mapping[str, Any]) -> None:
        """One line for a requirement that fails; all of it is in the report at the end."""
        id, operation = found["requirement"], found["operation"]
        level = requirements.load()[id].level
        if found["verdict"] != Verdict.FAIL or id in self._failed or level is Level.OBSERVE:
            return
        self._failed.add(id)
        word, style = failures.FAILED[level]
        covers = (entry.covers(id, operation) and not entry.is_gap for entry in self._known)
        known = next(compress(self._known, covers), None)
        if known is not None:
            word, style = failures.FLAKY if known.flaky else failures.KNOWN
        place = f"  on {operation}" if operation else ""
        text = f"{word}  {id}{place}: {short(found['message'], failures.LONGEST_MESSAGE)}"
        say(self._console, text, STYLES[style])

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
            self._problems.append(line.shown(excinfo.value.msg))

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Take the report from the plugin that gathered it."""
        self._places = stated_inputs.places(config)
        self._profile = config.getoption("conformance_target")
        gatherer = config.pluginmanager.get_plugin(GATHERER)
        if gatherer is not None and gatherer.run is not None:
            self.document = gatherer.run.document

    def close(self, status: int) -> int:
        """Print the verdict, or why there is none; the exit code."""
        if self._display is not None:
            self._display.close()
        for text in self._tally.lines():
            say(self._console, text)
        if status == INTERRUPTED and not self._interrupted:
            status = CHECKER_ERROR
        for problem in self._problems:
            message = f"conformance run: error: {problem}"
            output.lines(message.splitlines(), sys.stderr)
        if self.document is not None and status != USAGE_ERROR:
            self._verdict(self.document)
        return status

    def _verdict(self, document: Report) -> None:
        self._console.print()
        names = ", ".join(sorted(path.name for path in self._reports.iterdir()))
        files = f"report  {self._reports} ({names})"
        shown = repetition.with_profile(document, self._profile)
        for spans in terminal.spans(shown, self._screen, files=files):
            styled = ((text, STYLES[part]) for text, part in spans)
            self._console.print(Text.assemble(*styled), soft_wrap=True)
        for command in artefacts.publish(document, self._places):
            self._console.print(command, soft_wrap=True)


def counted(result: Mapping[str, Any]) -> tuple[str, str, int]:
    """The class of a check, its outcome, and the number of its requests."""
    catalogue = requirements.load()
    first, *_ = findings = result["findings"]
    verdicts = [Verdict(found["verdict"]) for found in findings]
    failed = {
        catalogue[found["requirement"]].level
        for found in findings
        if found["verdict"] == Verdict.FAIL
    }
    is_warning = failed == {Level.SHOULD} and Verdict.ERROR not in verdicts
    outcome = "warning" if is_warning else str(worst(verdicts))
    return catalogue[first["requirement"]].conformance_class, outcome, result["exchanges"]
