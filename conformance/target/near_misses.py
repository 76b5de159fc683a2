"""Secrets that resemble a valid one, which a careless comparison accepts."""

import re
from collections.abc import Iterator
from itertools import zip_longest

SHORTEST_SECRET = 8
"""Characters from which a secret is resembled, and a part of one is masked."""

LONGEST_DOUBLED = 1000
"""Characters up to which a secret is doubled: a proxy may reject longer headers."""
HEXADECIMAL = frozenset("0123456789abcdefABCDEF-")
PADDING = "="
WORD = re.compile("[A-Za-z0-9]+")
SEPARATOR = re.compile("([^A-Za-z0-9]+)")
SHORTEST_HEXADECIMAL = 4
"""Characters from which a word of hexadecimal digits may be a number."""
SHORTEST_BASE32 = 16
"""Characters from which a word with letters of one case may be a number in base 32."""
WITH_HIGH_BITS = frozenset("wxyzWXYZ0123456789+/-_")
"""The last quarter of the Base64 alphabet, and the same letters in the other case."""

NUMBER = 8
"""The most secrets that resemble one; each has its place in the order."""


def near_misses(secret: str) -> tuple[str | None, ...]:
    """Secrets that resemble a given one, the closest first; None where a kind does not apply.

    There are NUMBER of them, so that a recorded run can be repeated without its secrets.
    """
    found = _resembling(secret) if len(secret) >= SHORTEST_SECRET else iter(())
    usable = (_usable(value, secret) for value in found)
    return tuple(value for value, _ in zip_longest(usable, range(NUMBER)))


def _usable(value: str | None, secret: str) -> str | None:
    return value if value is not None and value.strip() and value != secret else None


def _resembling(secret: str) -> Iterator[str | None]:
    unpadded = secret.rstrip(PADDING)
    padding = secret[len(unpadded) :]
    yield unpadded[:-1] + _other_last(secret, unpadded[-1]) + padding if unpadded else None
    yield secret[: len(secret) // 2]
    yield WORD.sub(_in_other_case, secret)
    # What follows the padding of Base64 may be ignored.
    if len(secret) <= LONGEST_DOUBLED and unpadded == secret:
        yield secret + secret
        yield from _recombined(SEPARATOR.split(secret))


def _recombined(parts: list[str]) -> Iterator[str]:
    """Words and separators in turns, with a word left out, exchanged or repeated.

    A secret of one word has nothing to recombine: its halves are exchanged.
    """
    if len(parts) == 1:
        half = len(parts[0]) // 2
        yield parts[0][half:] + parts[0][:half]
        return
    *before, separator, last = parts
    yield "".join(parts[2:])
    yield "".join(before)
    yield "".join([last, *parts[1:-1], parts[0]])
    yield "".join([*parts, separator, last])


def _other_last(secret: str, last: str) -> str:
    """Another last character.

    In Base64, its last bits may be ignored; the two characters here differ in the first bits.
    """
    if set(secret) <= HEXADECIMAL:
        return "01"[last == "0"]
    return "wA"[last in WITH_HIGH_BITS]


def _in_other_case(word: re.Match[str]) -> str:
    """A word in the other case, unless it may be a number in base 16 or 32, which ignores case."""
    text = word[0]
    is_hexadecimal = len(text) >= SHORTEST_HEXADECIMAL and set(text) <= HEXADECIMAL
    is_base32 = len(text) >= SHORTEST_BASE32 and text in (text.lower(), text.upper())
    return text if is_hexadecimal or is_base32 else text.swapcase()
