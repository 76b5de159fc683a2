"""What stops a run: Ctrl-C and SIGTERM."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, BinaryIO

import pytest

from conformance.commands.outcome import Stopped
from conformance.commands.signals import SIGNALS, accept, deferred
from conformance.commands.watchdog import END
from conformance.contract.exit_codes import INTERRUPTED
from conformance.http import secrecy
from conformance.runner.stash import GATHERER, SESSION

if TYPE_CHECKING:
    from conformance.report.run import Run

WATCHDOG = str(Path(__file__).with_name("watchdog.py"))

INSISTING = 0.2
"""Seconds after which a signal is repeated that the run has not heeded."""

MOST_WORK = 2.5
"""Seconds of a processor that a run may use after a signal: its threads share them with the report.

Most runs take less than two. It is not the time of a clock, since a busy machine may take longer to
give it.
"""

LONGEST_END, LONGEST_END_OF_WORKERS = 4.0, 15.0
"""Seconds after a signal until the process ends, whatever it waits for, but for a processor.

xdist waits up to ten seconds for its workers.
"""

OVERTIME = 120.0
"""Seconds after the time of a run in which it may write its report."""


class Stop:
    """Stops a run where it is, and at the latest before its next check.

    A signal that reaches another thread does not wake the first one, which alone handles it; and
    Python drops what a handler raises within a callback of the interpreter. So a thread repeats a
    signal to the first one until the run has heeded it. Where that does not help, or the report
    takes too long, another process ends the run, and completes its report by `completion`.
    """

    def __init__(self, completion: Sequence[str], workers: int | None) -> None:
        self.is_stopped = False
        self._completion = completion
        self._longest = LONGEST_END_OF_WORKERS if workers else LONGEST_END
        self._plugins: pytest.PytestPluginManager | None = None
        self._dog: subprocess.Popen[bytes] | None = None
        self._heeded = threading.Event()

    @property
    def has_finished(self) -> bool:
        """Whether the report of the run is complete."""
        gatherer = self._plugins and self._plugins.get_plugin(GATHERER)
        run: Run | None = gatherer.run if gatherer else None
        return run is not None and run.document is not None

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
        noted, written = os.pipe()
        os.set_blocking(written, False)  # as `set_wakeup_fd` needs it
        with deferred():  # signals of a terminal are not for the watchdog
            self._dog = dog = _started(noted)
        os.close(noted)
        assert dog.stdin is not None
        assert dog.stdout is not None
        self._tell(
            {
                "process": os.getpid(),
                "work": MOST_WORK,
                "longest": self._longest,
                "completion": [*self._completion],
            }
        )
        before = signal.set_wakeup_fd(written, warn_on_full_buffer=False)
        watching = threading.Thread(
            target=self._watch, args=(dog.stdout,), name="stop", daemon=True
        )
        watching.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            os.close(written)
            self._tell(None)
            self._dog = None
            dog.stdin.close()
            watching.join()
            dog.stdout.close()
            dog.wait()

    def _tell(self, line: object) -> None:
        if self._dog is not None and self._dog.stdin is not None:
            with suppress(BrokenPipeError):  # somebody has killed it
                self._dog.stdin.write(json.dumps(line).encode() + b"\n")

    def _watch(self, words: BinaryIO) -> None:
        """Repeat a signal in the first thread until it is heeded; the end of `words` ends that."""
        number = 0
        while True:
            ready = select.select([words], [], [], INSISTING if number else None)[0]
            word = os.read(words.fileno(), 1) if ready else None
            if word == END:
                os._exit(INTERRUPTED)
            if word == b"":
                return
            number = word[0] if word else number
            if not word and not self._heeded.is_set():
                signal.pthread_kill(threading.main_thread().ident or 0, number)

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal; once the report is written, the run ends by itself."""
        if self._heeded.is_set():
            return
        self.is_stopped = True
        secrecy.hurry()
        raise Stopped

    def pytest_configure(self, config: pytest.Config) -> None:
        """Remember where the report is found."""
        self._plugins = config.pluginmanager

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Let the run be stopped where it goes on long after its time."""
        left = (
            session.config.stash[SESSION].budget.left if SESSION in session.config.stash else None
        )
        if left is not None:
            self._tell(left + OVERTIME)

    def pytest_keyboard_interrupt(self) -> None:
        """The signal is heeded."""
        self._heeded.set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> None:
        """Begin no check once the run was stopped."""
        if self.is_stopped:
            raise Stopped

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Only the report is left to write."""
        self._heeded.set()


def _started(signals: int) -> "subprocess.Popen[bytes]":
    """The watchdog; it learns of signals by this descriptor."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", WATCHDOG, str(signals)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(signals,),
        bufsize=0,
    )
