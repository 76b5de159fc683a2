"""A pytest plugin with a target that repeats the credential of the caller in its responses."""

import base64
import codecs
import gzip
import html
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count, cycle
from typing import Any
from urllib.parse import quote

import pytest

from conformance import reference
from conformance.http.in_process import InProcess
from conformance.runner import examination
from conformance.runner.examination import Subject


def escaped(start: str, end: str = "", form: str = "02x") -> Callable[[str], str]:
    """The encoding of each character as a number between `start` and `end`."""
    return lambda text: "".join(f"{start}{ord(each):{form}}{end}" for each in text)


def partly(*encodings: Callable[[str], str]) -> Callable[[str], str]:
    """The encoding of every fifth character, in one of these after the other."""

    def encode(text: str) -> str:
        kinds = cycle(encodings)
        return "".join(each if place % 5 else next(kinds)(each) for place, each in enumerate(text))

    return encode


def gzipped(text: str) -> bytes:
    """The text in gzip, always in the same bytes."""
    return gzip.compress(text.encode(), mtime=0)


def deflated(text: str) -> bytes:
    """The text in deflate without a header."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(f"Invalid API key: {text}".encode()) + packer.flush()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "URL": lambda text: quote(text, safe=""),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 in a text": lambda text: base64.b64encode(f"Bearer {text}".encode()).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "percent": escaped("%"),
    "percent twice": escaped("%25"),
    "URL twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON escapes": escaped("\\u", form="04x"),
    "byte escapes": escaped("\\x"),
    "decimal HTML": escaped("&#", ";", form="d"),
    "hexadecimal HTML": escaped("&#x", ";", form="x"),
    "HTML": html.escape,
    "hexadecimal": lambda text: text.encode().hex(),
    "upper case": str.upper,
    "reversed": lambda text: text[::-1],
    "rotated": lambda text: codecs.encode(text, "rot13"),
    "octal escapes": escaped("\\", form="03o"),
    "braced escapes": escaped("\\u{", "}", form="x"),
    "percent u": escaped("%u", form="04x"),
    "quoted-printable": escaped("=", form="02X"),
    "padded HTML": escaped("&#", ";", form="04d"),
    "padded hexadecimal HTML": escaped("&#x", ";", form="04x"),
    "HTML without semicolons": escaped("&#", form="d"),
    "hexadecimal with colons": lambda text: text.encode().hex(":"),
    "hexadecimal with blanks": lambda text: text.encode().hex(" "),
    "hexadecimal numbers": lambda text: ", ".join(f"0x{each:02x}" for each in text.encode()),
    "decimal numbers": lambda text: ",".join(map(str, text.encode())),
    "a list of numbers": lambda text: str(list(text.encode())),
    "UTF-16 in hexadecimal": lambda text: text.encode("utf-16-le").hex(),
    "UTF-16 in base64": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "JSON in part": partly(escaped("\\u", form="04x")),
    "percent in part": partly(escaped("%")),
    "HTML in part": partly(escaped("&#", ";", form="d")),
    "bytes in part": partly(escaped("\\x")),
    "a mixture": partly(
        escaped("\\u", form="04x"),
        escaped("%"),
        escaped("&#", ";", form="d"),
        escaped("\\x"),
        escaped("%25"),
        escaped("&#x", ";", form="x"),
        escaped("\\", form="03o"),
    ),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
}
"""The encodings that keep the characters of a text in their places."""

COMPRESSED: dict[str, Callable[[str], str]] = {
    "gzip in base64": lambda text: base64.b64encode(gzipped(text)).decode(),
    "gzip in base64url": lambda text: base64.urlsafe_b64encode(gzipped(text)).decode(),
    "zlib in base64": lambda text: base64.b64encode(zlib.compress(text.encode())).decode(),
    "zlib in base64url": lambda text: base64.urlsafe_b64encode(
        zlib.compress(text.encode())
    ).decode(),
    "deflate in base64": lambda text: base64.b64encode(deflated(text)).decode(),
    "deflate in base64url": lambda text: base64.urlsafe_b64encode(deflated(text)).decode(),
}
"""Texts that are unpacked before the secret is found; they are replaced as a whole."""


@cache
def spellings(secret: str) -> list[str]:
    """The encodings of a secret, of its halves, and of it as a masked key."""
    middle = len(secret) // 2
    parts = (secret, secret[:middle], secret[middle:])
    encoded = [encode(part) for encode in {**ENCODINGS, **COMPRESSED}.values() for part in parts]
    return [*encoded, f"Invalid API key: {secret[:16]}… (ends with {secret[-12:]})"]


class Echo:
    """Adds the credential of a request to the response: to headers, records and errors.

    A header and a message have one spelling of it, and the next response has the next one.
    """

    def __init__(self, application: Any, others: Sequence[str] = ()) -> None:
        self.application = application
        self.others = list(others)
        self.numbers = count()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        messages: list[Any] = []

        async def collect(message: Any) -> None:
            messages.append(message)

        await self.application(scope, receive, collect)
        start, *bodies = messages
        secrets = list(_secrets(scope["headers"]))
        body = b"".join(message.get("body", b"") for message in bodies)
        if body and secrets and scope["path"] != "/mcp":
            echoes = [*spellings(secrets[0]), *self.others]
            echo = echoes[next(self.numbers) % len(echoes)]
            body = _with_echoes(json.loads(body), echoes, echo)
            start["headers"] = [pair for pair in start["headers"] if pair[0] != b"content-length"]
            start["headers"] += [
                (b"location", f"/?key={quote(secrets[0], safe='')}".encode()),
                (b"x-echo", echo.encode()),
            ]
        await send(start)
        await send({"type": "http.response.body", "body": body})


def _secrets(headers: Any) -> Iterator[str]:
    for name, value in headers:
        if name in (b"x-api-key", b"authorization"):
            yield value.decode("latin-1").removeprefix("Bearer ")


def _with_echoes(document: Any, echoes: list[str], echo: str) -> bytes:
    document["echoes"] = echoes
    if isinstance(document.get("data"), dict):
        document["data"]["echoes"] = echoes
    else:
        document |= {"code": echo, "title": [echo], "echoes": echoes}
    return json.dumps(document).encode()


def subject(others: Sequence[str] = ()) -> Subject:
    """The reference, echoing; `others` are texts that it adds to every response."""
    plain = examination.in_process(reference)
    assert isinstance(plain.transport, InProcess)
    echo = Echo(plain.transport._application, others)
    return Subject(plain.target, InProcess(echo, plain.transport._advance))


def pytest_configure(config: pytest.Config) -> None:
    """Use the echoing target in this run."""
    config.stash[examination.SUBJECT] = subject
