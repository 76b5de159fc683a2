"""JSON texts: what has one meaning is read, whatever its size says about the work."""

import time

import orjson
import pytest

from conformance.storage import json_text
from conformance.storage.json_text import JsonError


def test_a_text_is_read_with_and_without_a_byte_order_mark() -> None:
    """Texts, numbers, and names that occur in different objects."""
    text = b'{"a": [1, 2.5, "\\ud83d\\ude00"], "b": {"a": null}}'
    expected = {"a": [1, 2.5, "😀"], "b": {"a": None}}
    assert json_text.parse(text) == json_text.parse(b"\xef\xbb\xbf" + text) == expected


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": "' + b"[,{" * json_text.MOST_VALUES + b'"}',
        b'{"a": "' + b'\\"[,' * json_text.MOST_VALUES + b'"}',
    ],
    ids=["plain", "escaped"],
)
def test_commas_in_texts_are_no_values(text: bytes) -> None:
    """A report quotes long bodies."""
    assert len(json_text.parse(text)["a"]) == 3 * json_text.MOST_VALUES


@pytest.mark.parametrize(
    "text",
    [
        b"[" + b'"",' * json_text.MOST_VALUES + b'""]',
        b"[" + b"[]," * json_text.MOST_VALUES + b"[]]",
        b'["' + b'\\",' * 3 * json_text.MOST_VALUES,
    ],
    ids=["texts", "lists", "a text without an end"],
)
def test_very_many_values_cost_no_memory_and_little_time(text: bytes) -> None:
    """They are counted before the first one is made; a text without an end takes one pass."""
    start = time.process_time()
    with pytest.raises(JsonError):
        json_text.parse(text)
    assert time.process_time() - start < 30


def test_no_character_of_a_line_acts_on_a_terminal() -> None:
    """Each is an escape, also behind a backslash, and has the same meaning."""
    acting = "\x7f\x80\x9b\x9f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"
    texts = [acting, *(f"\\{each}" for each in acting), "é\xa0\u3042\U0001f600\u2027\u202f\u206a"]
    value = {acting: texts}
    line = json_text.inert(orjson.dumps(value))
    assert orjson.loads(line) == value
    assert not set(line.decode()) & {*acting, *map(chr, range(32))}
    assert rb"\u009b" in line
    assert json_text.inert(line) == line
    assert json_text.inert(orjson.dumps(texts[-1])) == orjson.dumps(texts[-1])
