"""Cursors: positions in a list as authenticated UUIDs.

A cursor contains a position, encrypted with the key of the store.
An authentication code binds it to the list and the caller for which it was issued.
No state is kept: a cursor can be used again, after restarts and inserts, with any filter and limit.
A forged cursor, or one of another list or caller, is as absent as an id that does not exist.
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final
from uuid import UUID

from conformance.reference.errors import NotFound

BEGINNING: Final = 0
"""The position before the first record; positions count from 1 in the order of insertion."""

POSITION_BYTES: Final = 6
SEAL_BYTES: Final = 10


@dataclass(frozen=True, slots=True)
class Cursors:
    """Issues and decodes cursors; `key` is the secret of one store."""

    key: bytes

    def issue(self, owner: str, position: int) -> str:
        """Return the cursor after `position`; `owner` identifies the list and its caller."""
        seal = self._seal(owner, position)
        hidden = position ^ self._mask(seal)
        return str(UUID(bytes=hidden.to_bytes(POSITION_BYTES) + seal))

    def position(self, owner: str, cursor: str | None) -> int:
        """Return the position of a cursor; NotFound if it was not issued for `owner`."""
        if cursor is None:
            return BEGINNING
        sealed = UUID(cursor).bytes
        seal = sealed[POSITION_BYTES:]
        position = int.from_bytes(sealed[:POSITION_BYTES]) ^ self._mask(seal)
        if seal != self._seal(owner, position):
            raise NotFound("This cursor was not issued for this list.")
        return position

    def _seal(self, owner: str, position: int) -> bytes:
        """The authentication code of a position, with UUID version (8) and variant bits."""
        seal = bytearray(
            blake2b(f"{owner} {position}".encode(), key=self.key, digest_size=SEAL_BYTES).digest()
        )
        seal[0] = seal[0] & 0x0F | 0x80
        seal[2] = seal[2] & 0x3F | 0x80
        return bytes(seal)

    def _mask(self, seal: bytes) -> int:
        """The bits that encrypt a position; they are derived from the authentication code."""
        return int.from_bytes(blake2b(seal, key=self.key, digest_size=POSITION_BYTES).digest())
