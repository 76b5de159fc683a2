"""Content codings: bodies are read in small pieces and decoded, up to a longest length."""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from threading import BoundedSemaphore
from typing import Any

import httpx

from conformance.http.budget import LONGEST_RESPONSE, MOST_VALUES, RESPONSE, values
from conformance.http.exchange import Cut

CODINGS = ("gzip", "deflate")
LONGEST_NAME = 80
READ_SIZE = 64 * 1024
PIECE = 256 * 1024
LARGE = 512 * 1024
_LARGE_BODIES = BoundedSemaphore(2)
"""So many bodies of more than LARGE bytes are read at once: a run reads up to 32 others."""

HEAD = 64 * 1024
"""Bytes of the beginning of a body that is kept where the body is not."""

GZIP = b"\x1f"
"""The first byte of a gzip member."""


def read(response: httpx.Response, longest: int = LONGEST_RESPONSE) -> tuple[bytes, Cut | None]:
    """The decoded body; or the beginning of one with more than `longest` bytes, and what it was.

    No more than that is ever in memory. Raises httpx.DecodingError for a body that cannot be
    decoded, and for one in a coding that was not asked for.
    """
    decoder = _decoder(
        "" if "decoded" in response.extensions else response.headers.get("content-encoding", "")
    )
    body = bytearray()
    with ExitStack() as large:
        for piece in (each for chunk in response.iter_raw(READ_SIZE) for each in decoder(chunk)):
            if len(body) <= LARGE < len(body) + len(piece):
                large.enter_context(_LARGE_BODIES)
            body += piece
            if len(body) > longest:
                return cut(bytes(body), f"the response is longer than {longest:,} bytes", RESPONSE)
        return bytes(body), response.extensions.get("cut")


def bounded(body: bytes) -> tuple[bytes, Cut | None]:
    """A body; its beginning where it has so many JSON values that parsing it takes much memory."""
    if values(body) <= MOST_VALUES:
        return body, None
    return cut(body, f"the response has more than {MOST_VALUES:,} values", RESPONSE)


def cut(body: bytes, reason: str, budget: str) -> tuple[bytes, Cut]:
    """The beginning of a body, and its length and digest as far as it was read."""
    digest = hashlib.sha256(body).hexdigest()
    return body[:HEAD], Cut(len(body), digest, reason, budget)


def _decoder(coding: str) -> Callable[[bytes], Iterable[bytes]]:
    name = coding.strip().lower()
    if name in ("", "identity"):
        return lambda chunk: (chunk,)
    if name not in (*CODINGS, "x-gzip"):
        named = coding if len(coding) <= LONGEST_NAME else "a long name"
        raise httpx.DecodingError(f"unexpected content coding: {named}")
    return _Unpacker(in_members=name != "deflate").take


class _Unpacker:
    """Decodes a body piece by piece, however much a piece unpacks to."""

    def __init__(self, *, in_members: bool) -> None:
        self._in_members = in_members
        self._member: Any = None

    def take(self, chunk: bytes) -> Iterator[bytes]:
        """The decoded bytes of a chunk, in pieces of at most PIECE. Raises httpx.DecodingError."""
        has_more = False
        try:
            while chunk or has_more:
                # A gzip body may have several members (RFC 1952); anything else after one is junk.
                is_next = self._in_members and chunk[:1] == GZIP
                if self._member is None or (self._member.eof and is_next):
                    self._member = zlib.decompressobj(self._window(chunk))
                elif self._member.eof:
                    break
                piece = self._member.decompress(chunk, PIECE)
                yield piece
                has_more = len(piece) == PIECE and not self._member.eof
                chunk = self._member.unconsumed_tail or self._member.unused_data
        except zlib.error as problem:
            raise httpx.DecodingError(str(problem)) from problem

    def _window(self, chunk: bytes) -> int:
        if self._in_members:
            return zlib.MAX_WBITS | 32
        # The zlib format as specified, or the bare stream that some servers send instead.
        return zlib.MAX_WBITS if chunk[:1] == b"\x78" else -zlib.MAX_WBITS
