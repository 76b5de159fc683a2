"""Texts of a target made visible."""

import subprocess

import pytest

from conformance.report import text
from conformance.report.console import line


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain ünï", "plain ünï"),
        ("a\u202eb", "a\\u202eb"),
        ("\x1b[31m\x7f", "\\u001b[31m\\u007f"),
        ("\u3164", "\\u3164"),
        ("a\ufe0fb", "a\\ufe0fb"),
        ("\U000e0001", "\\udb40\\udc01"),
        ("\udc80", "\\udc80"),
        ("Cafe\u0301 é", "Cafe\\u0301 é"),
        ("\u212b", "\\u212b"),
        ("\u0928\u094d\n", "\u0928\u094d\\n"),
    ],
)
def test_invisible_characters_are_escaped(raw: str, expected: str) -> None:
    """This includes control and bidirectional characters, and decomposed ones, whose form shows."""
    assert text.visible(raw) == expected
    assert line.visible([(raw, "bad")]) == [(expected, "bad")]


def test_an_escaped_command_sends_the_same_bytes() -> None:
    """A shell interprets the escapes as the characters."""
    odd = "it's\x1b[201~\n\u202e é"
    quoted = "'" + odd.replace("'", "'\"'\"'") + "'"

    escaped = text.command(f"printf %s {quoted}")

    assert escaped.isprintable()
    assert (
        subprocess.run(["bash", "-c", escaped], capture_output=True, check=True).stdout
        == odd.encode()
    )
