"""SECURITY.md: the tests that hold its statements exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_named_test_exists() -> None:
    """A file and a function of it, with at least one for each section on what cannot happen."""
    text = (ROOT / "SECURITY.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 20
    missing = [
        f"{file}::{function}"
        for file, function in named
        if f"def {function}(" not in (ROOT / file).read_text()
    ]
    assert missing == []
