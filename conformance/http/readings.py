r"""All ways to read a text with escapes.

`\\x7861` is `x61` where the two backslashes are one, and `a` where the second one belongs to
`\x78`. Which of these a target has meant cannot be known, and with several escapes there are too
many combinations to write each of them out. So a text is read as a graph: at each place begin one
or more readings, which are bytes and the place where they end, and the characters of an escape may
be readings themselves, to any depth.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from html.entities import html5

from conformance.http.escapes import SHOWS_NOTHING, STYLED, meaning

MOST_READINGS = 32
"""Readings at one place."""

AT_ONCE = 1_000
"""Places that are read between two looks at the time."""

Reading = tuple[bytes, int]
"""Bytes, and the place in the text where they end; none for what shows nothing."""

Before = tuple[int, bytes]
"""Where a reading begins, and its bytes."""

_BACKSLASH = ord("\\")
ESCAPES = re.compile(rb"[\\%%&=\x00\x1b] | %s | %s" % (SHOWS_NOTHING, STYLED), re.VERBOSE)
"""The beginnings of escapes, and of what shows nothing."""

_SHOWS_NOTHING = re.compile(SHOWS_NOTHING, re.VERBOSE)
_STYLED = re.compile(STYLED, re.VERBOSE)
_HEX = frozenset(b"0123456789abcdefABCDEF")
_OCTAL = frozenset(b"01234567")
_DECIMAL = frozenset(b"0123456789")
_DIGITS = {ord("x"): (2,), ord("X"): (2,), ord("u"): (4,), ord("U"): (4, 8)}
"""The hexadecimal digits that follow a letter behind a backslash."""

_STYLE = frozenset(b"0123456789;")
_NAMES = {
    name.removesuffix(";").encode(): sign.encode()
    for name, sign in html5.items()
    if name.endswith(";") and len(sign) == 1 and sign.isascii()
}
_BEGINNINGS = {name[:length] for name in _NAMES for length in range(1, len(name) + 1)}


class Readings:
    """The readings of a part of a text."""

    def __init__(
        self, text: bytes, start: int, stop: int, check: Callable[[], None] = lambda: None
    ) -> None:
        self.text = text
        self._at: dict[int, tuple[Reading, ...]] = {}
        self._visible: dict[int, tuple[tuple[int, int], ...]] = {}
        starts = [found.start() for found in ESCAPES.finditer(text, start, stop)]
        for number, place in enumerate(reversed(starts)):
            if number % AT_ONCE == 0:
                check()
            self._read(place)  # what an escape consists of is known before it

    def at(self, place: int) -> tuple[Reading, ...]:
        """What begins at a place."""
        known = self._at.get(place)
        return ((self.text[place : place + 1], place + 1),) if known is None else known

    def before(self, stop: int) -> Iterable[Before]:
        """What ends at a place: where it begins, and its bytes."""
        literal = (stop - 1, self.text[stop - 1 : stop])
        return (literal, *self._ends.get(stop, ())) if stop else ()

    @cached_property
    def _ends(self) -> dict[int, list[Before]]:
        ends: defaultdict[int, list[Before]] = defaultdict(list)
        for place, found in self._at.items():
            for octets, stop in found:
                ends[stop].append((place, octets))
        return ends

    def _read(self, place: int) -> None:
        found: dict[Reading, None] = {(self.text[place : place + 1], place + 1): None}
        if nothing := _SHOWS_NOTHING.match(self.text, place):
            found[b"", nothing.end()] = None
        if styled := _STYLED.match(self.text, place):
            found[meaning(styled[0]), styled.end()] = None
        todo = [reading for reading in found if reading[0]]
        while todo and len(found) < MOST_READINGS:
            new = [each for each in self._escapes(*todo.pop()) if each not in found]
            found |= dict.fromkeys(new)
            todo += new
        if len(found) > 1:
            self._at[place] = tuple(found)
            self._visible[place] = self._bytes_at(place)

    def _bytes_at(self, place: int) -> tuple[tuple[int, int], ...]:
        found: dict[tuple[int, int], None] = {}
        for octets, stop in self._at[place]:
            if len(octets) == 1:
                found[octets[0], stop] = None
            elif not octets:
                # Of several backslashes the first one stands for all.
                behind = (each for each in self._next(stop) if each[0] != _BACKSLASH)
                found |= dict.fromkeys(behind)
        return tuple(found)[:MOST_READINGS]

    def _next(self, place: int) -> tuple[tuple[int, int], ...]:
        """The bytes that may come next, and where they end; what shows nothing is passed over."""
        known = self._visible.get(place)
        if known is not None:
            return known
        return ((self.text[place], place + 1),) if place < len(self.text) else ()

    def _several(self, place: int, allowed: frozenset[int], most: int) -> Iterator[Reading]:
        """One to `most` bytes of a kind from a place on."""
        found: list[Reading] = [(b"", place)]
        for _ in range(most):
            longer = (
                (octets + bytes((octet,)), stop)
                for octets, behind in found
                for octet, stop in self._next(behind)
                if octet in allowed
            )
            found = list(dict.fromkeys(longer))[:MOST_READINGS]
            yield from found

    def _exactly(self, place: int, allowed: frozenset[int], count: int) -> Iterator[Reading]:
        return (each for each in self._several(place, allowed, count) if len(each[0]) == count)

    def _sign(self, place: int, sign: bytes) -> Iterator[int]:
        return (stop for octet, stop in self._next(place) if octet in sign)

    def _escapes(self, octets: bytes, stop: int) -> Iterator[Reading]:
        """What an escape means that begins with some bytes, and where it ends."""
        if _SHOWS_NOTHING.fullmatch(octets):
            yield b"", stop
        elif octets == b"\\":
            yield b"", stop  # before a sign, and one of several
            yield from self._after_backslash(stop)
        elif octets in (b"%", b"="):
            yield from self._numbers(self._exactly(stop, _HEX, 2), 16)
            for behind in self._sign(stop, b"uU"):
                yield from self._numbers(self._exactly(behind, _HEX, 4), 16)
        elif octets == b"&":
            yield from self._entities(stop)
        elif octets == b"\x1b":
            yield from self._styles(stop)

    def _styles(self, place: int) -> Iterator[Reading]:
        for behind in self._sign(place, b"["):
            ends = [behind, *(stop for _, stop in self._several(behind, _STYLE, 8))]
            yield from ((b"", stop) for end in ends for stop in self._sign(end, b"m"))

    def _after_backslash(self, place: int) -> Iterator[Reading]:
        for kind, behind in self._next(place):
            for digits in _DIGITS.get(kind, ()):
                yield from self._numbers(self._exactly(behind, _HEX, digits), 16)
            if kind in _DIGITS:
                for within in self._sign(behind, b"{"):
                    yield from self._numbers(self._closed(within, _HEX, 8, b"}"), 16)
        octal = self._several(place, _OCTAL, 3)
        usual = (each for each in octal if len(each[0]) == (3 if each[0] < b"4" else 2))
        yield from self._numbers(usual, 8)

    def _closed(
        self, place: int, allowed: frozenset[int], most: int, end: bytes
    ) -> Iterator[Reading]:
        for digits, behind in self._several(place, allowed, most):
            for stop in self._sign(behind, end):
                yield digits, stop

    def _entities(self, place: int) -> Iterator[Reading]:
        for behind in self._sign(place, b"#"):
            yield from self._numbers(self._closed(behind, _DECIMAL, 10, b";"), 10)
            endless = self._several(behind, _DECIMAL, 3)
            yield from self._numbers((each for each in endless if 27 <= int(each[0]) < 256), 10)
            for within in self._sign(behind, b"xX"):
                yield from self._numbers(self._closed(within, _HEX, 10, b";"), 16)
                yield from self._numbers(self._exactly(within, _HEX, 2), 16)
        yield from self._named(place)

    def _named(self, place: int) -> Iterator[Reading]:
        found: list[Reading] = [(b"", place)]
        while found:
            for name, behind in found:
                if name in _NAMES:
                    yield from ((_NAMES[name], stop) for stop in self._sign(behind, b";"))
            found = [
                (longer, stop)
                for name, behind in found
                for octet, stop in self._next(behind)
                if (longer := name + bytes((octet,))) in _BEGINNINGS
            ][:MOST_READINGS]

    def _numbers(self, digits: Iterable[Reading], base: int) -> Iterator[Reading]:
        for text, stop in digits:
            number = int(text, base)
            if number < 0x80 or (number < 0x100 and len(text) < 4):  # of UTF-8, it may be a part
                yield bytes((number,)), stop
            if 0x80 <= number < 0x110000:
                yield chr(number).encode("utf-8", "surrogatepass"), stop
