"""The progress of a campaign: bars on a terminal, a line for each run elsewhere."""

import time
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conformance.contract.quantity import quantity
from conformance.fleet.memory.queue import Claimed, Stored
from conformance.report.console import line

MOST_SHOWN = 20
"""The most runs under way that have a line on a terminal."""


class Display:
    """Shows which runs are under way, and how each of them has ended."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False)
        self._is_redrawn = self._console.is_terminal and not self._console.is_dumb_terminal
        self._total = total
        self._done = 0
        self._began: dict[str, float] = {}
        self._rows: dict[str, int] = {}
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._is_redrawn,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._all = self._progress.add_task("targets", total=total)

    def __enter__(self) -> "Display":
        self._progress.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _problem: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def begin(self, campaign: str, done: int) -> None:
        """Name the campaign, and how much of it was done before."""
        self._done = done
        self._progress.update(self._all, completed=done)
        resumed = f", {done} of them done before" if done else ""
        self._print(f"campaign {campaign}: {quantity(self._total, 'target')}{resumed}")

    def started(self, claimed: Claimed) -> None:
        """Show a run that is under way."""
        self._began[claimed.target] = time.monotonic()
        if self._is_redrawn and len(self._rows) < MOST_SHOWN:
            self._rows[claimed.target] = self._progress.add_task(
                line.shown(claimed.target), total=None
            )

    def ended(self, stored: Stored) -> None:
        """Print how a run has ended."""
        row = self._rows.pop(stored.target, None)
        if row is not None:
            self._progress.remove_task(row)  # type: ignore[arg-type]
        self._done += not stored.is_repeated
        self._progress.update(self._all, completed=self._done)
        began = self._began.pop(stored.target, None)
        seconds = "" if began is None else f"  {time.monotonic() - began:.1f} s"
        attempt = f"  attempt {stored.attempt}" if stored.attempt > 1 else ""
        reason = f"  {stored.reason}" if stored.reason else ""
        again = "; once more" if stored.is_repeated else ""
        place = f"{self._done:>{len(str(self._total))}}/{self._total}"
        self._print(f"{place}  {stored.target}  {stored.outcome}{seconds}{attempt}{reason}{again}")

    def note(self, text: str) -> None:
        """Print something else that is worth knowing."""
        self._print(f"note: {text}")

    def _print(self, text: str) -> None:
        self._console.print(line.shown(text), soft_wrap=True)
