"""The progress of a run on a screen: a bar where it can be redrawn, lines elsewhere."""

import os
import threading
from contextlib import suppress
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from conformance.commands.tally import Tally
from conformance.report.console import line
from conformance.report.console.screen import Screen

INTERVAL = 10.0
"""Seconds after which a run without a bar says how far it is."""


class Display(Protocol):
    """Shows the progress of a run."""

    def show(self) -> None:
        """Show the progress so far."""

    def close(self) -> None:
        """Leave the screen to the report."""


class Terminal(Console):
    """A console that goes on without its reader: the exit code of a run is that of its verdict."""

    def on_broken_pipe(self) -> None:
        """Write no more; what is left in the buffer goes nowhere."""
        self.quiet = True
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - for its descriptor
            os.dup2(nowhere.fileno(), self.file.fileno())


class _Requests(ProgressColumn):
    """The number of requests at the time of each refresh: a check may take long to end."""

    def __init__(self, tally: Tally) -> None:
        super().__init__()
        self._tally = tally

    def render(self, _task: Task) -> Text:
        return Text(self._tally.requests())


class Bar:
    """A progress bar that disappears at the end of the run."""

    def __init__(self, console: Console, tally: Tally) -> None:
        self._console = console
        self._tally = tally
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[name]:14}", markup=False),
            BarColumn(20),
            MofNCompleteColumn(),
            _Requests(tally),
            TimeElapsedColumn(),
            TextColumn("left", markup=False),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=None, name="")
        self._progress.start()

    def show(self) -> None:
        """Move the bar."""
        self._progress.update(
            self._task,
            completed=self._tally.done.total(),
            total=self._tally.total or None,
            name=self._tally.current,
        )

    def close(self) -> None:
        """Remove the bar."""
        self._progress.stop()


class Lines:
    """Says now and then how far the run is."""

    def __init__(self, console: Console, tally: Tally, interval: float = INTERVAL) -> None:
        self._console = console
        self._tally = tally
        self._interval = interval
        self._has_ended = threading.Event()
        self._waiting = threading.Thread(target=self._wait, name="progress", daemon=True)
        self._waiting.start()

    def show(self) -> None:
        """A line that was printed stays."""

    def close(self) -> None:
        """Print no further line."""
        self._has_ended.set()
        self._waiting.join()

    def _wait(self) -> None:
        # An output that takes nothing more ends the command, which writes its result there.
        with suppress(OSError):
            while not self._has_ended.wait(self._interval):
                say(self._console, self._tally.progress_line())


def say(console: Console, text: str, style: str = "") -> None:
    """Print a text in as many lines of the screen as it takes, above the bar where there is one."""
    screen = Screen.of(console.file)  # type: ignore[arg-type]
    shown = line.visible([(text, style)])
    wrapped = line.rows if screen.is_terminal else line.wrapped
    for spans in wrapped(line.in_ascii(shown) if screen.is_ascii else shown, screen.width):
        console.print(Text(line.plain(line.visible(spans)), style), soft_wrap=True)
