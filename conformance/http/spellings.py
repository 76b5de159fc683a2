"""The spellings of a secret: the encodings in which a target may repeat it."""

import base64
import codecs
import html
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, quote_plus

SHORTEST = 8
"""Characters of a secret that is also sought in any letter case and in unusual encodings."""

Encode = Callable[[str], bytes]


@dataclass(frozen=True)
class Spelling:
    """A secret in one encoding, as its units: nothing is cut within a unit.

    `density` is the number of units for one character of the secret. A `reversed` spelling has
    the end of the secret at its beginning.
    """

    units: tuple[bytes, ...]
    density: float = 1
    is_reversed: bool = False

    @property
    def text(self) -> bytes:
        """The whole spelling."""
        return b"".join(self.units)


def spellings(secret: str) -> Iterator[bytes]:
    """A secret in all encodings that may carry it, each one once; none is empty."""
    return (spelling.text for spelling in spelled(secret))


def spelled(secret: str) -> Iterator[Spelling]:
    """A secret in all encodings that may carry it, each one once; none is empty.

    Plain, percent, form, JSON, Python, and base64 in both alphabets. From `SHORTEST` characters
    on also: within the base64 or base32 of a longer text, HTML, hexadecimal, reversed, rotated,
    each character escaped or as a number, in UTF-16, and percent-encoded or in base64 twice.
    """
    found = [*_usual(secret)]
    if len(secret) >= SHORTEST:
        found += _unusual(secret)
    known: set[bytes] = set()
    for spelling in found:
        text = spelling.text
        if text and text not in known:
            known.add(text)
            yield spelling


def _usual(secret: str) -> Iterator[Spelling]:
    for encode in (str.encode, *_JSON, _read_as_latin):
        yield Spelling(tuple(map(encode, secret)))
    # Python chooses the quotes by the whole text.
    yield Spelling((repr(secret)[1:-1].encode(),))
    yield Spelling((repr(secret.encode())[2:-1].encode(),))
    for raw in _encoded(secret):
        yield Spelling(raw)
        for percent in _PERCENT:
            yield Spelling(tuple(percent(each).encode() for each in raw))
        yield from _base64(b"".join(raw))


def _unusual(secret: str) -> Iterator[Spelling]:
    for encode in _HTML:
        yield Spelling(tuple(map(encode, secret)))
    yield Spelling(tuple(map(str.encode, reversed(secret))), is_reversed=True)
    yield Spelling(tuple(map(str.encode, codecs.encode(secret, "rot13"))))
    for backslash in ("\\", "\\\\"):  # one, or two within a JSON string
        yield Spelling(tuple(_unicode_escape(character, backslash) for character in secret))
        yield Spelling(tuple(f"{backslash}u{{{ord(each):x}}}".encode() for each in secret))
    for raw in _encoded(secret):
        for percent in _PERCENT:
            yield Spelling(tuple(_everything(percent(each).encode()).encode() for each in raw))
        yield from _unusual_octets(b"".join(raw))
    for wide in (secret.encode("utf-16-le"), secret.encode("utf-16-be")):
        yield Spelling(tuple(b"%02x" % octet for octet in wide), 2)
        yield from _base64(wide, 16 / 6)


def _unusual_octets(octets: bytes) -> Iterator[Spelling]:
    for form in _OF_OCTETS:
        yield Spelling(tuple(form % octet for octet in octets))
    for form, between in _NUMBERS:
        numbers = [unit for octet in octets for unit in (form % octet, between)]
        yield Spelling(tuple(numbers[:-1]), _NUMBER_DENSITY)
    yield from _base32(octets)
    yield from _base64_twice(octets)


def _encoded(secret: str) -> Iterator[tuple[bytes, ...]]:
    """The secret in UTF-8 and in Latin-1, character by character."""
    yield tuple(map(str.encode, secret))
    yield tuple(character.encode("latin-1", "ignore") for character in secret)


# --- encodings of one character --------------------------------------------------------------


def _json(*, ascii_only: bool, upper: bool = False, slash: bool = False) -> Encode:
    def encode(character: str) -> bytes:
        text = json.dumps(character, ensure_ascii=ascii_only)[1:-1]
        if upper and text.startswith("\\u"):
            text = "\\u" + text[2:].upper().replace("\\U", "\\u")
        return (text.replace("/", "\\/") if slash else text).encode()

    return encode


_JSON = [
    _json(ascii_only=ascii_only, upper=upper, slash=slash)
    for ascii_only, upper in ((True, False), (True, True), (False, False))
    for slash in (False, True)
]


def _read_as_latin(character: str) -> bytes:
    """UTF-8 in a header, read as Latin-1."""
    return character.encode().decode("latin-1").encode()


def _unicode_escape(character: str, backslash: str) -> bytes:
    units = character.encode("utf-16-be").hex()
    return "".join(f"{backslash}u{units[at : at + 4]}" for at in range(0, len(units), 4)).encode()


def _with_lower_digits(percent: Callable[[bytes], str]) -> Callable[[bytes], str]:
    """The same percent-encoding with digits in lower case."""

    def encode(raw: bytes) -> str:
        text = percent(raw)
        return text.lower() if text.startswith("%") else text

    return encode


@lru_cache(maxsize=1024)
def _everything(raw: bytes) -> str:
    return quote(raw, safe="")


_CAPITAL: tuple[Callable[[bytes], str], ...] = (_everything, quote, quote_plus)
# A run has hundreds of secrets, made of the same characters.
_PERCENT = tuple(
    lru_cache(maxsize=1024)(encode) for encode in (*_CAPITAL, *map(_with_lower_digits, _CAPITAL))
)

_OF_OCTETS = (
    b"%%%02x",
    b"%%25%02x",
    b"\\x%02x",
    b"\\\\x%02x",
    b"%02x",
    b"=%02x",
    b"\\%03o",
    b"\\\\%03o",
)
"""An octet in an escape: of URLs, strings, quoted-printable texts."""

_NUMBERS = ((b"%02x", b":"), (b"%02x", b" "), (b"0x%02x", b", "), (b"%d", b","), (b"%d", b", "))
"""An octet as a number, and what is between two of them."""

_NUMBER_DENSITY = 1.9
"""Eight octets have eight numbers, and seven units between them."""

_HTML: tuple[Encode, ...] = (
    lambda character: html.escape(character).encode(),
    lambda character: html.escape(character).replace("&#x27;", "&#39;").encode(),
    lambda character: html.escape(character).replace("&#x27;", "&apos;").encode(),
    lambda character: html.escape(character, quote=False).encode(),
    lambda character: character.encode("ascii", "xmlcharrefreplace"),
    lambda character: f"&#{ord(character)};".encode(),
    lambda character: f"&#x{ord(character):x};".encode(),
    lambda character: f"&#{ord(character):04};".encode(),
    lambda character: f"&#x{ord(character):04x};".encode(),
    lambda character: f"&#{ord(character)}".encode(),
    lambda character: f"%u{ord(character):04x}".encode(),
)


# --- encodings of several characters together ------------------------------------------------


def _base64(raw: bytes, density: float = 8 / 6) -> Iterator[Spelling]:
    if len(raw) < SHORTEST:
        # Within a longer text, too little of it would be left to know it by.
        yield from _alphabets(base64.b64encode(raw).rstrip(b"="), density)
        return
    for coded in _within_base64(raw):
        yield from _alphabets(coded, density)


def _alphabets(coded: bytes, density: float) -> Iterator[Spelling]:
    texts = (coded, coded.translate(bytes.maketrans(b"+/", b"-_")))
    for text in dict.fromkeys(texts):
        units = tuple(_octets(text))
        yield Spelling(units, density)
        yield Spelling(tuple(_everything(unit).encode() for unit in units), density)
        yield Spelling(tuple(unit.replace(b"/", b"\\/") for unit in units), density)


def _base64_twice(raw: bytes) -> Iterator[Spelling]:
    for once in _within_base64(raw):
        for twice in _within_base64(once):
            yield Spelling(tuple(_octets(twice)), 64 / 36)


def _within_base64(raw: bytes) -> Iterator[bytes]:
    """The base64 of a text, wherever it stands in a longer one."""
    for shift in range(3):
        yield _inner(base64.b64encode(bytes(shift) + raw), shift, raw, 6)


def _base32(raw: bytes) -> Iterator[Spelling]:
    for shift in range(5):
        coded = _inner(base64.b32encode(bytes(shift) + raw), shift, raw, 5)
        yield Spelling(tuple(_octets(coded)), 8 / 5)


def _inner(coded: bytes, shift: int, raw: bytes, bits: int) -> bytes:
    """The characters that depend on the secret alone, and not on the text around it."""
    start = -(-8 * shift // bits)
    return coded[start : 8 * (shift + len(raw)) // bits]


def _octets(text: bytes) -> Iterable[bytes]:
    return (text[at : at + 1] for at in range(len(text)))
