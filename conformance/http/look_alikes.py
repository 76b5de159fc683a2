"""Characters that Unicode calls compatible with a letter, a digit, `-` or `_`: wide, bold, circled.

Whoever copies them into an ordinary program has the ordinary ones. All are in UTF-8.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from string import ascii_letters, digits

ORDINARY = frozenset(f"{ascii_letters}{digits}-_")
BLOCKS = (
    *((0xA0, 0x2500), (0x2C7C, 0x2C7E), (0xA7F2, 0xA7F5), (0xFE30, 0xFF5F)),
    *((0x107A5, 0x107A6), (0x1D400, 0x1D800), (0x1F130, 0x1F150), (0x1FBF0, 0x1FBFA)),
)
"""Where they are; no other character has such a meaning."""


def meaning(character: str) -> str | None:
    """The ordinary character that another one is compatible with, or None."""
    found = unicodedata.normalize("NFKC", character)
    return found if found != character and found in ORDINARY else None


def _all() -> Iterator[bytes]:
    numbers = chain.from_iterable(range(*block) for block in BLOCKS)
    return (each.encode() for each in map(chr, numbers) if meaning(each) is not None)


def _pattern() -> bytes:
    """By the bytes before the last one: a class of characters is searched as fast as one."""
    last: defaultdict[bytes, bytes] = defaultdict(bytes)
    for octets in _all():
        last[octets[:-1]] += octets[-1:]
    return b" | ".join(re.escape(start) + b"[%b]" % ends for start, ends in last.items())


PATTERN = _pattern()
"""One of them, for a regular expression of bytes that is VERBOSE."""

STARTS = tuple(dict.fromkeys(octets[:2] for octets in _all()))
"""How they begin."""
