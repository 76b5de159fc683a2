"""What this process prints: the secrets that are in use are replaced in it, as in every file.

It is the last search, as that over the artefacts is. Values are redacted before they are printed.
"""

import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from conformance.contract.late_imports import ALONE

if TYPE_CHECKING:
    from conformance.http.redaction import Redactor

SHORTEST = 8
"""Bytes of the shortest spelling of a secret that does not occur in an output by chance."""

MASK = "$SECRET"
"""What replaces a secret for which no variable is known."""

_haste = threading.Event()
"""Set once a signal has ended this command: nothing is searched any more that takes long."""

_redactors: "list[Redactor | None]" = [None]
"""That of the whole process, and of each command that runs in it, the innermost last."""


def protect(secrets: Mapping[str, str]) -> None:
    """Print these secrets as their variables from here on."""
    # Most commands have no secrets, and the search takes long to import.
    with ALONE:
        from conformance.http.redaction import Redactor  # noqa: PLC0415

    redactor = _redactors[-1] or Redactor({}, SHORTEST)
    _redactors[-1] = redactor
    for secret, variable in secrets.items():
        redactor.add(secret, variable)


def redacted(text: str) -> str:
    """A text without the secrets that are in use."""
    redactor = _redactors[-1]
    return text if redactor is None else redactor.text(text)


def hurry() -> None:
    """Let the search for secrets leave out, or pass over, what takes long: the command ends."""
    _haste.set()


def is_hurried() -> bool:
    """Whether the command is to end soon."""
    return _haste.is_set()


@contextmanager
def guarded() -> Iterator[None]:
    """Let standard output and error show no secret that is given to `protect` meanwhile."""
    before = sys.stdout, sys.stderr
    streams = [_Guarded(stream) for stream in before]
    _redactors.append(None)
    sys.stdout, sys.stderr = (cast("TextIO", stream) for stream in streams)
    try:
        yield
    finally:
        for stream in streams:
            stream.end()
        sys.stdout, sys.stderr = before
        _redactors.pop()
        _haste.clear()


class _Guarded:
    """A text stream that is searched line by line, so that no secret is divided by two writes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._line = ""  # what was written of a line without its end
        self._writing = threading.RLock()  # a signal may interrupt a thread that writes

    def write(self, text: str) -> int:
        """Write the lines that are complete now."""
        with self._writing:
            lines, end, self._line = (self._line + text).rpartition("\n")
            if end:
                self._stream.write(redacted(lines) + end)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some lines."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what there is, as a line that is not complete yet."""
        self.end()
        self._stream.flush()

    def end(self) -> None:
        """Leave nothing behind."""
        with self._writing:
            rest, self._line = self._line, ""
            if rest:
                self._stream.write(redacted(rest))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
