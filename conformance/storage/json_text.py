"""JSON texts of others: each has one meaning, a bounded size, and can be written again."""

import hashlib
import json
import re
from contextlib import suppress
from itertools import islice
from typing import Any

import orjson

MOST_VALUES = 2_000_000
"""JSON values of a text: each takes up many times the bytes of its text."""

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+|[,\[{]', re.DOTALL)
"""A whole text, or what begins or separates values."""

_ACTING = re.compile(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2(?:\x80[\x8e\x8f\xa8-\xae]|\x81[\xa6-\xa9])"
)
"""In UTF-8: DEL, C1, U+061C, U+200E, U+200F, and U+2028 to U+202E and U+2066 to U+2069."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""A pair of surrogates, half of one, or any other escape."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
"""A text, also one without an end: otherwise the search would begin anew at each quote in it."""
SMALL = 256 * 1024
"""Bytes of a document that is looked at as it is: whatever is in it takes up little."""
LONGEST_KEPT = 1_000
"""Bytes of a text that is looked at as it is, where only names and nesting count."""

LONGEST_NAME = 80
QUOTE = ord('"')
MARK = b"\xef\xbb\xbf"
"""The byte order mark, with which some programs begin a file."""


class JsonError(ValueError):
    """A text is not JSON, or not with one meaning; str() has the place and the reason."""


def parse(content: bytes, most: int = MOST_VALUES) -> Any:
    """The value of a JSON text of at most so many values. Raises JsonError.

    Duplicate keys, numbers that no float has, halves of surrogate pairs, and values nested so
    deeply that nothing could write them again, are rejected.
    """
    if not content.strip():
        raise JsonError("empty")
    try:
        _check_size(content, most)
        with suppress(orjson.JSONDecodeError):  # what is read afterwards has its place
            _check_form(_brief(content.removeprefix(MARK)))
        return orjson.loads(content.removeprefix(MARK))
    except (TypeError, RecursionError):
        raise JsonError("nested too deeply") from None
    except orjson.JSONDecodeError as problem:
        is_one_line = b"\n" not in content.strip()
        place = f"column {problem.colno}" if is_one_line else f"line {problem.lineno}"
        raise JsonError(f"not JSON: {place}: {problem.msg}") from None


def without_halves(content: bytes) -> bytes:
    """A JSON text in which U+FFFD takes the place of each half of a pair of surrogates."""
    if _SURROGATE.search(content) is None:
        return content  # as nearly always: a browser writes characters as they are
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], content)


def inert(content: bytes) -> bytes:
    """The JSON text with escapes for the characters that act on a terminal which shows it.

    Those of C1, as of C0 anyway, and those that turn the direction of a text or end a line.
    """
    if content.isascii() and b"\x7f" not in content:
        return content
    return _ACTING.sub(lambda found: rb"\u%04x" % ord(found[0].decode()), content)


def _brief(content: bytes) -> bytes:
    """A JSON text with the same names and nesting; a long text stands there as its digest.

    In Python a text of a megabyte takes up four, if one character of it is an emoji.
    """
    pieces, end = list[bytes](), 0  # `re.sub` would make a piece of every text
    for found in _TEXT.finditer(content) if len(content) > SMALL else ():
        if found.end() - found.start() > LONGEST_KEPT and content[found.end() - 1] == QUOTE:
            pieces += (content[end : found.start()], _digested(found[0]))
            end = found.end()
    return b"".join((*pieces, content[end:])) if pieces else content


def _digested(text: bytes) -> bytes:
    name = orjson.loads(text).encode() if b"\\" in text else text[1:-1]
    begins = name[:LONGEST_NAME].decode(errors="replace")
    return orjson.dumps(f"{begins} {hashlib.sha256(name).hexdigest()}")


def _check_form(brief: bytes) -> None:
    orjson.dumps(orjson.loads(brief))
    # What this returns is thrown away: it is here for its look at every key.
    json.loads(brief, object_pairs_hook=_once)


def _check_size(content: bytes, most: int) -> None:
    if sum(map(content.count, (b",", b"[", b"{"))) <= most:
        return  # as nearly always; counted otherwise, those within texts are left out
    found = (token for token in _TOKEN.finditer(content) if token[0][0] != QUOTE)
    if next(islice(found, most, None), None):
        raise JsonError(f"more than {most:,} values")


def _once(pairs: list[tuple[str, object]]) -> None:
    """Nothing. Raises JsonError where a key is there twice."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise JsonError(f"duplicate key {name[:LONGEST_NAME]!a}")
        seen.add(name)
