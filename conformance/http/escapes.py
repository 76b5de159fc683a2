r"""Escapes in a text, decoded layer by layer, and the way from a layer back to the text.

Decoded are the escapes of JSON, Python and JavaScript (`\u0061`, `\u{61}`, `\x61`, `\141`, `\/`),
percent-encoding (`%61`, `%u0061`), and entities of HTML (`&#97;`, `&#x61;`, `&amp;`); then what is
less certain to be one: `=61` of quoted-printable texts, and `&#97` without an end. Characters that
show nothing are left out.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from ahocorasick_rs import BytesAhoCorasick, MatchKind

DEEPEST = 8
"""Layers that are decoded of one text."""

MOST_WORK = 32 * 1024 * 1024
"""Bytes of all layers of one text; what lies deeper is not decoded."""

MOST_NESTED = 50_000
"""Escapes of one layer that consist of escapes; behind them, the whole text is taken for one."""

Span = tuple[int, int, bytes]
"""A place in a text, from a start to a stop, and the variable of the secret there."""

AT_ONCE = 5_000
"""Escapes that are decoded between two looks at the time."""

_CONTROLS = b'"bfnrt'
"""What a backslash turns into a character that hardly any secret has."""

SHOWS_NOTHING = rb"""
    \x00 | \x1b\[[0-9;]*m | \xc2\xad | \xcd\x8f | \xd8\x9c
  | \xe1(?: \x85[\x9f\xa0] | \x9e[\xb4\xb5] | \xa0[\x8b-\x8f] )
  | \xe2(?: \x80[\x8b-\x8f\xaa-\xae] | \x81[\xa0-\xaf] ) | \xe3\x85\xa4
  | \xef(?: \xb8[\x80-\x8f\xa0-\xaf] | \xbb\xbf | \xbe\xa0 | \xbf[\xb0-\xb8] )
  | \xf0(?: \x9b\xb2[\xa0-\xa3] | \x9d\x85[\xb3-\xba] ) | \xf3\xa0[\x80-\xbf]{2}
  | \xcc[\x80-\xbf] | \xcd[\x80-\xaf] | \xe1\xaa[\xb0-\xbf] | \xe1\xb7[\x80-\xbf]
  | \xe2\x83[\x90-\xb0]
"""
"""Styles of a terminal, what Unicode calls default ignorable, and combining marks, in UTF-8."""

STYLED = rb"""
    \xef\xbc[\x8d\x90-\x99\xa1-\xba\xbf] | \xef\xbd[\x81-\x9a]
  | \xf0\x9d[\x90-\x9f][\x80-\xbf] | \xf0\x9f[\x84-\x86][\x80-\xbf]
  | \xe2(?: \x81[\xb0-\xbf] | \x82[\x80-\x9c] | [\x84\x85\x91-\x93][\x80-\xbf] )
  | \xc2[\xaa\xb2\xb3\xb9\xba]
"""
"""Letters and digits of full width, of mathematics, circled, above or below the line, in UTF-8."""

_FIRST = rb"""
    \\(?: u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
        | U00[01][0-9a-fA-F]{5}
        | (?: u | U(?!00[01]) )[0-9a-fA-F]{4}
        | [uUxX]\{[0-9a-fA-F]{1,8}\}
        | [xX][0-9a-fA-F]{2}
        | [0-3][0-7]{2} | [4-7][0-7]
        | [^uUxX0-7%%&%b\x00-\x1f\x80-\xff]
      )
  | %%(?: [uU][0-9a-fA-F]{4} | [0-9a-fA-F]{2} )
  | &(?: \#[0-9]{1,10}; | \#[xX][0-9a-fA-F]{1,10}; | [a-zA-Z][a-zA-Z0-9]{1,31}; )
  | %s | %s
"""
# An address has many parameters such as `=10` and `=cd`.
_QUOTED = rb"=(?:[%b][0-9a-fA-F]|(?:\r|\\r)?(?:\n|\\n))"
# It is of one byte, as a secret has no other: its next character may be a digit.
_ENDLESS = re.compile(rb"&#(?:0*(?:[12][0-9]{2}|[3-9][0-9])|[xX]0*[2-9a-fA-F][0-9a-fA-F])")
_STARTS = (b"\\", b"%", b"&", b"\x00", b"\x1b")
_BEYOND = [
    *(b"\xc2\xad", b"\xcd\x8f", b"\xd8\x9c", b"\xe1\x85", b"\xe1\x9e", b"\xe1\xa0"),
    *(b"\xe2\x80", b"\xe2\x81", b"\xe3\x85", b"\xef\xb8", b"\xef\xbb", b"\xef\xbc", b"\xef\xbd"),
    *(b"\xef\xbe", b"\xef\xbf", b"\xf0\x9b", b"\xf0\x9d", b"\xf0\x9f", b"\xf3\xa0"),
    *map(
        bytes.fromhex,
        ["cc", "cd", "e1aa", "e1b7", "e282", "e283", "e284", "e285", "e291", "e292", "e293"],
    ),
    *map(bytes.fromhex, ["c2aa", "c2b2", "c2b3", "c2b9", "c2ba"]),
]


_SEARCH = BytesAhoCorasick(_BEYOND, matchkind=MatchKind.LeftmostLongest)
_PIECE = 64 * 1024
"""Bytes that are searched at a time: all places in them are found, and the first one is enough."""


@dataclass(frozen=True)
class _Escapes:
    """Escapes that are decoded together, and how they begin in ASCII; some begin `beyond` it."""

    pattern: re.Pattern[bytes]
    starts: tuple[bytes, ...]
    beyond: bool = False

    def found(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """The escapes in a text, in order."""
        # Most texts have none, and this is the quickest way to know.
        may_have = any(start in text for start in self.starts) or (
            self.beyond and not text.isascii() and _begin_in(text)
        )
        return self.pattern.finditer(text) if may_have else iter(())


def _begin_in(text: bytes) -> bool:
    """Whether something begins in a text as escapes beyond ASCII do."""
    longest = max(map(len, _BEYOND))
    pieces = (text[place : place + _PIECE + longest] for place in range(0, len(text), _PIECE))
    return any(map(_SEARCH.find_matches_as_indexes, pieces))


_USUAL, _UNUSUAL = (
    (
        _Escapes(
            re.compile(_FIRST % (left_out, SHOWS_NOTHING, STYLED), re.VERBOSE),
            _STARTS,
            beyond=True,
        ),
        _Escapes(re.compile(_QUOTED % digit), (b"=",)),
        _Escapes(_ENDLESS, (b"&#",)),
    )
    for left_out, digit in ((_CONTROLS, b"2-7"), (b"", b"0-9a-fA-F"))
)

_CODED = re.compile(rb"\\[a-zA-Z0-9]|[%&=]")
"""What means another character, and not just the one behind a backslash, or nothing."""

_STYLED = re.compile(STYLED, re.VERBOSE)

_BROKEN = re.compile(
    rb"(?: \\(?:[uUxX]\{?[0-9a-fA-F]{0,5} | [0-7]{0,2})"
    rb" | %[uU]?[0-9a-fA-F]{0,3} | &\#?[xX]?[0-9a-zA-Z]{0,8} | =[0-9a-fA-F]? )\Z",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Layer:
    """A text, and where it was decoded from: the layer below it, and the escapes of that."""

    text: bytes
    below: "Layer | None" = None
    escapes: _Escapes = _USUAL[0]

    def origin(self, spans: Iterable[Span]) -> Iterator[Span]:
        """Spans of this layer as those of the lowest one; in order, and none within another."""
        if self.below is None:
            return iter(spans)
        return self.below.origin(self._in_below(spans))

    def nested(self) -> Iterator[tuple[int, int]]:
        """The places in the lowest layer of the escapes of this one that consist of escapes."""
        if self.below is None or self.below.below is None:
            return
        text, number = self.bottom.text, 0
        found = (
            (*each.span(), each[0])
            for each in self.escapes.found(self.below.text)
            if _CODED.match(each[0])
        )
        for start, stop, escape in self.below.origin(found):
            if text[start:stop] == escape:
                continue
            number += 1
            if number > MOST_NESTED:
                yield start, len(text)
                return
            yield start, stop

    @property
    def bottom(self) -> "Layer":
        """The text itself."""
        return self if self.below is None else self.below.bottom

    def _in_below(self, spans: Iterable[Span]) -> Iterator[Span]:
        places = _Places(self)
        for start, stop, variable in spans:
            first, _ = places.of(start)
            _, last = places.of(stop - 1)
            yield first, last, variable


class _Places:
    """Where the bytes of a layer come from. They are asked for in order."""

    def __init__(self, layer: Layer) -> None:
        assert layer.below is not None
        self._escapes = layer.escapes.found(layer.below.text)
        self._shift = 0  # from the layer to the one below, behind the last escape
        self._last = self._end = 0  # of the last escape: its start below, its end in the layer
        self._next = next(self._escapes, None)

    def of(self, place: int) -> tuple[int, int]:
        """The start and the stop of what a byte was decoded from: of a whole escape, if of one."""
        while self._next is not None and self._next.start() - self._shift <= place:
            self._last = self._next.start()
            self._end = self._last - self._shift + len(meaning(self._next[0]))
            self._shift = self._next.end() - self._end
            self._next = next(self._escapes, None)
        if place < self._end:
            return self._last, self._end + self._shift
        return place + self._shift, place + self._shift + 1


def layers(
    text: bytes, *, unusual: bool = False, check: Callable[[], None] = lambda: None
) -> Iterator[Layer]:
    """The text, and what it is after each decoding, as long as that changes it.

    `unusual`: also what hardly any secret has is decoded, such as quotes. `check` is called time
    and again meanwhile, and may raise what ends the decoding.
    """
    kinds = _UNUSUAL if unusual else _USUAL
    layer: Layer | None = Layer(text)
    work = 0
    for _ in range(DEEPEST + 1):
        if layer is None or work > MOST_WORK:
            return
        yield layer
        work += len(layer.text)
        decoded = (_decoded(layer, escapes, check) for escapes in kinds)
        layer = next(filter(None, decoded), None)


def are_in(text: bytes) -> bool:
    """Whether a text has any escape."""
    return any(next(escapes.found(text), None) for escapes in _UNUSUAL)


def _decoded(layer: Layer, escapes: _Escapes, check: Callable[[], None]) -> Layer | None:
    """The next layer, or None where there is nothing to decode."""
    text, decoded, end = layer.text, bytearray(), 0
    # Piece by piece: a list of the pieces of a long text would be many times as large.
    found = escapes.found(text)
    while some := tuple(islice(found, AT_ONCE)):
        check()
        for match in some:
            decoded += text[end : match.start()]
            decoded += meaning(match[0])
            end = match.end()
    if not end:
        return None
    decoded += text[end:]
    return None if decoded == text else Layer(bytes(decoded), layer, escapes)


def of_cut(text: bytes, decode: Callable[[bytes], Iterable[Layer]]) -> Iterator[Layer]:
    """The layers of a text that was cut; also without what is left of an escape at their ends."""
    for whole in dict.fromkeys((text, _unbroken(text))):
        for layer in decode(whole):
            yield layer
            yield replace(layer, text=_unbroken(layer.text))


def _unbroken(text: bytes) -> bytes:
    return _BROKEN.sub(b"", text)


@lru_cache(maxsize=4096)
def meaning(escape: bytes) -> bytes:
    """The bytes that an escape stands for; itself where it stands for nothing."""
    if escape.startswith(b"\\"):
        return _after_backslash(escape)
    if escape.startswith(b"&"):
        return _entity(escape)
    if escape.startswith((b"%", b"=")):
        digits = escape[1:].lower()
        if digits.startswith(b"u"):
            return _character(digits[1:])
        return bytes.fromhex(digits.decode()) if digits.strip(b"\\rn\r\n") else b""
    if _STYLED.fullmatch(escape):
        plain = unicodedata.normalize("NFKC", escape.decode())
        return plain.encode() if plain.isascii() else escape
    return b""  # it shows nothing


def _entity(escape: bytes) -> bytes:
    text = html.unescape(escape.decode())
    # `&#9` may be the beginning of `&#9%37;`.
    return _encoded(text) if text >= " " and text != "\ufffd" else escape


_MEANINGS = dict(zip(b"bfnrt", (b"\b", b"\f", b"\n", b"\r", b"\t"), strict=True))


def _after_backslash(escape: bytes) -> bytes:
    kind, digits = escape[1:2].lower(), escape[2:].strip(b"{}")
    if not digits or kind.isdigit():
        is_octal = kind in b"01234567"
        return bytes([int(escape[1:], 8)]) if is_octal else _MEANINGS.get(escape[1], escape[1:])
    if kind == b"x" and len(escape) == len(rb"\x61"):
        return bytes.fromhex(digits.decode())
    if b"\\" in digits:
        pair = bytes.fromhex(digits.replace(b"\\u", b"").decode())
        return _encoded(pair.decode("utf-16-be"))
    return _character(digits)


def _character(digits: bytes) -> bytes:
    number = int(digits, 16)
    return _encoded(chr(number)) if number < 0x110000 else digits


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
