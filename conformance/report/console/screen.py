"""What the report is printed on: its width, its characters, and how much is wanted."""

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

WIDTH = 80
NARROWEST = 40
LOCALES = ("LC_ALL", "LC_CTYPE", "LANG")


@dataclass(frozen=True)
class Screen:
    """A screen of `width` columns; `show_all` lists what is otherwise counted.

    What is wider goes on in the next row where it is a terminal.
    """

    width: int = WIDTH
    is_ascii: bool = False
    show_all: bool = False
    is_terminal: bool = False

    @classmethod
    def of(cls, stream: TextIO, *, show_all: bool = False) -> "Screen":
        """The screen behind a stream: that of the terminal, or 80 columns of a file or a pipe."""
        found = edge(stream)
        width = WIDTH if found is None else max(found, NARROWEST)
        return cls(width, _is_ascii(stream), show_all, found is not None)


def edge(stream: TextIO) -> int | None:
    """The columns after which a terminal goes on in the next row; None for a file or a pipe."""
    if not stream.isatty():
        return None
    stated = os.environ.get("COLUMNS", "")
    with suppress(OSError, ValueError):
        # The window of this stream: another one may be a file.
        found = int(stated) if stated.isdecimal() else os.get_terminal_size(stream.fileno()).columns
        return found or WIDTH
    return WIDTH


def _is_ascii(stream: TextIO) -> bool:
    """Whether only ASCII is certain to be readable: by the encoding, or in the POSIX locale."""
    encoding = (stream.encoding or "").lower().replace("-", "").replace("_", "")
    stated = next((os.environ[name] for name in LOCALES if os.environ.get(name)), "")
    return not encoding.startswith("utf") or stated in {"C", "POSIX"}
