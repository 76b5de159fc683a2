"""TOML files of others: of a bounded size, and not nested more deeply than can be read."""

import re
import tomllib
from pathlib import Path
from typing import Any

from conformance.storage import regular_file

LARGEST = regular_file.MIB
SURROGATES = range(0xD800, 0xE000)

MOST_PARTS = 50
"""Parts of a dotted key: tomllib takes the square of their number in time and memory."""

_PART = r"""(?>[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?>{_PART}\.[ \t]*+){{{MOST_PARTS}}}")


def read(path: Path, *, follow: bool = False) -> str:
    """The text of a file. Raises OSError, and ValueError where it is not UTF-8."""
    # Editors on Windows put a byte order mark there.
    return regular_file.read(path, LARGEST, follow=follow).decode("utf-8-sig")


def quoted(text: str) -> str:
    """The text as a TOML string in one line; what is not printable is escaped.

    An escape of JSON is none of TOML for a character past U+FFFF, and TOML has no surrogates.
    """
    return f'"{"".join(map(_in_string, text))}"'


def _in_string(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    return "\N{REPLACEMENT CHARACTER}" if code in SURROGATES else f"\\U{code:08X}"


def parse(text: str) -> dict[str, Any]:
    """The tables of a text. Raises ValueError."""
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        raise ValueError(f"a key of more than {MOST_PARTS} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
