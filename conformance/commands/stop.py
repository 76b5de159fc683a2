"""What stops a run: Ctrl-C and SIGTERM."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import pytest

from conformance.commands.outcome import Stopped
from conformance.commands.signals import SIGNALS, accept
from conformance.contract.exit_codes import INTERRUPTED
from conformance.runner.stash import GATHERER

if TYPE_CHECKING:
    from conformance.report.run import Run

INSISTING = 0.2
"""Seconds after which a signal is repeated that the run has not heeded."""

MOST_WORK = 4.0
"""Seconds of a processor that a run may use after a signal: its threads share them with the report.

Most runs take less than two. It is twice as much, for slow machines; and not the time of a clock,
since a busy machine may take longer to give it.
"""

LONGEST_END, LONGEST_END_OF_WORKERS = 8.0, 15.0
"""Seconds after a signal until the process ends, whatever it waits for.

xdist waits up to ten seconds for its workers.
"""


class Stop:
    """Stops a run where it is, and at the latest before its next check.

    A signal that reaches another thread does not wake the first one, which alone handles it; and
    Python drops what a handler raises within a callback of the interpreter. So a thread repeats a
    signal to the first one until the run has heeded it. It also ends the process where the report
    takes too long, or something that no signal interrupts: `leave` then sees to it that there is a
    report, and says so.
    """

    def __init__(self, leave: Callable[["Stop"], object]) -> None:
        self.is_stopped = False
        self._leave = leave
        self._longest = LONGEST_END
        self._plugins: pytest.PytestPluginManager | None = None
        self._heeded = threading.Event()
        self._has_ended = threading.Event()

    @property
    def has_report(self) -> bool:
        """Whether the run has written a report."""
        return self._run is not None

    @property
    def has_finished(self) -> bool:
        """Whether the report of the run is complete."""
        return self._run is not None and self._run.document is not None

    @property
    def _run(self) -> "Run | None":
        gatherer = self._plugins and self._plugins.get_plugin(GATHERER)
        return gatherer.run if gatherer else None

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Handle Ctrl-C and SIGTERM, unless they are ignored, as in the background of a shell.

        A signal that was deferred is handled first. Raises Stopped.
        """
        handled = [each for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self) for number in handled}
        try:
            accept()
            yield
        finally:
            self._heeded.set()
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See to it that a signal is heeded, and that the process ends."""
        noted, woken = socket.socketpair()
        woken.settimeout(0.0)  # as `set_wakeup_fd` needs it
        before = signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        watching = threading.Thread(target=self._watch, args=(noted,), name="stop", daemon=True)
        watching.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            self._has_ended.set()
            woken.close()
            watching.join()
            noted.close()

    def _watch(self, noted: socket.socket) -> None:
        """Wait for a signal in whatever thread, and repeat it until it is heeded."""
        number = noted.recv(1)
        began, used = time.monotonic(), time.process_time()
        while number and not self._has_ended.wait(INSISTING):
            if not self._heeded.is_set():
                signal.pthread_kill(threading.main_thread().ident or 0, number[0])
            is_late = time.monotonic() - began > self._longest
            if is_late or time.process_time() - used > MOST_WORK:
                self._end()

    def _end(self) -> NoReturn:
        """End the process, whatever its other threads do."""
        try:
            self._leave(self)
        finally:
            os._exit(INTERRUPTED)

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal; once the report is written, the run ends by itself."""
        if self._heeded.is_set():
            return
        self.is_stopped = True
        raise Stopped

    def pytest_configure(self, config: pytest.Config) -> None:
        """Remember where the report is found, and how long its end may take."""
        self._plugins = config.pluginmanager
        if config.getoption("numprocesses", None):
            self._longest = LONGEST_END_OF_WORKERS

    def pytest_keyboard_interrupt(self) -> None:
        """The signal is heeded."""
        self._heeded.set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin no check once the run was stopped."""
        if self.is_stopped:
            raise Stopped

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Only the report is left to write."""
        self._heeded.set()
