"""Bodies and texts in memory: a long one is compressed, and unpacked where somebody reads it."""

import hashlib
import zlib
from typing import NamedTuple

from conformance.http.recent import RECENT

LONG = 16 * 1024
"""Bytes of a body that is compressed; most responses of a run are shorter."""

WORTH = 0.75
"""A compressed body is stored if its size is below this fraction of the original size."""

FASTEST = 1


class Packed(NamedTuple):
    """A compressed body, and its length."""

    content: bytes
    length: int


def packed(body: bytes) -> Packed | bytes:
    """The body as it is stored in memory."""
    content = zlib.compress(body, FASTEST) if len(body) > LONG else body
    return Packed(content, len(body)) if len(content) < WORTH * len(body) else body


class PackedText:
    """A text that waits in memory for its turn, as UTF-8; equal to itself alone.

    Python takes two bytes for each character where one is beyond Latin-1, and four where one is
    beyond the basic plane.
    """

    def __init__(self, text: str) -> None:
        content = text.encode()
        self.digest = hashlib.blake2b(content, digest_size=16).digest()
        self._kept = packed(content)

    @property
    def text(self) -> str:
        """The text."""
        kept = self._kept
        return (zlib.decompress(kept.content) if isinstance(kept, Packed) else kept).decode()


class PackedBytes:
    """A field of a dataclass that reads as the bytes it was set to, b"" by default."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._kept, self._unpacked = f"_{name}", f"_{name}_unpacked"

    def __get__(self, instance: object | None, owner: type) -> bytes:
        """The bytes; of an instance that has none, the default."""
        return b"" if instance is None else self._read(instance, vars(instance)[self._kept])

    def __set__(self, instance: object, value: bytes) -> None:
        vars(instance)[self._kept] = packed(value)

    def _read(self, instance: object, kept: Packed | bytes) -> bytes:
        if not isinstance(kept, Packed):
            return bytes(kept)
        body: bytes | None = vars(instance).get(self._unpacked)
        if body is None:
            body = vars(instance)[self._unpacked] = zlib.decompress(kept.content)
            RECENT.add(instance, self._unpacked, kept.length)
        return body

    def length(self, instance: object) -> int:
        """How many bytes it reads as; nothing is unpacked."""
        kept = vars(instance)[self._kept]
        return kept.length if isinstance(kept, Packed) else len(kept)

    def held(self, instance: object) -> int:
        """How many bytes it takes up in memory."""
        kept = vars(instance)[self._kept]
        return len(kept.content if isinstance(kept, Packed) else kept)


class OptionalPackedBytes(PackedBytes):
    """The same, None by default."""

    def __get__(  # type: ignore[override]
        self, instance: object | None, owner: type
    ) -> bytes | None:
        """The bytes, or None."""
        kept = None if instance is None else vars(instance)[self._kept]
        return None if kept is None else self._read(instance, kept)

    def __set__(self, instance: object, value: bytes | None) -> None:
        vars(instance)[self._kept] = None if value is None else packed(value)
