"""The progress of a run on a screen: a bar where it can be redrawn, lines elsewhere."""

import os
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from conformance.commands.tally import Tally
from conformance.report.console import line
from conformance.report.console.screen import Screen
from conformance.runner.stash import FACT_RESULT


class Display(Protocol):
    """Shows the progress of a run."""

    def show(self, tally: Tally) -> None:
        """Show the progress so far."""

    def close(self, tally: Tally) -> None:
        """Leave the screen to the report."""


class Terminal(Console):
    """A console that goes on without its reader: the exit code of a run is that of its verdict."""

    def on_broken_pipe(self) -> None:
        """Write no more; what is left in the buffer goes nowhere."""
        self.quiet = True
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - for its descriptor
            os.dup2(nowhere.fileno(), self.file.fileno())


class Bar:
    """A progress bar that disappears at the end of the run."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[name]:15}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("left", markup=False),
            TimeRemainingColumn(),
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
        self._progress.update(
            self._task,
            completed=tally.done.total(),
            total=tally.total or None,
            name=tally.current,
            rate=f"{tally.rate:.0f} requests/s",
        )

    def close(self, tally: Tally) -> None:
        """Remove the bar, and print the outcomes of each class."""
        self._progress.stop()
        for name in tally.done:
            _print_class(self._console, tally.line(name))
        _print_shared(self._console, tally)


class Lines:
    """One line for each finished class."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed: set[str] = set()

    def show(self, tally: Tally) -> None:
        """Print a class once its last check is done."""
        if tally.current and tally.done[tally.current] == tally.planned[tally.current]:
            self._print(tally, tally.current)

    def close(self, tally: Tally) -> None:
        """Print the classes that did not finish, or whose number of checks was unknown."""
        for name in tally.done:
            self._print(tally, name)
        _print_shared(self._console, tally)

    def _print(self, tally: Tally, name: str) -> None:
        if name not in self._printed:
            self._printed.add(name)
            _print_class(self._console, tally.line(name))


def _print_class(console: Console, text: str) -> None:
    width = Screen.of(console.file).width  # type: ignore[arg-type]
    for spans in line.wrapped([(text, "")], width):
        console.print(line.plain(spans), soft_wrap=True)


def _print_shared(console: Console, tally: Tally) -> None:
    if tally.exchanges[FACT_RESULT]:
        _print_class(console, tally.shared_line())
