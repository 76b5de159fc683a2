"""Cursors: positions in a list, sealed into UUIDs.

A cursor is nothing but a position, the list and the caller that it was issued for, enciphered and authenticated under the store's key.
Nothing has to be remembered: a cursor can be used again, outlives restarts and inserts, and fits any filter and any limit.
One that was made up, or issued for another list or caller, does not open.
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final
from uuid import UUID

from conformance.reference.errors import InvalidRequest

BEGINNING: Final = 0
"""The position before the first record; records are numbered from 1 in the order of their insertion."""

POSITION_BYTES: Final = 6
SEAL_BYTES: Final = 10


@dataclass(frozen=True, slots=True)
class Cursors:
    """Issues and reads cursors; `key` is the secret of one store."""

    key: bytes

    def issue(self, owner: str, position: int) -> str:
        """The cursor that continues the list `owner` names after `position`."""
        seal = self._seal(owner, position)
        hidden = position ^ self._mask(seal)
        return str(UUID(bytes=hidden.to_bytes(POSITION_BYTES) + seal))

    def position(self, owner: str, cursor: str | None) -> int:
        """Where the list goes on: the beginning without a cursor. InvalidRequest where it was not issued for `owner`."""
        if cursor is None:
            return BEGINNING
        sealed = UUID(cursor).bytes
        seal = sealed[POSITION_BYTES:]
        position = int.from_bytes(sealed[:POSITION_BYTES]) ^ self._mask(seal)
        if seal != self._seal(owner, position):
            raise InvalidRequest("This cursor was not issued for this list.")
        return position

    def _seal(self, owner: str, position: int) -> bytes:
        """Proof of where a position comes from, with the version (8) and variant bits that make it the rest of a UUID."""
        seal = bytearray(
            blake2b(f"{owner} {position}".encode(), key=self.key, digest_size=SEAL_BYTES).digest()
        )
        seal[0] = seal[0] & 0x0F | 0x80
        seal[2] = seal[2] & 0x3F | 0x80
        return bytes(seal)

    def _mask(self, seal: bytes) -> int:
        """What hides a position: it looks random and follows from the seal."""
        return int.from_bytes(blake2b(seal, key=self.key, digest_size=POSITION_BYTES).digest())
