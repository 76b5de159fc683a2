"""JSON texts: what has one meaning is read, whatever its size says about the work."""

import time

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
