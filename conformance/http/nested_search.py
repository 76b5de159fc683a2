"""The search for secrets in all readings of a text at once, where escapes stand within escapes."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from conformance.http.escapes import Span
from conformance.http.readings import ESCAPES, Readings
from conformance.http.secret_search import FOLDED, Pattern

MOST_STEPS = 400_000
"""Places of one text to which patterns are followed."""

LONGEST_ESCAPE = 12
"""Bytes of an escape for each byte that it stands for, such as `\\U00000061`, and some more."""

MOST_COMPARED = 16
"""Patterns that end at one place, of which the longest one counts."""

AT_ONCE = 2_000
"""Places with ends of patterns that are kept until it is known which patterns go on."""

NOT_SEARCHED = b"$NOT_SEARCHED"
"""What replaces the rest of a text whose search would take longer."""

_EQUAL = [[each for each in range(256) if FOLDED[each] == octet] for octet in range(256)]
"""The bytes that are equal to one in any letter case."""


@dataclass(frozen=True)
class _Part:
    """A whole pattern with its beginnings, or its shortest end; `first` is its first bit."""

    pattern: Pattern
    first: int
    octets: bytes
    shortest: int
    is_tail: bool

    @property
    def enough(self) -> range:
        """The bits each of which shows that as much was read as is sought."""
        return range(self.first + self.shortest - 1, self.last + 1)

    @property
    def last(self) -> int:
        """The bit that shows that all was read."""
        return self.first + len(self.octets) - 1


class NestedSearch:
    """Follows patterns, their beginnings and their ends along all readings (Shift-And).

    A bit stands for a byte of a pattern. It is set where the bytes up to this one have been read.
    A strict search replaces what it does not reach.
    """

    def __init__(self, sought: Iterable[Pattern], *, is_strict: bool) -> None:
        self._is_strict = is_strict
        self._parts: list[_Part] = []
        first = 0
        for pattern in _dense(sought):
            text, head, tail = pattern.text, pattern.head, pattern.tail
            parts = [(text, min(head, len(text)), False)]
            if tail < len(text):
                parts.append((text[-tail:], tail, True))
            for octets, shortest, is_tail in parts:
                self._parts.append(_Part(pattern, first, octets, shortest, is_tail))
                first += len(octets)
        self._firsts = [part.first for part in self._parts]
        self._longest = max((len(part.octets) for part in self._parts), default=0)

    def spans(
        self, text: bytes, nested: Iterable[tuple[int, int]], check: Callable[[], None]
    ) -> Iterator[Span]:
        """The places of secrets near escapes within escapes, whose places are given in order.

        `check` is called time and again meanwhile, and may raise what ends the search.
        """
        left = MOST_STEPS
        for start, stop in self._regions(text, nested):
            reached = min(stop, start + left)
            check()
            yield from self._in_region(Readings(text, start, reached, check), start, reached)
            left -= reached - start
            if reached < stop:
                if self._is_strict:
                    yield reached, len(text), NOT_SEARCHED
                return

    def _regions(self, text: bytes, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """What is around some places, in order; what overlaps as one."""
        start = stop = 0
        for first, last in places:
            before, behind = self._around(text, first, last)
            if before > stop:
                if stop:
                    yield start, stop
                start = before
            stop = max(stop, behind)
        if stop:
            yield start, stop

    def _around(self, text: bytes, first: int, last: int) -> tuple[int, int]:
        """As far as a secret reaches that has an escape at a place, and maybe others beside it."""
        longest = self._longest
        has_others = ESCAPES.search(text, max(0, first - longest), first) or ESCAPES.search(
            text, last, last + longest
        )
        margin = longest * LONGEST_ESCAPE if has_others else longest
        return max(0, first - margin), min(last + margin, len(text))

    def _in_region(self, readings: Readings, start: int, stop: int) -> Iterator[Span]:
        starts, bits, finals = self._starts, self._bits, self._finals
        states: defaultdict[int, int] = defaultdict(int)
        hits: defaultdict[int, int] = defaultdict(int)
        for place in range(start, stop):
            before = states.pop(place, 0)
            for octets, end in readings.at(place):
                state = before
                for octet in octets:
                    state = (state << 1 | starts) & bits[octet]
                if state:
                    states[end] |= state
                if octets and (found := state & finals):
                    hits[end] |= found
            if len(hits) > AT_ONCE:
                yield from self._traced(hits, readings)
                hits.clear()
        yield from self._traced(hits, readings)

    def _traced(self, hits: dict[int, int], readings: Readings) -> Iterator[Span]:
        """The places of the patterns that end somewhere; of those within a place, no other one."""
        first = len(readings.text)
        for stop in sorted(hits, reverse=True):
            if stop <= first:
                part, read = self._longest_of(hits[stop])
                first = _start(part, read, stop, readings)
                yield first, stop, part.pattern.variable

    def _longest_of(self, bits: int) -> tuple[_Part, int]:
        """The part of which most was read, and how many bytes."""
        bits = bits & self._wholes or bits
        found: list[tuple[_Part, int]] = []
        while bits and len(found) < MOST_COMPARED:
            bit = bits.bit_length() - 1
            bits ^= 1 << bit
            part = self._parts[bisect_right(self._firsts, bit) - 1]
            found.append((part, bit - part.first + 1))
        return max(found, key=lambda each: each[1])

    @cached_property
    def _starts(self) -> int:
        return _mask(self._firsts)

    @cached_property
    def _finals(self) -> int:
        return _mask(bit for part in self._parts for bit in part.enough)

    @cached_property
    def _wholes(self) -> int:
        return _mask(part.last for part in self._parts if not part.is_tail)

    @cached_property
    def _bits(self) -> list[int]:
        """For each byte of a text the bytes of patterns that it may be."""
        bits: list[list[int]] = [[] for _ in range(256)]
        for part in self._parts:
            for bit, octet in enumerate(part.octets, part.first):
                for equal in _EQUAL[octet] if part.pattern.any_case else (octet,):
                    bits[equal].append(bit)
        return [_mask(each) for each in bits]


def _dense(sought: Iterable[Pattern]) -> Iterator[Pattern]:
    """The patterns with no more than about two bytes for each of a secret: few places to follow."""
    shortest: dict[bytes, int] = {}
    patterns = [*sought]
    for pattern in patterns:
        length = len(pattern.text)
        shortest[pattern.variable] = min(length, shortest.get(pattern.variable, length))
    return (each for each in patterns if len(each.text) <= 2 * shortest[each.variable])


def _mask(bits: Iterable[int]) -> int:
    octets = bytearray()
    for bit in bits:
        octets.extend(bytes(max(0, bit // 8 + 1 - len(octets))))
        octets[bit // 8] |= 1 << bit % 8
    return int.from_bytes(octets, "little")


def _start(part: _Part, read: int, stop: int, readings: Readings) -> int:
    """Where the bytes of a pattern begin that were read up to a place; as many as there are."""
    sought, any_case = part.pattern.text, part.pattern.any_case
    known = {(len(sought) if part.is_tail else read, stop)}
    todo = list(known)
    while todo:
        left, end = todo.pop()
        for place, octets in readings.before(end) if left else ():
            text = octets.translate(FOLDED) if any_case else octets
            new = left - len(text), place
            if sought[:left].endswith(text) and new not in known:
                known.add(new)
                todo.append(new)
    return min(known)[1]
