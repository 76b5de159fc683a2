"""Compressed texts (gzip, zlib, deflate), plain or in base64, in which a secret may be repeated."""

import base64
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from conformance.http.escapes import Span

MOST_UNPACKED = 256 * 1024
"""Bytes that one stream is unpacked to; what comes later in it is not looked at."""

LONGEST_RUN = 64 * 1024
"""Characters of base64 that are taken for one stream."""

MOST_WORK = 4 * 1024 * 1024
"""Bytes that are decoded and unpacked for one text, so that no text costs more than that."""

STREAM_WORK = 256
"""What the attempt to unpack a stream costs at least, in the same unit."""

SHORTEST_DEFLATE = 37
"""Characters of base64 of the shortest stream without a header; a UUID has one less."""

GZIP = b"\x1f\x8b\x08"
ZLIB = tuple(b"\x78" + bytes([flags]) for flags in (0x01, 0x5E, 0x9C, 0xDA))
"""The first bytes of streams that say what they are."""

_RUN = re.compile(rb'(?:\\[bfnrt"\\])*([A-Za-z0-9+/_-]+)={0,2}')
_STANDARD = bytes.maketrans(b"-_", b"+/")
_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-\\"
_IN_BASE64 = bytes(ord("x" if octet in _CHARACTERS else " ") for octet in range(256))
_LONG_RUN = b"x" * SHORTEST_DEFLATE

Reveals = Callable[[bytes], bytes | None]
"""The variable of a secret in a text, or None."""


def spans(text: bytes, reveals: Reveals) -> Iterator[Span]:
    """The places of compressed texts that reveal a secret, in order, and the variable for each.

    A stream with a header is found anywhere in a text of base64, one without at its beginning.
    """
    if text.startswith((GZIP, *ZLIB)) and (variable := reveals(_unpacked(text))):
        yield 0, len(text), variable
        return
    end, work = 0, MOST_WORK
    for start, shortest in _starts(text):
        if start < end:
            continue
        if work < 0:
            break
        found = _stream(text, start, shortest)
        if found is None:
            continue
        work -= found.work
        if variable := reveals(found.content):
            yield found.start, found.stop, variable
            end = found.stop


@dataclass(frozen=True)
class _Stream:
    """A place in a text that was taken for a stream, and what it unpacks to."""

    start: int
    stop: int
    content: bytes

    @property
    def work(self) -> int:
        return STREAM_WORK + self.stop - self.start + len(self.content)


def _starts(text: bytes) -> Iterator[tuple[int, int]]:
    """The places where a stream may begin, in order, and the fewest characters that it has."""
    named = (start for _, start, _ in _heads().find_matches_as_indexes(text))
    found = dict.fromkeys(_long_runs(text), SHORTEST_DEFLATE) | dict.fromkeys(named, 0)
    return iter(sorted(found.items()))


@cache
def _heads() -> BytesAhoCorasick:
    """The search for the beginnings of gzip and zlib streams in base64."""
    # Two bytes are 16 bits: a third character has the last four, and two of what follows.
    zlib_heads = {
        base64.b64encode(head + bytes([rest << 6]))[:3] for head in ZLIB for rest in range(4)
    }
    return BytesAhoCorasick(
        [base64.b64encode(GZIP), *sorted(zlib_heads)], matchkind=MatchKind.LeftmostLongest
    )


def _long_runs(text: bytes) -> Iterator[int]:
    # Nearly every text has none, and bytes.find is the quickest way to know.
    classes = text.replace(b'\\"', b"  ").translate(_IN_BASE64)
    place = classes.find(_LONG_RUN)
    while place >= 0:
        end = classes.find(b" ", place)
        stop = end if end >= 0 else len(text)
        # Of 37 random characters of base64 one is a capital, but for one text in 10⁸. Paths,
        # names and UUIDs have none.
        if not text[place:stop].islower():
            yield place
        place = classes.find(_LONG_RUN, stop)


def _stream(text: bytes, start: int, shortest: int) -> _Stream | None:
    run = _RUN.match(text, start, start + LONGEST_RUN)
    # In a JSON text within another, the backslash behind a UUID belongs to the end of its string.
    if run is None or len(run[1]) < shortest:
        return None
    return _Stream(run.start(1), run.end(), _unpacked(_decoded(run[1])))


def _decoded(run: bytes) -> bytes:
    plain = run.translate(_STANDARD)
    whole = plain[: len(plain) - (len(plain) % 4 == 1)]
    return base64.b64decode(whole + b"=" * (-len(whole) % 4))


def _unpacked(stream: bytes) -> bytes:
    """The beginning of what a stream unpacks to; b"" for other bytes."""
    has_header = stream.startswith((GZIP, *ZLIB))
    window = zlib.MAX_WBITS | 32 if has_header else -zlib.MAX_WBITS
    try:
        return zlib.decompressobj(window).decompress(stream, MOST_UNPACKED)
    except zlib.error:
        return b""
