"""Files by their digest: equal ones are stored once."""

import hashlib
import zlib

from sqlalchemy import Connection, delete, select

from conformance.fleet.memory.inserting import insert_new
from conformance.fleet.memory.tables import artefact, blob

LARGEST = 512 * 1024 * 1024
"""Bytes of a compressed content: both databases take up to twice as much in one value."""

MOST = 1024 * 1024 * 1024
"""Bytes of a content: somebody else may have written the memory."""


class Damaged(Exception):
    """What the memory has was not written by this package; str() says what."""


def put(connection: Connection, content: bytes) -> str:
    """Store a content; its digest (SHA-256, hexadecimal). Raises ValueError for a huge one."""
    digest = hashlib.sha256(content).hexdigest()
    if connection.scalar(select(blob.c.size).where(blob.c.digest == digest)) is None:
        packed = zlib.compress(content)
        if len(packed) > LARGEST:
            raise ValueError(f"a file of {len(packed):,} bytes, compressed")
        insert_new(connection, blob, {"digest": digest, "size": len(content), "packed": packed})
    return digest


def get(connection: Connection, digest: str) -> bytes:
    """The content with a digest. Raises KeyError, and Damaged for another content."""
    packed = connection.scalar(select(blob.c.packed).where(blob.c.digest == digest))
    if packed is None:
        raise KeyError(digest)
    try:
        content = zlib.decompressobj().decompress(packed, MOST)
    except zlib.error:
        content = b""
    if hashlib.sha256(content).hexdigest() != digest:
        raise Damaged("a file is not what its digest says")
    return content


def sweep(connection: Connection) -> None:
    """Delete what no run refers to."""
    used = select(artefact.c.digest)
    connection.execute(delete(blob).where(blob.c.digest.not_in(used)))
