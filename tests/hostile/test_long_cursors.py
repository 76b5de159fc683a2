"""Cursors of many kilobytes: what a run remembers of them is bounded."""

import tracemalloc

import pytest

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import LONGEST_CURSOR, followed
from conformance.http.packed import PackedText

LONG = "c" * 90_000
WIDE = f"{LONG}\N{GRINNING FACE}"
"""Of its characters one alone needs four bytes in UTF-8, and all of them in memory."""


def test_a_cursor_that_fits_no_url_is_not_followed() -> None:
    """Each request would repeat it, and a run remembers its requests."""
    assert followed({"nextCursor": "c" * LONGEST_CURSOR}, "a#1") == "c" * LONGEST_CURSOR
    with pytest.raises(Inconclusive, match="a cursor of 90,000 characters") as raised:
        followed({"nextCursor": LONG}, "a#1")
    assert raised.value.exchanges == ("a#1",)


@pytest.mark.parametrize("page", [{"nextCursor": None}, {"nextCursor": 7}, {}, None, []])
def test_what_is_no_cursor_is_none(page: object) -> None:
    """Whatever stands in its place is judged by a rule."""
    assert followed(page, "a#1") is None


@pytest.mark.parametrize("text", ["", "short \N{HORIZONTAL ELLIPSIS}", LONG, WIDE])
def test_a_record_that_waits_reads_as_it_was(text: str) -> None:
    """Whether it was long enough to be compressed, or not."""
    assert PackedText(text).text == text
    assert PackedText(text).digest != PackedText(f"{text}.").digest


def test_a_record_that_waits_takes_little_memory() -> None:
    """As a text of Python it would take four bytes for each character."""
    tracemalloc.start()
    kept = [PackedText(WIDE) for _ in range(50)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) * len(WIDE) > 10 * size
