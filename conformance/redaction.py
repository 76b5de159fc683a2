"""Keeps credential values out of everything that is written or shown."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus


class Redactor:
    """Replaces every known secret, in each encoding in which a target may echo it, by its `$VARIABLE`.

    Secrets made during a run (near misses of a real credential) are added as they are made.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._spellings: dict[bytes, bytes] = {}
        for secret, variable in secrets.items():
            self.add(secret, variable)

    def add(self, secret: str, variable: str) -> None:
        """Know one more secret; longer spellings are replaced first, so that none is cut by a shorter one."""
        for spelling in spellings(secret):
            self._spellings.setdefault(spelling, variable.encode())
        self._spellings = dict(sorted(self._spellings.items(), key=lambda pair: -len(pair[0])))

    def bytes(self, text: bytes) -> bytes:
        """The text without secrets."""
        for spelling, variable in self._spellings.items():
            if spelling in text:
                text = text.replace(spelling, variable)
        return text

    def text(self, text: str) -> str:
        """The text without secrets; what cannot be encoded is kept as it is."""
        return self.bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The headers without secrets."""
        return tuple((name, self.text(value)) for name, value in headers)


def spellings(secret: str) -> Iterator[bytes]:
    """A secret in the encodings that carry it unread: plain, percent, form, JSON, and base64 in both alphabets."""
    raw = secret.encode()
    plain = (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1])
    coded = (base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"="))
    yield from dict.fromkeys([text.encode() for text in plain] + list(coded))
