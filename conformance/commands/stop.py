"""What stops a run: Ctrl-C and SIGTERM."""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from conformance.commands.outcome import Stopped

INSISTING = 0.3
"""Seconds after which a signal is repeated that the run has not heeded."""


class Stop:
    """Stops a run where it is, and at the latest before its next check.

    A signal that reaches another thread does not wake the first one, which alone handles it; and
    Python drops what a handler raises within a callback of the interpreter. So a thread repeats a
    signal to the first one until the run has heeded it.
    """

    def __init__(self) -> None:
        self.is_stopped = False
        self._is_ending = False
        self._heeded = threading.Event()

    @contextmanager
    def handling(self) -> Iterator[None]:
        """Handle Ctrl-C and SIGTERM, unless they are ignored, as in the background of a shell."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)
        noted, woken = socket.socketpair()
        woken.settimeout(0.0)  # as `set_wakeup_fd` needs it
        before = signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        insisting = threading.Thread(target=self._insist, args=(noted,), name="stop", daemon=True)
        insisting.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            self._heeded.set()
            woken.close()
            insisting.join()
            noted.close()

    def _insist(self, noted: socket.socket) -> None:
        """Wait for a signal in whatever thread, and repeat it until it is heeded."""
        number = noted.recv(1)
        while number and not self._heeded.wait(INSISTING):
            signal.pthread_kill(threading.main_thread().ident or 0, number[0])

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal; while the report is written the first one is ignored."""
        if self._is_ending:
            self._is_ending = False
            return
        self.is_stopped = True
        raise Stopped

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
        self._is_ending = True
