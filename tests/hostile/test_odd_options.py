"""Options of a caller that no command can use: each ends it in one line."""

from pathlib import Path

import pytest
from process import conformance_here

from conformance.contract.exit_codes import CONFORMANT, USAGE_ERROR

DIGITS = "9" * 400
"""An integer that no float, size or date can have."""


@pytest.mark.parametrize(
    "words",
    [
        ("keygen", ""),
        ("keygen", "."),
        ("keygen", "/"),
        ("challenge", "--key", "key", "--hours", "99999999999"),
        ("challenge", "--key", "key", "--hours", DIGITS),
        ("serve", "--data", DIGITS),
        ("run", "-n", DIGITS),
        ("diff", "http://127.0.0.1:99999/"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_an_odd_value_ends_in_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    """It is no internal error of the checker."""
    assert conformance_here(tmp_path, "keygen", "key").returncode == CONFORMANT
    ended = conformance_here(tmp_path, *words)
    assert ended.returncode == USAGE_ERROR
    assert ended.stderr.startswith(f"conformance {words[0]}")
    assert ": error: " in ended.stderr
    assert "Traceback" not in ended.stderr


def test_nobody_listens_everywhere_by_an_empty_host(tmp_path: Path) -> None:
    """As of a variable that is not set: the system takes no address for every one."""
    ended = conformance_here(tmp_path, "serve", "--host", "")
    assert ended.returncode == USAGE_ERROR
    assert "must be an address" in ended.stderr
