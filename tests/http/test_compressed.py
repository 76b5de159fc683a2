"""Secrets in compressed texts are found, at a bounded cost."""

import base64
import gzip
import zlib
from collections.abc import Callable

import pytest

from conformance.http import compressed
from conformance.http.redaction import Redactor

SECRET = "lk_0addf1b2454eb765f07ec27d737c"
KEY = SECRET.encode()
REDACTOR = Redactor({SECRET: "$KEY"})


def deflate(content: bytes) -> bytes:
    """A stream without a header."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


PACKERS = (gzip.compress, zlib.compress, lambda content: zlib.compress(content, 1), deflate)


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize(
    "spelled", [SECRET, f"Bearer {SECRET}", SECRET[:28], SECRET.encode().hex()]
)
def test_a_secret_in_a_compressed_text_is_replaced(
    pack: Callable[[bytes], bytes], encode: Callable[[bytes], bytes], spelled: str
) -> None:
    """Whole, with a text around it, a part of it, and in another encoding."""
    run = encode(pack(spelled.encode()))
    assert REDACTOR.bytes(b'{"a":"' + run + b'","b":1}') == b'{"a":"$KEY","b":1}'
    assert REDACTOR.text(f"id={run.decode()}; path=/") == "id=$KEY; path=/"


def test_the_base64_may_be_escaped_in_json_and_in_addresses() -> None:
    """`/` in JSON, `+`, `/` and `=` in an address, and a line end before it."""
    packed = next(
        packed
        for number in range(1000)
        if {*b"+/="} <= {*(packed := base64.b64encode(gzip.compress(b"%d %s" % (number, KEY))))}
    )
    in_json = packed.replace(b"/", b"\\/")
    in_address = packed.replace(b"/", b"%2F").replace(b"+", b"%2b").replace(b"=", b"%3D")
    assert REDACTOR.bytes(b'"' + in_json + b'"') == b'"$KEY"'
    assert REDACTOR.bytes(b"?q=" + in_address + b"&x") == b"?q=$KEY&x"
    for pack in PACKERS:
        after_line = b'"\\n' + base64.b64encode(pack(b"the key is " + KEY)) + b'\\""'
        assert REDACTOR.bytes(b"=" + after_line) == b'="\\n$KEY\\""'


def test_a_body_that_is_a_compressed_text_is_replaced() -> None:
    """Nobody said that it is compressed, so nobody has unpacked it."""
    for pack in PACKERS[:3]:
        assert REDACTOR.bytes(pack(SECRET.encode() * 3)) == b"$KEY"


def test_other_texts_of_base64_stay() -> None:
    """Without a secret in them nothing is replaced."""
    texts = [
        base64.b64encode(gzip.compress(b"a page of projects" * 50)),
        base64.b64encode(bytes(range(256)) * 9),
        b"H4sI",
        b"H4sI" + b"A" * 100,
        b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        b"\\" * 90,
        b"\x1f\x8b\x08 no gzip",
    ]
    assert [REDACTOR.bytes(text) for text in texts] == texts


def test_a_stream_is_not_unpacked_further_than_its_limit() -> None:
    """A bomb costs no memory; what comes after the limit is not looked at."""
    unpacked: list[int] = []

    def reveals(content: bytes) -> None:
        unpacked.append(len(content))

    bomb = base64.b64encode(gzip.compress(bytes(50_000_000)))
    assert list(compressed.spans(bomb, reveals)) == []
    assert max(unpacked) == compressed.MOST_UNPACKED


@pytest.mark.parametrize(
    "text",
    [
        b"H4sI" * 200_000,
        b"eJw" * 200_000,
        b" ".join([base64.b64encode(gzip.compress(bytes(200_000)))] * 500),
        (b"x" * 40 + b" ") * 20_000,
    ],
    ids=["gzip", "zlib", "bombs", "runs"],
)
def test_the_work_for_one_text_is_bounded(text: bytes) -> None:
    """Whatever the text is made of."""
    works: list[int] = []

    def reveals(content: bytes) -> None:
        works.append(len(content) + compressed.STREAM_WORK)

    assert list(compressed.spans(text, reveals)) == []
    longest = compressed.MOST_UNPACKED + compressed.LONGEST_RUN
    assert sum(works) <= compressed.MOST_WORK + longest
