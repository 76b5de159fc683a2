"""A terminal goes on in the first column at its edge; no text of a stranger begins a row there."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from process import COMMAND, surroundings
from sample_reports import a_finding, a_report, an_entry, an_exchange

from conformance.http import secrecy
from conformance.report.console import exchange, line, terminal
from conformance.report.console.screen import Screen

FORGED = "VERIFIED:"
COLUMNS = 60


def on_a_terminal(directory: Path, *arguments: object, columns: int = COLUMNS) -> list[str]:
    """The rows of a terminal of this width on which a command has ended."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(
        command, cwd=directory, env=surroundings(COLUMNS=""), stdout=follower, stderr=follower
    ):
        os.close(follower)
        written = b""
        while part := _read(leader):
            written += part
    os.close(leader)
    shown = written.decode().replace("\r\n", "\n").split("\n")
    return [row for text in shown for row in line.divided(text, columns)]


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # Linux raises it once the last writer has left
        return b""


TEXTS: dict[str, Callable[[int], str]] = {
    "blanks": lambda room: " " * room + FORGED,
    "words": lambda _: f"{FORGED} " * 40,
    "one word": lambda room: "x" * room + FORGED,
    "wide characters": lambda room: "\u4e00" * (room // 2) + " " * (room % 2) + FORGED,
}


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_of_a_stranger_begins_a_row(text: str, tmp_path: Path) -> None:
    """Whatever moves it to the edge of the screen; here in an error that quotes a file."""
    for room in range(COLUMNS - 50, COLUMNS + 1):
        key = json.dumps(TEXTS[text](room))
        (tmp_path / f"{room:02}.toml").write_text(f"{key} = 1\n", encoding="utf-8")
    rows = on_a_terminal(tmp_path, "check-files", *sorted(tmp_path.glob("*.toml")))
    assert sum(FORGED in row for row in rows) > 20
    assert not [row for row in rows if row.startswith(FORGED)]


def test_the_width_is_that_of_the_stream_that_is_written(tmp_path: Path) -> None:
    """Standard output may be a file, while an error is shown on a terminal."""
    (tmp_path / "target.toml").write_text(f"'{' ' * 90}{FORGED}' = 1\n")
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 44, 0, 0))
    command = [*COMMAND, "check-files", "target.toml"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=surroundings(COLUMNS=""),
        stdout=subprocess.DEVNULL,
        stderr=follower,
    ):
        os.close(follower)
        written = b""
        while part := _read(leader):
            written += part
    os.close(leader)
    rows = written.decode().split("\r\n")
    assert max(map(len, rows)) <= 44
    assert not [row for row in rows if row.startswith(FORGED)]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("text", TEXTS)
def test_no_text_of_a_report_begins_a_row(text: str, width: int) -> None:
    """Neither in a message, nor in a body, nor in a command that is too long to be copied."""
    for room in range(width - 30, width + 1):
        hostile = TEXTS[text](room)
        body = {"text": json.dumps({"name": hostile}, ensure_ascii=False)}
        sent = an_exchange() | {"curl": f"curl '{hostile * 300}'"}
        sent["response"] = sent["response"] and {**sent["response"], "body": body}
        found = a_finding(message=hostile, expected=hostile, exchanges=[sent])
        report = a_report(an_entry("x/1", "fail", findings=[found]))
        for one in terminal.lines(report, Screen(width, is_terminal=True)):
            assert line.columns(one) <= width or "https://" in one  # a command
            assert not one.startswith(FORGED)


def test_a_command_that_people_copy_stays_one_line() -> None:
    """A terminal wraps it, and gives it back as it is."""
    argument = f"'{'x ' * 200}'"
    copied = [(exchange.MARGIN, line.LAID_OUT), (argument, "")]
    assert list(line.rows(copied, 60)) == [copied]
    assert isinstance(line.plain(copied), line.Copied)


def test_no_secret_is_divided_by_the_edge_of_a_screen() -> None:
    """It would be found in none of the rows."""
    secret = "k3" * 60
    with secrecy.guarded():
        secrecy.protect({secret: "KEY"})
        shown = "".join(map(line.plain, line.rows([(f"a key {secret}.", "")], 40)))
    assert shown == "a key KEY."


def test_the_name_of_a_folder_begins_no_row(tmp_path: Path) -> None:
    """Such as one that a clone or an archive has brought."""
    folder = tmp_path / (" " * (COLUMNS - 8) + FORGED)
    folder.mkdir()
    (folder / "report.json").write_bytes(orjson.dumps({}))
    rows = on_a_terminal(tmp_path, "report", folder)
    assert not [row for row in rows if row.startswith(FORGED)]
