"""Files by their digest: equal ones are stored once."""

import hashlib
import zlib
from collections.abc import Iterator

from sqlalchemy import Connection, delete, func, select

from conformance.fleet.memory.inserting import insert_new
from conformance.fleet.memory.tables import artefact, blob

LARGEST = 512 * 1024 * 1024
"""Bytes of a compressed content: both databases take up to twice as much in one value."""

MIB = 1024 * 1024
"""Bytes that are unpacked at once until the digest is known to be right."""

MOST_STATED = 1 << 50
"""Bytes that the memory may say that a content has."""

MOST = 128 * MIB
"""Bytes of a content that is read: somebody else may have written the memory."""


class Damaged(Exception):
    """What the memory has was not written by this package; str() says what."""


class TooLarge(Damaged):
    """A content is larger than what is read; `size` says how large, in the words of the memory."""

    def __init__(self, stated: object, most: int) -> None:
        bound = f"{most / MIB:,.0f} MiB"
        if isinstance(stated, int) and most < stated < MOST_STATED:
            self.size = f"has {stated / MIB:,.0f} MiB, at most {bound} are read"
        else:
            self.size = f"has more than {bound}, which are read at most"
        super().__init__(f"a file {self.size}")


def put(connection: Connection, content: bytes) -> str:
    """Store a content; its digest (SHA-256, hexadecimal). Raises ValueError for a huge one."""
    digest = hashlib.sha256(content).hexdigest()
    if connection.scalar(select(blob.c.size).where(blob.c.digest == digest)) is None:
        packed = zlib.compress(content)
        if len(packed) > LARGEST:
            raise ValueError(f"a file of {len(packed):,} bytes, compressed")
        insert_new(connection, blob, {"digest": digest, "size": len(content), "packed": packed})
    return digest


def get(connection: Connection, digest: str, most: int | None = None) -> bytes:
    """The content with a digest.

    Raises KeyError, TooLarge for one of more than `most` bytes (`MOST`), and Damaged for another
    content than the digest says.
    """
    bound = MOST if most is None else most
    with_digest = blob.c.digest == digest
    row = connection.execute(
        select(func.length(blob.c.packed), blob.c.size).where(with_digest)
    ).first()
    if row is None or row[0] is None:
        raise KeyError(digest)
    length, stated = row
    if length > bound + MIB:
        raise TooLarge(stated, bound)
    packed = connection.execute(select(blob.c.packed).where(with_digest)).scalar_one()
    if not isinstance(packed, bytes):  # SQLite stores any kind of value in any column
        raise Damaged("a file is a text or a number")
    if (size := _measured(packed, digest, bound)) > bound:
        raise TooLarge(stated, bound)
    return zlib.decompressobj().decompress(packed, size)


def _measured(packed: bytes, digest: str, most: int) -> int:
    """The size of a content; more than `most` where it is larger, and the rest is not unpacked.

    One piece is in memory at a time. Raises Damaged where it has another digest.
    """
    hashed, size = hashlib.sha256(), 0
    try:
        for piece in _pieces(packed):
            hashed.update(piece)
            size += len(piece)
            if size > most:
                return size
    except zlib.error as problem:
        raise Damaged("a file cannot be unpacked") from problem
    if hashed.hexdigest() != digest:
        raise Damaged("a file is not what its digest says")
    return size


def _pieces(packed: bytes) -> Iterator[bytes]:
    stream = zlib.decompressobj()
    rest = packed
    while piece := stream.decompress(rest, MIB):
        yield piece
        rest = stream.unconsumed_tail


def sweep(connection: Connection) -> None:
    """Delete what no run refers to."""
    used = select(artefact.c.digest)
    connection.execute(delete(blob).where(blob.c.digest.not_in(used)))
