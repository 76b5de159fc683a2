"""Commands with texts of a target, pasted into a real shell: nothing of the target is expanded."""

import itertools
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conformance.http import serialization
from conformance.report import text

TEXTS = [
    "$AWS_SECRET_ACCESS_KEY",
    "Bearer $AWS_SECRET_ACCESS_KEY",
    "${AWS_SECRET_ACCESS_KEY}",
    "$(touch owned)",
    "`touch owned`",
    "'; touch owned; '",
    "'$(touch owned)'",
    '"; touch owned; "',
    "\\'; touch owned #",
    "!touch",
    "a\n touch owned\n",
    "\x1b]0;title\x07\x9b31m",
    "\u202egnp.exe\u2066",
    "\r touch owned",
    "~root",
    "*",
    "{a,b}",
    "<(touch owned)",
    "@/etc/passwd",
    "-o owned",
    "# nothing",
]
"""What a target may return as an id, a cursor or a session, so that the next request has it."""

SHELLS = [name for name in ("bash", "sh", "zsh") if shutil.which(name)]
CURL = """#!/bin/sh
printf '%s\\0' "$@"
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A folder with a `curl` that prints its arguments."""
    program = tmp_path / "bin" / "curl"
    program.parent.mkdir()
    program.write_text(CURL)
    program.chmod(0o755)
    return tmp_path


def pasted(shell: str, command: str, directory: Path) -> list[str]:
    """The arguments that the command receives."""
    path = f"{directory / 'bin'}:{os.environ['PATH']}"
    secrets = {"AWS_SECRET_ACCESS_KEY": "stolen", "PRIMARY_API_KEY": "ours"}
    done = subprocess.run(
        [shell, "-c", command],
        capture_output=True,
        cwd=directory,
        env={"PATH": path, **secrets},
        check=True,
        timeout=20,
    )
    assert {each.name for each in directory.iterdir()} == {"bin"}
    return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]


def request(value: str) -> dict[str, Any]:
    """A recorded request with the same text of the target in every place."""
    return {
        "method": "POST",
        "url": f"http://h/{value}",
        "headers": [
            ["x-api-key", "$PRIMARY_API_KEY"],
            ["content-type", "application/json"],
            ["mcp-session-id", value],
            [f"mcp-param-{value}", value],
        ],
        "body": {"text": value},
    }


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("value", TEXTS)
def test_a_pasted_command_expands_nothing_of_a_target(
    shell: str, value: str, directory: Path
) -> None:
    """Only the variable of the profile is replaced; every other text arrives as it was."""
    command = serialization.curl(request(value))

    arguments = pasted(shell, command, directory)

    assert arguments[-1] == value
    named = dict(itertools.pairwise(arguments))
    assert f"http://h/{value}" in arguments
    assert {"x-api-key: ours", f"mcp-session-id: {value}"} <= set(arguments)
    assert f"mcp-param-{value}: {value}" in arguments
    assert "stolen" not in command
    assert named["-X"] == "POST"
    assert not any("stolen" in argument for argument in arguments)


@pytest.mark.parametrize("value", TEXTS)
def test_a_command_of_the_report_is_printable_and_expands_nothing(
    value: str, directory: Path
) -> None:
    """As the terminal shows it, with control characters as escapes of the shell."""
    command = text.command(serialization.curl(request(value)))

    assert command.isprintable()
    assert pasted("bash", command, directory)[-1] == value
