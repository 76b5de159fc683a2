"""The spellings of a secret: the encodings in which a target may repeat it."""

import base64
import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from conformance.http.escapes import layers

SHORTEST = 8
"""Characters of a secret that is also sought in any letter case and in unusual encodings."""


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

    Escapes are no spellings: they are decoded before the search (http.escapes). Plain, and base64
    in both alphabets. From `SHORTEST` characters on also: within the base64 or base32 of a longer
    text, hexadecimal, reversed, rotated, each character as a number, in UTF-16, in base64 twice.
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
    yield Spelling(tuple(map(_read_as_latin, secret)))
    for raw in _encoded(secret):
        yield Spelling(raw)
        yield Spelling(tuple(unit.replace(b" ", b"+") for unit in raw))  # of a form
        yield from _base64(b"".join(raw))
    # What looks like an escape in a secret is decoded as well.
    _, *decoded = layers(secret.encode(), unusual=True)
    for layer in decoded:
        if len(layer.text) >= SHORTEST:
            yield Spelling(tuple(_octets(layer.text)))


def _unusual(secret: str) -> Iterator[Spelling]:
    yield Spelling(tuple(map(str.encode, reversed(secret))), is_reversed=True)
    yield Spelling(tuple(map(str.encode, codecs.encode(secret, "rot13"))))
    for raw in _encoded(secret):
        yield from _unusual_octets(b"".join(raw))
    for wide in (secret.encode("utf-16-le"), secret.encode("utf-16-be")):
        yield Spelling(tuple(b"%02x" % octet for octet in wide), 2)
        yield from _base64(wide, 16 / 6)


def _unusual_octets(octets: bytes) -> Iterator[Spelling]:
    yield Spelling(tuple(b"%02x" % octet for octet in octets))
    for form, between in _NUMBERS:
        numbers = [unit for octet in octets for unit in (form % octet, between)]
        yield Spelling(tuple(numbers[:-1]), _NUMBER_DENSITY)
    yield from _base32(octets)
    yield from _base64_twice(octets)


def _encoded(secret: str) -> Iterator[tuple[bytes, ...]]:
    """The secret in UTF-8 and in Latin-1, character by character."""
    yield tuple(map(str.encode, secret))
    yield tuple(character.encode("latin-1", "ignore") for character in secret)


def _read_as_latin(character: str) -> bytes:
    """UTF-8 in a header, read as Latin-1."""
    return character.encode().decode("latin-1").encode()


_BETWEEN = (b":", b" ", b"-", b".", b";", b",", b", ", b"\n")
_NUMBERS = (
    *product((b"%02x", b"%d"), _BETWEEN),
    *product((b"0x%02x",), (b" ", b",", b", ")),
)
"""An octet as a number, and what is between two of them."""

_NUMBER_DENSITY = 1.9
"""Eight octets have eight numbers, and seven units between them."""


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
        yield Spelling(tuple(_octets(text)), density)


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
