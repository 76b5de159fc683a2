"""The face of `conformance run`: how far it is while it runs, and the verdict at its end."""

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, TextIO

import orjson
import pytest
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from conformance.commands.outcome import CHECKER_ERROR, INTERRUPTED, USAGE_ERROR
from conformance.contract import requirements
from conformance.contract.verdict import Verdict, worst
from conformance.report import artefacts
from conformance.report.console import line, terminal
from conformance.runner import items
from conformance.runner.plugin import GATHERER

STYLES = {
    "bad": "bold red",
    "warn": "bold yellow",
    "good": "bold green",
    "strong": "bold",
    "dim": "dim",
    "": "",
}


@dataclass
class Tally:
    """How far a run is: checks of each class that there are and that are done, how these ended, and what they cost."""

    planned: Counter[str] = field(default_factory=Counter)
    total: int = 0
    done: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    exchanges: Counter[str] = field(default_factory=Counter)
    current: str = ""
    started: float = field(default_factory=monotonic)

    def add(self, name: str, outcome: str, exchanges: int) -> None:
        """Count one check of a class."""
        self.done[name] += 1
        self.outcomes.setdefault(name, Counter())[outcome] += 1
        self.exchanges[name] += exchanges
        self.current = name

    def line(self, name: str) -> str:
        """What became of a class."""
        ended = ", ".join(f"{number} {outcome}" for outcome, number in self.outcomes[name].items())
        return f"{name:15} {self.done[name]:4} checks: {ended}; {self.exchanges[name]} requests"

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.exchanges.total() / max(monotonic() - self.started, 0.001)


class Display(Protocol):
    """Shows a tally while it grows."""

    def show(self, tally: Tally) -> None:
        """Show how far the run is."""

    def close(self, tally: Tally) -> None:
        """Leave the screen to what comes next."""


class Bar:
    """A bar that is gone when the run is over."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[name]:15}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=None, name="", rate="")
        self._progress.start()

    def show(self, tally: Tally) -> None:
        """Move the bar."""
        rate = f"{tally.rate:.0f} requests/s"
        self._progress.update(
            self._task,
            completed=tally.done.total(),
            total=tally.total or None,
            name=tally.current,
            rate=rate,
        )

    def close(self, tally: Tally) -> None:  # noqa: ARG002
        """Take the bar away."""
        self._progress.stop()


class Lines:
    """A line for each class that is over."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._told: set[str] = set()

    def show(self, tally: Tally) -> None:
        """Tell about a class as soon as it is over."""
        if tally.current and tally.done[tally.current] == tally.planned[tally.current]:
            self._tell(tally, tally.current)

    def close(self, tally: Tally) -> None:
        """Tell about the classes that did not come to their end, or whose end was not known."""
        for name in tally.done:
            self._tell(tally, name)

    def _tell(self, tally: Tally, name: str) -> None:
        if name not in self._told:
            self._told.add(name)
            self._console.print(tally.line(name), soft_wrap=True)


class Face:
    """A pytest plugin in place of pytest's own reporter."""

    def __init__(self, stream: TextIO, reports: Path) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False)
        self._reports = reports
        self._tally = Tally()
        self._classes: dict[str, str] = {}
        self._display: Display | None = None
        self._problems: list[str] = []
        self._interrupted = False
        self.document: dict[str, Any] | None = None

    # --- while it runs ---------------------------------------------------------------------------------------------------

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn which checks there are."""
        self._classes = {
            item.nodeid: items.requirement_of(item).conformance_class for item in session.items
        }
        self._tally.planned = Counter(self._classes.values())
        self._tally.total = len(self._classes)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """With workers: they alone know the checks, and every one of them knows all."""
        self._tally.total = len(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Show which class is at work."""
        self._tally.current = self._classes.get(nodeid, self._tally.current)
        self._show()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a check that is over."""
        for value in [value for name, value in report.user_properties if name == "conformance"]:
            self._tally.add(*_counted(orjson.loads(str(value)), warned=hasattr(report, "wasxfail")))
            self._show()

    def _show(self) -> None:
        if self._display is None:
            bar = (
                self._console.is_terminal
                and self._console.file.isatty()
                and not self._console.is_dumb_terminal
            )
            self._display = Bar(self._console) if bar else Lines(self._console)
        self._display.show(self._tally)

    # --- how it ends -----------------------------------------------------------------------------------------------------

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A check that cannot be read is no interruption, as pytest would have it."""
        if report.failed:
            self._problems.append(report.longreprtext)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Somebody ended the run, or there is nobody to judge, or a check cannot be read."""
        self._interrupted = excinfo.errisinstance(KeyboardInterrupt) and not excinfo.errisinstance(
            pytest.Session.Interrupted
        )
        if isinstance(excinfo.value, pytest.exit.Exception):
            self._problems.append(excinfo.value.msg)

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Take the report over from whoever gathered it."""
        gatherer = config.pluginmanager.get_plugin(GATHERER)
        if gatherer is not None and gatherer.run is not None:
            self.document = gatherer.run.document

    def close(self, status: int) -> int:
        """Show the verdict, or what kept the run from one; the exit code."""
        if self._display:
            self._display.close(self._tally)
        if status == INTERRUPTED and not self._interrupted:
            status = CHECKER_ERROR
        for problem in self._problems:
            sys.stderr.write(
                "".join(
                    text + "\n"
                    for text in map(_safe, f"conformance run: error: {problem}".splitlines())
                )
            )
        if self.document is not None and status != USAGE_ERROR:
            self._verdict(self.document)
        return status

    def _verdict(self, document: dict[str, Any]) -> None:
        self._console.print()
        for spans in terminal.spans(document):
            self._console.print(
                Text.assemble(*((text, STYLES[part]) for text, part in spans)), soft_wrap=True
            )
        for command in artefacts.publish(document):
            self._console.print(command, soft_wrap=True)
        files = ", ".join(sorted(path.name for path in self._reports.iterdir()))
        self._console.print(f"  report  {self._reports} ({files})", soft_wrap=True)


def _counted(record: dict[str, Any], *, warned: bool) -> tuple[str, str, int]:
    """The class of a check, how it ended, and how many requests it took."""
    findings = record["findings"]
    name = requirements.load()[findings[0]["requirement"]].conformance_class
    outcome = "warning" if warned else str(worst(Verdict(found["verdict"]) for found in findings))
    return name, outcome, record["exchanges"]


def _safe(text: str) -> str:
    return line.plain(line.visible([(text, "")]))
