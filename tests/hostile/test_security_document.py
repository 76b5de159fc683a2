"""The tests that SECURITY.md names exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_named_test_exists() -> None:
    """Each reference has a file and a function; there are more than 20 references."""
    text = (ROOT / "SECURITY.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 20
    missing = [
        f"{file}::{function}"
        for file, function in named
        if f"def {function}(" not in (ROOT / file).read_text()
    ]
    assert missing == []
