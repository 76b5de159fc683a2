"""Redaction: keeps secrets out of everything that is written or shown."""

import base64
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus

from ahocorasick_rs import BytesAhoCorasick, MatchKind

SHORTEST_SHIFTED = 8
"""Bytes of a secret that is also sought within the base64 of a longer text."""

LONGEST_REMEMBERED = 200
MOST_REMEMBERED = 5000
"""Texts, and their characters, whose redaction is cached: headers recur in every request."""

SHORTEST_PART = 4
"""Bytes at the end of a cut text that may be the beginning of a secret."""

CUT = "…"
"""The end of a text that was cut."""

DEEPEST = 100
"""Levels of a JSON value that are written; orjson can write 254."""


class _Search:
    """All spellings of some secrets, to be found in one pass."""

    def __init__(self, variables: Mapping[bytes, bytes]) -> None:
        self.variables = variables
        self.finder = finder(variables)
        self.replacements = list(variables.values())


class Redactor:
    """Replaces every known secret, in any encoding that a target may echo, by its `$VARIABLE`.

    Secrets made during a run (near misses of a real credential) are added as they are made.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets: set[str] = set()
        self._adding = threading.Lock()
        # Replaced, never changed: other threads may read them while a secret is added.
        self._variables: dict[bytes, bytes] = {}
        self._search = _Search({})
        self._known: dict[str, str] = {}
        for secret, variable in secrets.items():
            self.add(secret, variable)

    def add(self, secret: str, variable: str) -> None:
        """Redact one more secret from here on."""
        with self._adding:
            if secret in self._secrets:
                return
            added = dict.fromkeys(spellings(secret), variable.encode())
            self._variables = {**added, **self._variables}
            self._known = {}
            self._secrets.add(secret)

    def bytes(self, text: bytes) -> bytes:
        """The text without secrets."""
        search = self._search
        if search.variables is not self._variables:
            search = self._search = _Search(self._variables)
        # In one pass, so that no secret is sought in the variable of another one.
        pieces, end = [], 0
        for number, start, stop in search.finder.find_matches_as_indexes(text):
            pieces += [text[end:start], search.replacements[number]]
            end = stop
        return b"".join([*pieces, text[end:]]) if pieces else text

    def text(self, text: str) -> str:
        """The text without secrets, with lone surrogates escaped."""
        remembered = self._known
        known = remembered.get(text)
        if known is None:
            *cut, last = self.bytes(text.encode("utf-8", "backslashreplace")).decode().split(CUT)
            known = CUT.join([*map(self._uncut, cut), last])
            if len(text) <= LONGEST_REMEMBERED and len(remembered) < MOST_REMEMBERED:
                remembered[text] = known
        return known

    def _uncut(self, text: str) -> str:
        # A long text may have been cut within a secret, of which the beginning is left.
        quoted = text.rstrip("'\"")
        content = quoted.encode()
        end = content[-SHORTEST_PART:]  # this much is left of a secret that was cut
        near = (
            (spelling, variable)
            for spelling, variable in self._variables.items()
            if end in spelling
        )
        cut = [
            (length, variable)
            for spelling, variable in near
            if (length := _overlap(content, spelling))
        ]
        if not cut:
            return text
        length, variable = max(cut)
        return content[:-length].decode() + variable.decode() + text[len(quoted) :]

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The headers without secrets."""
        return tuple((self.text(name), self.text(value)) for name, value in headers)

    def value(self, value: object, depth: int = DEEPEST) -> object:
        """A JSON value without secrets, and without what cannot be written.

        Integers past 64 bits become texts, and what is nested deeper than `depth` is cut.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping | list | tuple) and not depth:
            return CUT
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(each, depth - 1) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(each, depth - 1) for each in value]
        return str(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value


def _overlap(text: bytes, spelling: bytes) -> int:
    """Bytes at the end of a text that begin a spelling; 0 for fewer than `SHORTEST_PART`."""
    lengths = range(min(len(spelling) - 1, len(text)), SHORTEST_PART - 1, -1)
    return next((length for length in lengths if text.endswith(spelling[:length])), 0)


def finder(spellings: Iterable[bytes]) -> BytesAhoCorasick:
    """Finds all of these in one pass; the longest of those that begin at one place."""
    return BytesAhoCorasick(list(spellings), matchkind=MatchKind.LeftmostLongest)


def spellings(secret: str) -> Iterator[bytes]:
    """A secret in all encodings that may carry it; none is empty.

    Plain, percent, form, JSON, Python, and base64 in both alphabets.
    """
    found = [secret.encode(), *_escaped(secret)]
    for raw in dict.fromkeys((secret.encode(), secret.encode("latin-1", "ignore"))):
        found += [raw, *_percent(raw), *_base64(raw)]
    yield from (spelling for spelling in dict.fromkeys(found) if spelling)


def _escaped(secret: str) -> Iterator[bytes]:
    for text in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        for escaped in (
            text,
            re.sub(r"\\u[0-9a-f]{4}", lambda match: "\\u" + match[0][2:].upper(), text),
        ):
            yield escaped.encode()
            yield escaped.replace("/", "\\/").encode()
    # As Python quotes it in a message.
    yield repr(secret)[1:-1].encode()
    yield repr(secret.encode())[2:-1].encode()
    # UTF-8 in a header, read as Latin-1.
    yield secret.encode().decode("latin-1").encode()


def _percent(raw: bytes) -> Iterator[bytes]:
    for text in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield text.encode()
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), text).encode()


def _base64(raw: bytes) -> Iterator[bytes]:
    shifts = (0, 1, 2) if len(raw) >= SHORTEST_SHIFTED else (0,)
    for shift in shifts:
        coded = base64.b64encode(bytes(shift) + raw).rstrip(b"=")
        # In a longer text, the first and last characters depend on the text around the secret.
        start = (0, 2, 3)[shift]
        is_cut = len(shifts) > 1 and (shift + len(raw)) % 3 > 0
        inner = coded[start : len(coded) - is_cut]
        yield from (inner, inner.translate(bytes.maketrans(b"+/", b"-_")))
