"""The bounds within which every hostile file, response and folder is dealt with."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from measured import peak

LONGEST = 60
"""Seconds of a processor."""

MOST_MEMORY = 400
"""MiB."""

PEAK_BEGINS_ANEW = "5"


@pytest.fixture(autouse=True)
def bounds() -> Iterator[None]:
    """What a test does in this process takes no more time, and no more memory in addition.

    Processes are measured by the tests that start them. Only Linux tells the peak of a test.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(PEAK_BEGINS_ANEW)
    before, began = peak("self"), time.process_time()
    yield
    assert time.process_time() - began < LONGEST
    assert peak("self") - before < MOST_MEMORY
