"""Content codings: bodies are read in small pieces and decoded, up to a longest length."""

import zlib
from collections.abc import Callable
from typing import Any

import httpx

CODINGS = ("gzip", "deflate")
LONGEST_BODY = 32 * 1024 * 1024
LONGEST_NAME = 80
READ_SIZE = 64 * 1024
GZIP = b"\x1f"
"""The first byte of a gzip member."""


def read(response: httpx.Response) -> bytes:
    """The decoded body; no more than `LONGEST_BODY` bytes of it are ever in memory.

    Raises httpx.DecodingError for a longer body, one that cannot be decoded, and one in a coding
    that was not asked for.
    """
    decoder = _decoder(
        "" if "decoded" in response.extensions else response.headers.get("content-encoding", "")
    )
    body = bytearray()
    for chunk in response.iter_raw(READ_SIZE):
        body += decoder(chunk)
        if len(body) > LONGEST_BODY:
            raise httpx.DecodingError(f"the response is longer than {LONGEST_BODY} bytes")
    return bytes(body)


def _decoder(coding: str) -> Callable[[bytes], bytes]:
    name = coding.strip().lower()
    if name in ("", "identity"):
        return bytes
    if name not in (*CODINGS, "x-gzip"):
        named = coding if len(coding) <= LONGEST_NAME else "a long name"
        raise httpx.DecodingError(f"unexpected content coding: {named}")
    return _Unpacker(in_members=name != "deflate").take


class _Unpacker:
    """Decodes a body piece by piece, no more than `LONGEST_BODY` bytes at once."""

    def __init__(self, *, in_members: bool) -> None:
        self._in_members = in_members
        self._member: Any = None

    def take(self, chunk: bytes) -> bytes:
        """The decoded bytes of a piece. Raises httpx.DecodingError."""
        unpacked = bytearray()
        try:
            while chunk and len(unpacked) <= LONGEST_BODY:
                # A gzip body may have several members (RFC 1952); anything else after one is junk.
                is_next = self._in_members and chunk[:1] == GZIP
                if self._member is None or (self._member.eof and is_next):
                    self._member = zlib.decompressobj(self._window(chunk))
                elif self._member.eof:
                    break
                unpacked += self._member.decompress(chunk, LONGEST_BODY + 1)
                chunk = self._member.unused_data
        except zlib.error as problem:
            raise httpx.DecodingError(str(problem)) from problem
        return bytes(unpacked)

    def _window(self, chunk: bytes) -> int:
        if self._in_members:
            return zlib.MAX_WBITS | 32
        # The zlib format as specified, or the bare stream that some servers send instead.
        return zlib.MAX_WBITS if chunk[:1] == b"\x78" else -zlib.MAX_WBITS
