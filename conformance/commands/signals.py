"""The signals that end a run in order, and how they wait until it can be ended."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def disinherit() -> None:
    """Undo what the parent of this process has done to signals that it depends on.

    A blocked signal would end no command, and where SIGCHLD is ignored, every child ends with 0.
    """
    accept()
    ignored = hasattr(signal, "SIGCHLD") and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


@contextmanager
def deferred() -> Iterator[None]:
    """Let the signals wait until the end of the context, or until `accept`."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def admitted() -> Iterator[None]:
    """Let the signals through until the end of the context, such as while somebody is asked."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def interrupting() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt until the end of the context, as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def accept() -> None:
    """Let the signals through, also those that have waited."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
