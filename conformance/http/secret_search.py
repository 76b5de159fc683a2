"""The search for secrets in a text: whole, and the beginnings and ends of long ones."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from conformance.http.escapes import Span
from conformance.http.own_words import is_own
from conformance.http.spellings import SHORTEST, Spelling, spelled

LONG = 24
"""Characters of the shortest secret whose beginnings and ends are sought."""

SHORTEST_PART = 8
"""Characters of the shortest beginning or end that is sought; one that is a word is longer."""

FOLDED = bytes(range(256)).lower().replace(b"+", b" ")
"""One letter case, and one character for a blank and for `+`, which is a blank in a form."""

ESCAPED = frozenset(b'"\\/bfnrtu')
"""What follows a backslash in JSON."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """One spelling of a secret; `head` and `tail` are the bytes of its shortest parts.

    A pattern of which parts are not sought has its own length for both.
    """

    exact: bytes
    bounds: tuple[int, ...]
    variable: bytes
    head: int
    tail: int
    any_case: bool

    @cached_property
    def text(self) -> bytes:
        """What is sought."""
        return self.exact.translate(FOLDED) if self.any_case else self.exact

    def beginning(self, text: bytes, start: int) -> int:
        """The bytes of the longest beginning of the pattern at a place in the text."""
        if text.startswith(self.text, start):
            return len(self.text)
        pairs = zip(self.text, memoryview(text)[start:], strict=False)
        length = _common(pairs)
        return self.bounds[bisect_right(self.bounds, length) - 1]

    def ending(self, text: bytes, stop: int, floor: int) -> int:
        """The bytes of the longest end of the pattern before a place in the text."""
        pairs = zip(reversed(self.text), reversed(memoryview(text)[floor:stop]), strict=False)
        length = _common(pairs)
        start = len(self.text) - length
        return len(self.text) - self.bounds[bisect_left(self.bounds, start)]


def _common(pairs: Iterable[tuple[int, int]]) -> int:
    length = 0
    for one, other in pairs:
        if one != other:
            break
        length += 1
    return length


def patterns(secret: str, variable: bytes, names: bytes = b"") -> Iterator[Pattern]:
    """The spellings of a secret; those of a long one with the lengths of their shortest parts.

    `names` are further variables that are written in place of secrets: a part that stands in one,
    or in its own `variable`, hides nothing.
    """
    known = names + b"\n" + variable.lower()
    forward, backward = _shortest_parts(secret, known), _shortest_parts(secret[::-1], known)
    for spelling in spelled(secret):
        first, last = backward if spelling.is_reversed else forward
        units = spelling.units
        exact = spelling.text
        yield Pattern(
            exact,
            tuple(accumulate(map(len, units), initial=0)),
            variable,
            head=_bytes_of(units, first, spelling),
            tail=_bytes_of(units[::-1], last, spelling),
            any_case=len(secret) >= SHORTEST,
        )


def _bytes_of(units: tuple[bytes, ...], characters: int, spelling: Spelling) -> int:
    return sum(map(len, units[: max(1, int(characters * spelling.density))]))


def _shortest_parts(secret: str, names: bytes) -> tuple[int, int]:
    """The characters of the shortest beginning and of the shortest end that are not words."""
    if len(secret) < LONG:
        return len(secret) * 2, len(secret) * 2
    return _shortest(secret, names), _shortest(secret[::-1], names, is_reversed=True)


def _shortest(secret: str, names: bytes, *, is_reversed: bool = False) -> int:
    for length in range(SHORTEST_PART, len(secret)):
        part = (secret[:length][::-1] if is_reversed else secret[:length]).lower().encode()
        if part not in names and not is_own(part):
            return length
    return len(secret) * 2


@dataclass(frozen=True)
class _Seed:
    """The shortest part of a pattern, which the search finds; `length` is in bytes."""

    pattern: Pattern
    length: int
    is_tail: bool = False


class Search:
    """Finds patterns and their parts in one pass, in a time that grows with the text alone."""

    def __init__(self, sought: Iterable[Pattern], *, any_case: bool) -> None:
        self._any_case = any_case
        seeds: dict[bytes, list[_Seed]] = {}
        for pattern in sought:
            text, head, tail = pattern.text, pattern.head, pattern.tail
            seeds.setdefault(text[:head], []).append(_Seed(pattern, head))
            if tail < len(text):
                seeds.setdefault(text[-tail:], []).append(_Seed(pattern, tail, is_tail=True))
        self._seeds = list(_with_shorter(seeds))
        self._finder = BytesAhoCorasick(list(seeds), matchkind=MatchKind.LeftmostLongest)

    def spans(self, text: bytes) -> Iterator[Span]:
        """The places of secrets in a text, in order, and the variable for each."""
        if not self._seeds:
            return
        folded = text.translate(FOLDED) if self._any_case else text
        end = 0
        for number, place, _ in self._finder.find_matches_as_indexes(folded):
            if place < end:
                continue
            found = (_extent(seed, folded, place, end) for seed in self._seeds[number])
            pattern, start, stop = max(found, key=lambda each: _rank(each, text))
            yield _after_backslash(text, start), stop, pattern.variable
            end = stop


def _with_shorter(seeds: dict[bytes, list[_Seed]]) -> Iterator[list[_Seed]]:
    """For each seed also those that it begins with: the search finds the longest one alone."""
    lengths = sorted({len(seed) for seed in seeds})
    for seed, own in seeds.items():
        shorter = (seed[:length] for length in lengths[: bisect_left(lengths, len(seed))])
        yield [*own, *(each for part in shorter for each in seeds.get(part, ()))]


def _extent(seed: _Seed, text: bytes, start: int, floor: int) -> tuple[Pattern, int, int]:
    """The longest part of the pattern of a seed at a place in the text."""
    pattern = seed.pattern
    if seed.is_tail:
        stop = start + seed.length
        return pattern, stop - pattern.ending(text, stop, floor), stop
    return pattern, start, start + pattern.beginning(text, start)


def _rank(found: tuple[Pattern, int, int], text: bytes) -> tuple[int, bool, bool]:
    """The longest match comes first, then a whole secret, then one in the same letter case."""
    pattern, start, stop = found
    length = stop - start
    return length, length == len(pattern.text), text[start:stop] == pattern.exact


def _after_backslash(text: bytes, start: int) -> int:
    """The start of a match, moved behind what belongs to an escape before it.

    Without that, a variable after a backslash would turn JSON into something else.
    """
    before = start
    while before and text[before - 1] == ord("\\"):
        before -= 1
    is_escape = (start - before) % 2 == 1 and text[start] in ESCAPED
    return start + is_escape
