"""Bodies as they travel: read in small pieces, and unpacked from the codings that the client asks for."""

import zlib
from collections.abc import Callable
from typing import Any

import httpx

CODINGS = ("gzip", "deflate")
LONGEST_BODY = 32 * 1024 * 1024
LONGEST_NAME = 80
READ_SIZE = 64 * 1024
GZIP = b"\x1f"
"""What a member of gzip begins with."""


def read(answer: httpx.Response) -> bytes:
    """The body, decoded step by step, so that no more of it than the longest is ever in memory, whatever it unpacks to.

    Raises httpx.DecodingError where it is longer, cannot be unpacked, or has a coding that was not asked for.
    """
    decoder = _decoder(
        "" if "decoded" in answer.extensions else answer.headers.get("content-encoding", "")
    )
    body = bytearray()
    for chunk in answer.iter_raw(READ_SIZE):
        body += decoder(chunk)
        if len(body) > LONGEST_BODY:
            raise httpx.DecodingError(f"the response is longer than {LONGEST_BODY} bytes")
    return bytes(body)


def _decoder(coding: str) -> Callable[[bytes], bytes]:
    name = coding.strip().lower()
    if name in ("", "identity"):
        return bytes
    if name not in (*CODINGS, "x-gzip"):
        raise httpx.DecodingError(
            f"a content coding that nobody asked for: {coding if len(coding) <= LONGEST_NAME else 'a long name'}"
        )
    return _Unpacker(in_members=name != "deflate").take


class _Unpacker:
    """Unpacks a body piece by piece, no more of it at once than the longest."""

    def __init__(self, *, in_members: bool) -> None:
        self._in_members = in_members
        self._member: Any = None

    def take(self, chunk: bytes) -> bytes:
        """What a piece unpacks to. Raises DecodingError."""
        unpacked = bytearray()
        try:
            while chunk and len(unpacked) <= LONGEST_BODY:
                # A body packed by gzip may have several members (RFC 1952); whatever else follows is none of it.
                if self._member is None or (
                    self._member.eof and self._in_members and chunk[:1] == GZIP
                ):
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
        # zlib's format as specified, or the bare stream that some servers send under the same name
        return zlib.MAX_WBITS if chunk[:1] == b"\x78" else -zlib.MAX_WBITS
