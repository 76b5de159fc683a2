"""What the report is printed on: its width, its characters, and how much is wanted."""

import os
import shutil
from dataclasses import dataclass
from typing import TextIO

WIDTH = 80
NARROWEST = 40
LOCALES = ("LC_ALL", "LC_CTYPE", "LANG")


@dataclass(frozen=True)
class Screen:
    """A screen of `width` columns; `show_all` lists what is otherwise counted."""

    width: int = WIDTH
    is_ascii: bool = False
    show_all: bool = False

    @classmethod
    def of(cls, stream: TextIO, *, show_all: bool = False) -> "Screen":
        """The screen behind a stream: that of the terminal, or 80 columns of a file or a pipe."""
        width = shutil.get_terminal_size((WIDTH, 24)).columns if stream.isatty() else WIDTH
        return cls(max(width, NARROWEST), _is_ascii(stream), show_all)


def _is_ascii(stream: TextIO) -> bool:
    """Whether only ASCII is certain to be readable: by the encoding, or in the POSIX locale."""
    encoding = (stream.encoding or "").lower().replace("-", "").replace("_", "")
    stated = next((os.environ[name] for name in LOCALES if os.environ.get(name)), "")
    return not encoding.startswith("utf") or stated in {"C", "POSIX"}
