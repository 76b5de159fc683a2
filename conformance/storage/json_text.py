"""JSON texts of others: each has one meaning, a bounded size, and can be written again."""

import json
import re
from itertools import islice
from typing import Any

import orjson

MOST_VALUES = 2_000_000
"""JSON values of a text: each takes up many times the bytes of its text."""

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+|[,\[{]', re.DOTALL)
"""A whole text, or what begins or separates values."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""A pair of surrogates, half of one, or any other escape."""

LONGEST_NAME = 80
QUOTE = ord('"')
MARK = b"\xef\xbb\xbf"
"""The byte order mark, with which some programs begin a file."""


class JsonError(ValueError):
    """A text is not JSON, or not with one meaning; str() has the place and the reason."""


def parse(content: bytes) -> Any:
    """The value of a JSON text. Raises JsonError.

    Duplicate keys, numbers that no float has, halves of surrogate pairs, and values nested so
    deeply that nothing could write them again, are rejected.
    """
    if not content.strip():
        raise JsonError("empty")
    try:
        _check_size(content)
        value = orjson.loads(content.removeprefix(MARK))
        orjson.dumps(value)
        # What this returns is thrown away: it is here for its look at every key.
        json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once)
    except (TypeError, RecursionError):
        raise JsonError("nested too deeply") from None
    except orjson.JSONDecodeError as problem:
        is_one_line = b"\n" not in content.strip()
        place = f"column {problem.colno}" if is_one_line else f"line {problem.lineno}"
        raise JsonError(f"not JSON: {place}: {problem.msg}") from None
    return value


def without_halves(content: bytes) -> bytes:
    """A JSON text in which U+FFFD takes the place of each half of a pair of surrogates."""
    if _SURROGATE.search(content) is None:
        return content  # as nearly always: a browser writes characters as they are
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], content)


def _check_size(content: bytes) -> None:
    if sum(map(content.count, (b",", b"[", b"{"))) <= MOST_VALUES:
        return  # as nearly always; counted otherwise, those within texts are left out
    found = (token for token in _TOKEN.finditer(content) if token[0][0] != QUOTE)
    if next(islice(found, MOST_VALUES, None), None):
        raise JsonError(f"more than {MOST_VALUES:,} values")


def _once(pairs: list[tuple[str, object]]) -> None:
    """Nothing. Raises JsonError where a key is there twice."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise JsonError(f"duplicate key {name[:LONGEST_NAME]!a}")
        seen.add(name)
