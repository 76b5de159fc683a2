"""Content codings: how bodies are read and decompressed."""

import gzip
import hashlib
import tracemalloc
import zlib

import httpx
import pytest

from conformance.http import content_coding
from conformance.http.budget import RESPONSE
from conformance.http.exchange import Cut

PACKED = gzip.compress(b"unpacked", mtime=0)


def coded_response(name: str, body: bytes) -> httpx.Response:
    """A response whose body has this content coding."""
    return httpx.Response(200, headers={"content-encoding": name}, stream=httpx.ByteStream(body))


def deflated(body: bytes, wbits: int) -> bytes:
    """A body compressed by zlib."""
    packer = zlib.compressobj(9, wbits=wbits)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("gzip", PACKED),
        ("x-gzip", PACKED),
        (" GZip ", PACKED),
        ("gzip", gzip.compress(b"un", mtime=0) + gzip.compress(b"packed", mtime=0)),
        ("gzip", PACKED + b"\0\0\0"),
        ("deflate", deflated(b"unpacked", zlib.MAX_WBITS)),
        ("deflate", deflated(b"unpacked", -zlib.MAX_WBITS)),
        ("deflate", deflated(b"unpacked", zlib.MAX_WBITS) + b"\x1f"),
        ("identity", b"unpacked"),
        ("", b"unpacked"),
    ],
)
def test_a_body_is_decompressed(name: str, packed: bytes) -> None:
    """All codings that the client accepts, under all of their names."""
    assert content_coding.read(coded_response(name, packed)) == (b"unpacked", None)


def test_a_response_without_a_content_coding_is_read_as_it_is() -> None:
    """A gzip body without the header is not decompressed."""
    assert content_coding.read(httpx.Response(200, stream=httpx.ByteStream(PACKED)))[0] == PACKED


def test_a_compressed_body_may_arrive_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read byte by byte."""
    monkeypatch.setattr(content_coding, "READ_SIZE", 1)
    streams = gzip.compress(b"unp", mtime=0) + gzip.compress(b"acked", mtime=0)
    for name, packed in (
        ("gzip", PACKED),
        ("gzip", streams),
        ("deflate", deflated(b"unpacked", zlib.MAX_WBITS)),
    ):
        assert content_coding.read(coded_response(name, packed)) == (b"unpacked", None)


@pytest.mark.parametrize(
    ("name", "body", "failure"),
    [
        ("gzip", b"not packed", "Error -3 while decompressing data: incorrect header check"),
        ("deflate", b"\x78not packed", "Error -3 while decompressing data: incorrect header check"),
        ("br", b"unpacked", "unexpected content coding: br"),
        (
            "gzip, gzip",
            gzip.compress(PACKED, mtime=0),
            "unexpected content coding: gzip, gzip",
        ),
        ("x" * 80, b"", f"unexpected content coding: {'x' * 80}"),
        ("x" * 81, b"", "unexpected content coding: a long name"),
    ],
)
def test_a_body_that_cannot_be_decompressed_is_an_error(
    name: str, body: bytes, failure: str
) -> None:
    """The message names its coding, unless the name is too long."""
    with pytest.raises(httpx.DecodingError) as problem:
        content_coding.read(coded_response(name, body))
    assert str(problem.value) == failure


@pytest.mark.parametrize("name", ["identity", "gzip"])
def test_the_length_of_a_body_is_limited(name: str) -> None:
    """The limit holds for every content coding; a longer body has its beginning and a digest."""
    longest, longer = (
        gzip.compress(body) if name == "gzip" else body for body in (bytes(1000), bytes(1001))
    )

    assert content_coding.read(coded_response(name, longest), 1000) == (bytes(1000), None)
    digest = hashlib.sha256(bytes(1001)).hexdigest()
    cut = Cut(1001, digest, "the response is longer than 1,000 bytes", RESPONSE)
    assert content_coding.read(coded_response(name, longer), 1000) == (bytes(1001), cut)


def test_a_decompression_bomb_is_never_whole_in_memory() -> None:
    """Fifty thousand bytes decompress to fifty million; 64 KiB of them are kept."""
    bomb = coded_response("gzip", gzip.compress(bytes(50_000_000)))
    tracemalloc.start()
    body, cut = content_coding.read(bomb, 100_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (len(body), cut and cut.budget) == (content_coding.HEAD, RESPONSE)
    assert most < 5_000_000
