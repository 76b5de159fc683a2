"""A question on the terminal, and what stands in its place where there is none."""

import sys
from collections.abc import Iterable
from contextlib import suppress

from conformance.commands import signals
from conformance.report.console import output
from conformance.report.console.line import shown

YES = frozenset({"y", "yes"})


def can_be_asked() -> bool:
    """Whether somebody sits at a terminal, who reads it and can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _forget_what_was_typed() -> None:
    """Whatever was typed, or pasted, before the question was shown is no answer to it."""
    with suppress(ImportError):  # Windows
        import termios  # noqa: PLC0415

        with suppress(termios.error):  # no terminal
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def is_affirmed(lines: Iterable[str], question: str) -> bool:
    """Show the lines, and ask; whatever is not a clear yes is a no.

    Standard output stays that of the command, and no text can hide a part of another.
    """
    _forget_what_was_typed()
    output.lines(lines, sys.stderr)
    output.own(f"{shown(question)} [y/N] ", sys.stderr)
    sys.stderr.flush()
    with signals.admitted():
        return sys.stdin.readline().strip().lower() in YES
